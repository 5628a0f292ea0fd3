"""When things happened, by the clock of the log.

Memory knows no time, so whoever decides by time (an auction's end, a lease)
keeps the receive times of the entries that matter beside it. They come from the
log, so every process that looks has the same ones; between two entries the
process's own clock counts on.
"""

from __future__ import annotations

import time
from typing import Final

import anyio

from parley.bus.entries import Record
from parley.memory.arbitration.steps import ElapsedTimes
from parley.memory.state.memory import Memory
from parley.memory.voting.turnout import pending_votes

_BEGINNINGS: Final = frozenset({"session.opened", "session.forked"})
_EPOCHS: Final = frozenset({"floor.granted", "floor.released"})
_ANSWERS: Final = frozenset({"floor.bid", "floor.passed"})
_NOTICES: Final = frozenset({"floor.nudged", "participant.joined"})
_STIRS: Final = frozenset({"episode.opened", "ballot.completed", "floor.resumed"})


class LogClock:
    """Receive times, in ms, of the newest entry of each sort that was noted."""

    def __init__(self) -> None:
        self._ahead: float | None = None  # of the log's clock over the loop's, ms
        self._begun = 0  # it was opened, or forked: nothing counts as older
        self._opened = self._oldest = self._turned = 0
        self._epoch = self._bid = self._head = self._answer = 0
        self._newest: dict[str, int] = {}  # of `_NOTICES`
        self._calls: dict[int, int] = {}  # of votes, by the n of their initiation

    def set_clock(self, now_ms: int) -> None:
        """The log's clock said so at most just now: the least delayed word of it is the best."""
        ahead = now_ms - _loop_ms()
        self._ahead = ahead if self._ahead is None else max(self._ahead, ahead)

    def note(self, record: Record, *, live: bool) -> None:
        """Take in `record`; `live` when it arrived just now."""
        at, kind = record.received_ms, record.entry.kind
        self._opened = self._opened or at
        if live:
            self.set_clock(at)
        if kind in _BEGINNINGS:
            self._begun = self._opened = at
            return
        self._oldest = self._oldest or at
        if kind in _EPOCHS:
            self._turned = at
        if kind == "message":
            self._head = at
            self._epoch = at
            self._bid = 0
        elif kind in _EPOCHS or kind in _STIRS:
            self._epoch = at
            self._bid = 0
        elif kind in _ANSWERS:
            self._answer = at
            if kind == "floor.bid":
                self._bid = self._bid or at
        elif kind == "vote.initiated":
            self._calls[record.n] = at
        elif kind in _NOTICES:
            self._newest[kind] = at

    def waited(self, memory: Memory) -> ElapsedTimes:
        """How long ago each was, in ms.

        A bid that stands since an earlier epoch counts from the beginning of this
        one. A vote, or a grant, of before the oldest entry that was noted is at
        least as old as that entry, and taken to be no older. In a fork nothing is
        older than the fork.
        """
        now = self._now()
        bid = None
        if memory.floor.bids:
            bid = self._since(now, self._bid or self._epoch)
        return ElapsedTimes(
            epoch=self._since(now, self._epoch or self._opened),
            bid=bid,
            session=self._since(now, self._opened),
            head=self._since(now, self._head or self._opened),
            votes=self._voting(memory, now),
            nudge=self._notice(now, "floor.nudged"),
            answer=self._since(now, max(self._answer, self._epoch or self._opened)),
            seated=self._notice(now, "participant.joined"),
            floor=self._since(now, self._turned or self._oldest or self._opened),
        )

    def _notice(self, now: int, kind: str) -> int | None:
        at = self._newest.get(kind)
        return None if at is None else self._since(now, at)

    def _voting(self, memory: Memory, now: int) -> dict[int, int]:
        """How long ago each vote that runs was called, by ref."""
        refs = {vote.n: vote.ref for vote in pending_votes(memory)}
        self._calls = {n: at for n, at in self._calls.items() if n in refs}
        return {ref: self._since(now, self._calls.get(n, self._oldest)) for n, ref in refs.items()}

    def _since(self, now: int, then: int) -> int:
        return max(0, now - max(then, self._begun))

    def _now(self) -> int:
        if self._ahead is None:  # nothing is known of it: the clocks are taken to agree
            return time.time_ns() // 1_000_000
        return int(_loop_ms() + self._ahead)


def _loop_ms() -> float:
    return anyio.current_time() * 1000
