"""Talk that falls quiet is read soon: a worker says that it paused, once, by the clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Entry, Message, Record, SettingsChanged
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.listeners.workers.vote_counter import LANE, VoteCounter
from parley.memory.extraction.model_claims.reading_ranges import list_owed_readings
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.effects import ReadingEffect
from tests.support.logs.logs import PACKS, opened
from tests.support.logs.model_answers import AGREED, PROPOSED, SAID, answer_text
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.sessions import past, replayed, running, whole

DUE = "parley:{0}:due:votes"
FAST = ProjectorPace(idle_seconds=0.05)


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    async with await Bus.connect(redis_url) as bus:
        yield bus


async def begin(bus: Bus, **extract: object) -> None:
    """Two messages of a session that a model reads."""
    await bus.open("s", opened(extract={"how": "model", "quiet": 1, **extract}))
    await put(bus, *(Message(participant=who, content=text) for who, text in SAID[:2]))


async def put(bus: Bus, *entries: Entry) -> None:
    at = (await bus.info("s")).head
    await bus.publish("s", [Draft(f"d{at + k}", entry) for k, entry in enumerate(entries)])


async def pauses(bus: Bus) -> list[Record]:
    return [record for record in await whole(bus, "s") if record.entry.kind == "talk.paused"]


async def owed(bus: Bus) -> list[ReadingEffect]:
    return list_owed_readings(replayed(await whole(bus, "s"))[0])


@asynccontextmanager
async def at_work(bus: Bus, name: str = "w") -> AsyncIterator[None]:
    """The fold process of a worker."""
    async with running(Projector(bus, PACKS, name, FAST), VoteCounter(bus, PACKS, name)):
        yield


async def test_the_end_of_a_talk_is_read_once_it_is_quiet(bus: Bus) -> None:
    """A second after its last message, by the clock of the log, and not before."""
    await begin(bus)
    async with at_work(bus):
        await wait_until(lambda: pauses(bus))
    (pause,) = await pauses(bus)
    assert (pause.id, getattr(pause.entry, "paused", 0)) == ("pause:2", 2)
    last = next(record for record in await whole(bus, "s") if record.n == 2)
    assert pause.received_ms - last.received_ms >= 1000
    assert await owed(bus) == [ReadingEffect(1, 2, 1)]


async def test_talk_that_goes_on_is_not_cut(bus: Bus) -> None:
    """Each message begins the wait anew; what follows a pause is paused apart."""
    await begin(bus, quiet=2)
    async with at_work(bus):
        for _ in range(4):
            await anyio.sleep(0.7)
            await put(bus, Message(participant="cy", content="Hm."))
        assert await pauses(bus) == []
        await wait_until(lambda: pauses(bus))
        await put(bus, Message(participant="cy", content="One more."))

        async def two() -> bool:
            return len(await pauses(bus)) == 2

        await wait_until(two)
    assert [pause.id for pause in await pauses(bus)] == ["pause:6", "pause:7"]
    assert [(effect.first, effect.last) for effect in await owed(bus)] == [(1, 6), (7, 7)]


async def test_a_worker_that_begins_late_says_so_at_once(bus: Bus) -> None:
    """Nobody has to remember it: the log says since when it is quiet."""
    await begin(bus, quiet=600)
    await bus.restore("s", past(await whole(bus, "s")), replace=True)
    async with at_work(bus):
        await wait_until(lambda: pauses(bus))
    assert [pause.id for pause in await pauses(bus)] == ["pause:2"]


async def test_workers_at_once_publish_it_once(bus: Bus, redis_url: str) -> None:
    await begin(bus)
    async with (
        await Bus.connect(redis_url) as other,
        at_work(bus),
        at_work(other, "v"),
        at_work(other, "u"),
    ):
        await wait_until(lambda: pauses(bus))
        await anyio.sleep(0.5)
    assert len(await pauses(bus)) == 1


async def test_a_worker_that_died_within_leaves_it_to_another(bus: Bus) -> None:
    """It held the look; its lease ends, and the next one takes it."""
    await begin(bus)
    projector = Projector(bus, PACKS, "w", FAST)
    while await projector.round() == 0:
        pass
    taken = await bus.take(LANE, "dead", lease_ms=300)
    assert [claim.member for claim in taken.claims] == ["s pause:1:1"]
    async with at_work(bus):
        await wait_until(lambda: pauses(bus))
    assert len(await pauses(bus)) == 1


async def test_an_id_that_somebody_took_is_in_nobodys_way(bus: Bus) -> None:
    await begin(bus)
    await bus.publish("s", [Draft("pause:3", Message(participant="eve", content="Hm."))])
    async with at_work(bus):
        await wait_until(lambda: pauses(bus))
    assert [pause.id for pause in await pauses(bus)] == ["pause:3:1"]


@pytest.mark.parametrize("extract", [{"quiet": 0}, {"how": "none"}])
async def test_nothing_waits_where_it_is_switched_off(bus: Bus, extract: dict[str, object]) -> None:
    await begin(bus, **extract)
    projector = Projector(bus, PACKS, "w", FAST)
    while await projector.round() == 0:
        pass
    taken = await bus.take(LANE, "w", lease_ms=300)
    assert (taken.claims, taken.next_ms) == ([], None)


async def test_another_time_is_another_look(bus: Bus) -> None:
    """A setting that changes while it is quiet holds at once; the old look leaves the lane."""
    await begin(bus, quiet=3600)
    async with at_work(bus):
        await put(bus, SettingsChanged(settings={"extract": {"quiet": 1}}))
        await wait_until(lambda: pauses(bus))
        await put(bus, SettingsChanged(settings={"extract": {"quiet": 0}}))
        taken = await bus.take(LANE, "v", lease_ms=1)
        assert taken.claims == []


async def test_a_model_reads_what_was_said_before_the_quiet(bus: Bus, fake: FakeOpenAI) -> None:
    """With all that a worker runs: no further message is needed."""
    fake.answer = lambda _: answer_text(PROPOSED, AGREED)
    model = OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE)
    runner = EffectRunner(bus, PACKS, model, "e", EffectPace(idle_seconds=0.05))
    await begin(bus)

    async def read() -> bool:
        return bool(replayed(await whole(bus, "s"))[0].claims.read)

    async with at_work(bus), running(runner):
        await wait_until(read)
    await model.aclose()
    ledger = ledger_of(replayed(await whole(bus, "s"))[0])
    (item,) = ledger.proposals()
    assert (item.handle, item.names("support")) == ("M1", ["bo"])
