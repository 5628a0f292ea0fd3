"""The log in this process and the log in Redis answer alike, refusals included."""

from __future__ import annotations

import random
from collections.abc import Sequence
from uuid import uuid4

import pytest

from parley.bus import Bus, Draft
from parley.bus.contract.errors import BusError
from parley.bus.entries import (
    FloorGranted,
    FloorReleased,
    ItemCorrected,
    Message,
    ParticipantAliased,
    Record,
    SessionClosed,
    SessionOpened,
    SummaryMade,
)
from parley.bus.log.local_log import LocalLog

IDS = ["a", "b", "c", "d", "e", "f", "summary:0:1:2:extract", "bad id", "open", "close"]
SAID = ["yes", "no"]


def entry(chance: random.Random, id: str) -> Draft:
    if id.startswith("summary:") and chance.random() < 0.9:
        text = chance.choice(SAID)
        return Draft(id, SummaryMade(level=0, first=1, last=2, how="extract", text=text))
    kind = chance.random()
    if kind < 0.05:
        return Draft(id, FloorGranted(participant="ada", epoch=chance.randint(1, 4)))
    if kind < 0.08:
        return Draft(id, FloorReleased(participant="ada", epoch=chance.randint(1, 4)))
    if kind < 0.1:
        return Draft(id, ParticipantAliased(alias="al", participant="ada"))
    if kind < 0.15:
        return Draft(id, SessionClosed())
    if kind < 0.25:
        return Draft(id, ItemCorrected(ref="P1", by="ada", op="retract"))
    re = chance.choice([None, None, None, 3, "P1", "a", "b", "nowhere"])
    return Draft(id, Message(participant="ada", content=chance.choice(SAID), re=re))


def batch(chance: random.Random) -> list[Draft]:
    weights = [6] * 6 + [4, 1, 1, 1]
    count = chance.randrange(0, 4)
    return [entry(chance, chosen) for chosen in chance.choices(IDS, weights, k=count)]


def floor(chance: random.Random) -> list[Draft]:
    """A batch as those publish who hold the floor, or would like to."""
    drafts = batch(chance)
    for _ in range(chance.randrange(3)):
        epoch, name = chance.randint(1, 6), f"floor-{chance.randrange(12)}"
        kind = chance.choice([FloorGranted, FloorReleased])
        drafts.insert(
            chance.randint(0, len(drafts)), Draft(name, kind(participant="a", epoch=epoch))
        )
    return drafts


def refusal_and_text(error: BusError) -> tuple[str, str]:
    return type(error).__name__, str(error)


def plain(records: Sequence[Record]) -> list[tuple[object, ...]]:
    """Records without the times at which they were received."""
    return [(row.seq, row.n, row.id, row.entry) for row in records]


class Both:
    """Does everything to both logs, and compares."""

    def __init__(self, bus: Bus, session: str) -> None:
        self.bus, self.session, self.local = bus, session, LocalLog(session)
        self.begun = False

    async def open(self) -> None:
        await self._alike(self._on_bus("open", SessionOpened()), "open", SessionOpened())
        self.begun = True

    async def publish(self, drafts: list[Draft], **under: int) -> None:
        if self.closed:  # effects' results are taken then: by `finish` there, by `publish` here
            drafts = [draft for draft in drafts if draft.entry.kind != "summary.made"]
        await self._alike(self._on_bus("publish", drafts, **under), "publish", drafts, **under)

    async def close(self, reason: str) -> None:
        await self._alike(self._on_bus("close", reason), "close", reason)

    @property
    def closed(self) -> bool:
        return self.begun and self.local.info().status == "closed"

    @property
    def epoch(self) -> int:
        return self.local.info().epoch

    async def compare(self) -> None:
        assert plain(await self.bus.read(self.session)) == plain(self.local.read())
        assert plain(await self.bus.read(self.session, 2, to=5, count=2)) == plain(
            self.local.read(2, to=5, count=2)
        )
        assert plain(await self.bus.tail(self.session, 3)) == plain(self.local.tail(3))
        remote, local = await self.bus.info(self.session), self.local.info()
        assert (remote.head, remote.n, remote.status, remote.skips, remote.epoch) == (
            local.head, local.n, local.status, local.skips, local.epoch,
        )  # fmt: skip

    async def _on_bus(self, verb: str, argument: object, **under: int) -> object:
        try:
            return await getattr(self.bus, verb)(self.session, argument, **under)
        except BusError as error:
            return refusal_and_text(error)

    async def _alike(self, remote: object, verb: str, argument: object, **under: int) -> None:
        try:
            here = getattr(self.local, verb)(argument, **under)
        except BusError as error:
            here = refusal_and_text(error)
        there = await remote  # type: ignore[misc]  # a coroutine of `_on_bus`
        assert here == there, (verb, argument)


@pytest.mark.parametrize("seed", range(30))
async def test_random_sequences_get_the_same_answers(redis_url: str, seed: int) -> None:
    """Same receipts, same refusals with the same words, same records, whatever comes."""
    chance = random.Random(seed)
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        both = Both(bus, f"s-{uuid4().hex[:8]}")
        if chance.random() < 0.2:
            await both.publish(batch(chance))
        await both.open()
        for _ in range(20):
            step = chance.random()
            if step < 0.6:
                await both.publish(batch(chance))
            elif step < 0.93:
                await both.publish(floor(chance), **chance.choice([{}, {"epoch": both.epoch}]))
            elif step < 0.96:
                await both.open()
            else:
                await both.close(chance.choice(["done", "otherwise"]))
        await both.compare()


@pytest.mark.parametrize("verb", ["read", "tail", "info"])
async def test_both_miss_a_session_that_was_not_opened(redis_url: str, verb: str) -> None:
    """Reading what is not there is refused with the same words."""
    local = LocalLog("nobody")
    async with await Bus.connect(redis_url) as bus:
        arguments = [3] if verb == "tail" else []
        with pytest.raises(BusError) as there:
            await getattr(bus, verb)("nobody", *arguments)
    with pytest.raises(BusError) as here:
        getattr(local, verb)(*arguments)
    assert refusal_and_text(there.value) == refusal_and_text(here.value)
