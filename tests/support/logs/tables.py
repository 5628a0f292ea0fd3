"""Sessions with a floor, for tests: entries in short, and a table that arbitrates itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from parley.bus.entries import (
    Entry,
    FloorBid,
    FloorGranted,
    FloorNudged,
    FloorPassed,
    FloorPaused,
    FloorReleased,
    Message,
    ParticipantJoined,
    SessionClosed,
)
from parley.memory.arbitration.arbiter import next_step
from parley.memory.arbitration.gate import judge_listener
from parley.memory.arbitration.steps import Close, ElapsedTimes, Expire, Grant, Nudge, Pause, Step
from parley.memory.fold.apply import apply
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from tests.support.logs.logs import PACKS, numbered, opened

NOW = ElapsedTimes(floor=0, epoch=0, bid=0, session=0, head=0, nudge=0)
LATER = ElapsedTimes(floor=8_000, epoch=8_000, bid=8_000, session=8_000, head=60_000, nudge=8_000)
VOTES = range(1, 100)  # refs: as many votes as a test calls


def since_call(ms: int) -> dict[int, int]:
    """`votes` of the times that have gone by, where each was called so long ago."""
    return dict.fromkeys(VOTES, ms)


def agent(name: str, **fields: Any) -> ParticipantJoined:
    return ParticipantJoined(participant=name, role="agent", **fields)


def person(name: str, **fields: Any) -> ParticipantJoined:
    return ParticipantJoined(participant=name, role="person", **fields)


class Table:
    """A session that is folded entry by entry; bids and grants are of the current epoch."""

    def __init__(self, *entries: Entry, **settings: Any) -> None:
        settings.setdefault("floor", {"policy": "bid"})
        self.memory = Memory(PACKS)
        self.facts: list[Fact] = []
        self.steps: list[Step] = []
        self.put(opened(**settings), *entries)

    def put(self, *entries: Entry) -> list[Fact]:
        """Folds them; the facts of these."""
        facts: list[Fact] = []
        for entry in entries:
            (record,) = numbered([entry], self.memory.seq, self.memory.n)
            facts += apply(self.memory, record)
        self.facts += facts
        return facts

    def say(self, name: str, content: str = "Morning all.", **fields: Any) -> list[Fact]:
        return self.put(Message(participant=name, content=content, **fields))

    def bid(self, name: str, urgency: int = 1, **fields: Any) -> None:
        epoch, heard = self.memory.floor.epoch, self.memory.n
        self.put(FloorBid(participant=name, epoch=epoch, heard=heard, urgency=urgency, **fields))

    def passes(self, *names: str, **fields: Any) -> None:
        epoch, heard = self.memory.floor.epoch, self.memory.n
        self.put(*(FloorPassed(participant=n, epoch=epoch, heard=heard, **fields) for n in names))

    def grant(self, name: str, **fields: Any) -> None:
        self.put(FloorGranted(participant=name, epoch=self.memory.floor.epoch + 1, **fields))

    def release(self, name: str, reason: Any = "spoke", **fields: Any) -> None:
        epoch = self.memory.floor.epoch + 1
        self.put(FloorReleased(participant=name, epoch=epoch, reason=reason, **fields))

    def turn(self, name: str, content: str = "Morning all.") -> None:
        """A whole turn: granted, said, released."""
        self.grant(name)
        self.say(name, content)
        self.release(name)

    def vote(self, ref: int, **fields: Any) -> Vote:
        """A vote as its fold would hold it."""
        vote = Vote(ref=ref, n=self.memory.n, by="parley", question="?", **fields)
        vote.opened = self.memory.messages
        self.memory.votes.by_ref[ref] = vote
        if vote.status in ("called", "open"):
            self.memory.votes.running.append(ref)
        self.memory.votes.counted += vote.status in ("carried", "failed", "short")
        if vote.proposal is not None:
            self.memory.proposals[vote.proposal].voted = True
        return vote

    def step(self, waited: ElapsedTimes = LATER) -> Step | None:
        return next_step(self.memory, waited)[0]

    def take(self, step: Step, speak: Callable[[str], str | None]) -> None:
        """What an arbiter and a holder publish for `step`; None from `speak` is silence."""
        self.steps.append(step)
        match step:
            case Grant(participant, score, reason):
                self.grant(participant, score=dict(score), reason=reason)
                reply = speak(participant)
                if reply is not None:
                    self.say(participant, reply)
                self.release(participant, "silent" if reply is None else "spoke")
            case Expire(participant):
                self.release(participant, "expired")
            case Nudge(participant, warning, re, earlier, content):
                self.put(
                    FloorNudged(
                        participant=participant, warning=warning, re=re, earlier=earlier,
                        content=content,
                    )
                )  # fmt: skip
            case Pause(reason):
                self.put(FloorPaused(reason=reason))
            case Close(reason, rule):
                self.put(SessionClosed(reason=reason, rule=rule))
            case _:
                raise AssertionError(f"not for a table of one: {step}")

    def listen(self, names: Iterable[str], answer: Callable[[str], int | None]) -> None:
        """Each listener that its gate lets through bids with an urgency, or passes.

        As long as there is one: what somebody answers may let another through.
        """
        names = list(names)
        while called := [n for n in names if judge_listener(self.memory, n) in ("bid", "evaluate")]:
            urgency = answer(called[0])
            if urgency is None:
                self.passes(called[0])
            else:
                self.bid(called[0], urgency)
