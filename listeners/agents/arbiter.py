"""The arbiter of a session's floor: reads the memory, decides, and publishes what is next.

Deciding is `parley.memory.arbitration.arbiter.next_step`, a pure function; this is the loop that
carries a step out. Every process that hosts somebody may run one: they come to
the same step, and the first entry of an epoch is the one that lands. So none of
them matters, and any of them may die at any moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.contract.errors import SessionClosed, StaleEpoch
from parley.bus.entries import (
    Entry,
    FloorGranted,
    FloorNudged,
    FloorPaused,
    FloorReleased,
    ResultsFinal,
)
from parley.listeners.agents import answer_entries
from parley.listeners.rooms.room import Room
from parley.listeners.spending.accounts import PARLEY
from parley.listeners.votes.teller import publish_once, publish_result
from parley.memory.arbitration.arbiter import next_step
from parley.memory.arbitration.session_end import sum_up_session
from parley.memory.arbitration.steps import (
    AskModerator,
    CallVote,
    Close,
    CountVote,
    Expire,
    Grant,
    Nudge,
    Pause,
    Step,
)
from parley.memory.floor.seats import lease_ms
from parley.memory.voice import VOICE

AGAIN_SECONDS: Final = 0.05  # before a step is tried anew that changed nothing
_SETTLE_SECONDS: Final = 2.0  # for calls of agents to be settled before a session closes

log = EventLog("parley.arbiter")


@dataclass(slots=True)
class ArbiterTally:
    """Steps that this arbiter took, and those in which another was first."""

    taken: int = 0
    lost: int = 0


class Arbiter:
    """Arbitrates in `room` until the session closes; `nonce` tells it from others.

    Calls of workers that are under way at the end are waited for `patience_seconds`.
    """

    def __init__(self, room: Room, nonce: str, patience_seconds: float = 0.0) -> None:
        self._room, self._nonce, self._patience = room, nonce, patience_seconds
        self.tally = ArbiterTally()

    async def run(self) -> None:
        """Return once the session is closed."""
        room = self._room
        try:
            while room.memory.closed is None:
                seq = room.seq
                wait = await self._round()
                await room.wait_past(seq, wait)
        except SessionClosed:
            return

    async def _round(self) -> float | None:
        """One look; the seconds after which to look again though nothing came, None: for ever."""
        step, wait_ms = next_step(self._room.memory, self._room.waited())
        if step is None or isinstance(step, AskModerator):
            return None if wait_ms is None else wait_ms / 1000
        try:
            await self._take(step)
            self.tally.taken += 1
        except StaleEpoch:
            self.tally.lost += 1
        return AGAIN_SECONDS

    async def _take(self, step: Step) -> None:
        floor, room = self._room.memory.floor, self._room
        epoch = floor.epoch
        match step:
            case Grant():
                grant = FloorGranted(
                    participant=step.participant, epoch=epoch + 1, score=step.score,
                    lease_ms=lease_ms(room.memory, step.participant), reason=step.reason,
                )  # fmt: skip
                await self._publish(f"grant:{epoch}", grant)
            case Expire():
                release = FloorReleased(
                    participant=step.participant, epoch=epoch + 1, reason="expired"
                )
                await self._publish(f"expire:{epoch}", release)
            case Nudge():
                nudge = FloorNudged(
                    participant=step.participant, warning=step.warning, re=step.re,
                    earlier=step.earlier, content=step.content,
                )  # fmt: skip
                since = f"{floor.stirred}.{floor.turns}"  # turns: under `open` no epoch passes
                own = f"nudge:{step.warning}:{step.re or epoch}:{since}"
                if floor.nudged:  # several are asked in one silence
                    own += f":{floor.seats[step.participant].order}" if step.participant else ""
                await self._publish(own, nudge)
            case Pause():
                await self._publish(f"pause:{floor.turns}", FloorPaused(reason=step.reason))
            case CallVote():
                await self._call_vote(step.proposal)
            case CountVote():
                await publish_result(self._room, step.ref, self._nonce)
            case Close():
                await self._close(step.reason, step.rule)

    async def _publish(self, own: str, entry: Entry) -> None:
        await publish_once(self._room, own, entry, self._nonce)

    async def _call_vote(self, ref: int) -> None:
        call = answer_entries.vote_on_proposal(self._room.memory, VOICE, f"P{ref}")
        await self._publish(f"vote:{VOICE}:{ref}", call)

    async def _close(self, reason: str, rule: str) -> None:
        """End the session once the calls under way are settled, with its totals.

        Where nothing was decided and the settings name a fallback, that is the outcome,
        unless it ends because no model answered: then nobody was heard.
        """
        room = self._room
        if not room.memory.floor.paused:
            await self._publish("pause:closing", FloorPaused(reason="closing"))
        await self._wait_for_calls()
        memory, failed = room.memory, "errors" in reason.split("+")
        decided = any(decision.binds for decision in memory.decisions.values())
        if memory.settings.vote.fallback and not decided and not failed:
            fallback = ResultsFinal(
                participant=VOICE, content=memory.settings.vote.fallback, consensus=False
            )
            await self._publish("fallback", fallback)
        await room.close(reason, rule, sum_up_session(room.memory))
        log.info("session_closed", session=room.session, reason=reason, rule=rule)

    async def _wait_for_calls(self) -> None:
        """Until the calls under way are settled: agents break theirs off, workers end theirs."""
        room, began = self._room, anyio.current_time()
        while open_calls := room.memory.ledger.calls:
            of_workers = any(call.participant == PARLEY for call in open_calls.values())
            seconds = max(_SETTLE_SECONDS, self._patience if of_workers else 0.0)
            if (left := began + seconds - anyio.current_time()) <= 0:
                return
            await room.wait_past(room.seq, left)
