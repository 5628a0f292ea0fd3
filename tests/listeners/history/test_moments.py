"""Sessions as they were: the same as a replay, from checkpoints, whatever becomes of the log."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from parley.bus import Bus, Draft
from parley.bus.contract.errors import Fenced, SessionNotFound
from parley.bus.entries import Message, SummaryMade
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.history.chronicle import MARKED, Chronicle, Mark
from parley.listeners.history.course import EVERY, Course
from parley.listeners.history.moments import History
from parley.listeners.history.timeline import Timeline, thin_marks
from parley.listeners.sessions.redaction import redact
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.sessions import discuss, is_settled, running, whole

LONG = 5 * EVERY + 40


@pytest.fixture
async def moments(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[History]:
    monkeypatch.setattr("parley.listeners.history.moments.PATIENCE_SECONDS", 30.0)
    moments = History(bus, PACKS)
    yield moments
    await moments.aclose()


async def summarised(bus: Bus, session: str, count: int) -> None:
    """A session of `count` messages in which summaries landed among them."""
    await discuss(bus, session, 1)
    for first in range(2, count + 1, 60):
        await discuss(bus, session, min(60, count + 1 - first), first=first)
        late = first - 30
        text = SummaryMade(level=0, first=max(1, late), last=max(10, late + 9), how="extract",
                           text=f"What was said by {first}.")  # fmt: skip
        await bus.publish(session, [Draft(f"summary-{first}", text)])


async def test_every_moment_is_the_replay_byte_for_byte(bus: Bus, moments: History) -> None:
    """Before, at and after each checkpoint, at random places, and beyond the end."""
    await summarised(bus, "a", LONG)
    reader = MemoryReader(bus, PACKS)
    edges = [n for k in range(1, 5) for n in (k * EVERY - 1, k * EVERY, k * EVERY + 1)]
    chance = random.Random(7)
    chosen = {0, 1, 60, 61, *edges, *chance.choices(range(LONG), k=15), LONG, LONG + 9}
    for n in chance.sample(sorted(chosen), k=len(chosen)):
        assert dump(await moments.at("a", n)) == dump(await reader.at("a", n)), n


async def test_a_moment_stays_as_the_session_goes_on(bus: Bus, moments: History) -> None:
    """And the copy is the caller's own: folding on in it changes no other."""
    await discuss(bus, "a", EVERY + 20)
    before = await moments.at("a", EVERY + 10)
    standing = dump(before)
    for record in await whole(bus, "a"):
        apply(before, record)
    await discuss(bus, "a", 2 * EVERY, first=EVERY + 21)
    assert dump(await moments.at("a", EVERY + 10)) == standing
    reader = MemoryReader(bus, PACKS)
    last = 3 * EVERY + 5
    assert dump(await moments.at("a", last)) == dump(await reader.at("a", last))


async def test_what_is_long_past_is_not_folded_again(
    bus: Bus, moments: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A moment costs at most a checkpoint's distance, however long the session is."""
    await discuss(bus, "a", LONG)
    await moments.at("a", LONG)
    folded: list[int] = []

    def counting(memory: Memory, record: object) -> list[Fact]:
        folded.append(memory.n)
        return apply(memory, record)  # type: ignore[arg-type]

    monkeypatch.setattr("parley.memory.fold.replay.apply", counting)
    for n in (EVERY, 3 * EVERY + 1, LONG - 1):
        folded.clear()
        await moments.at("a", n)
        assert len(folded) <= EVERY


async def test_many_may_ask_for_moments_at_once(bus: Bus, moments: History) -> None:
    """One fold serves them all."""
    await discuss(bus, "a", LONG)
    reader = MemoryReader(bus, PACKS)
    numbers = range(1, LONG, 40)
    answer = await asyncio.gather(*(moments.at("a", n) for n in numbers))
    for n, memory in zip(numbers, answer, strict=True):
        assert dump(memory) == dump(await reader.at("a", n))


async def test_redacted_words_are_in_no_moment(bus: Bus, moments: History) -> None:
    """Not in those that were told before, and not in the entries."""
    await discuss(bus, "a", EVERY + 20)
    await bus.publish(
        "a", [Draft("slip", Message(participant="zoe", content="my key is under the mat"))]
    )
    await discuss(bus, "a", 20, first=EVERY + 21)
    slip = EVERY + 21
    await moments.at("a", slip)
    assert "under the mat" in str((await moments.records("a", [slip]))[slip].entry)
    await redact(bus, PACKS, "a", slip, reason="a slip")
    reader = MemoryReader(bus, PACKS)
    for n in (EVERY, slip, EVERY + 40):
        assert dump(await moments.at("a", n)) == dump(await reader.at("a", n))
    assert "under the mat" not in str((await moments.records("a", [slip]))[slip].entry)


async def test_a_replaced_log_is_read_anew(bus: Bus, moments: History) -> None:
    """Another log of the same name gives other moments at once."""
    await discuss(bus, "a", 2 * EVERY)
    await moments.at("a", 2 * EVERY)
    first = (await moments.records("a", [5]))[5]
    await bus.remove("a")
    await discuss(bus, "a", EVERY + 5)
    await bus.publish("a", [Draft("new", Message(participant="zoe", content="I propose rain."))])
    reader = MemoryReader(bus, PACKS)
    for n in (EVERY + 6, 3):
        assert dump(await moments.at("a", n)) == dump(await reader.at("a", n))
    second = (await moments.records("a", [5]))[5]
    assert first.entry == second.entry
    assert second == (await bus.read("a", 5, count=1))[0]
    await bus.remove("a")
    with pytest.raises(SessionNotFound):
        await moments.at("a", 1)
    with pytest.raises(SessionNotFound):
        await moments.records("b", [1])


async def test_what_was_set_aside_is_in_the_moments_before(bus: Bus, moments: History) -> None:
    """A moment honours only the skips that stood by then, though checkpoints were there."""
    await discuss(bus, "a", EVERY + 10)
    await moments.at("a", EVERY + 5)
    await bus.set_aside("a", 5, "a test of it")
    reader = MemoryReader(bus, PACKS)
    for n in (3, 8, EVERY + 10):
        assert dump(await moments.at("a", n)) == dump(await reader.at("a", n))
    facts = [pair async for pair in moments.since("a", 0, 10)]
    assert [answer for record, answer in facts if record.seq == 5] == [[]]
    assert (await moments.timeline("a")).done == 1000


async def test_entries_are_found_by_their_number(bus: Bus, moments: History) -> None:
    """Primary ones alone, the opening as 0; what is not there yet is not in the answer."""
    await summarised(bus, "a", 200)
    records = await whole(bus, "a")
    primary = {record.n: record for record in reversed(records)}
    assert await moments.records("a", range(400)) == primary
    assert await moments.records("a", [150, 3, 150, -1, 999]) == {3: primary[3], 150: primary[150]}
    assert await moments.records("a", []) == {}
    await discuss(bus, "a", 1, first=201)
    assert set(await moments.records("a", [200, 201, 202])) == {200, 201}


async def test_facts_are_told_again_as_they_were(bus: Bus, moments: History) -> None:
    """From any place to any other: each entry once, with what it changed."""
    await summarised(bus, "a", LONG)
    records = await whole(bus, "a")
    memory = Memory(PACKS)
    expected = [(record, apply(memory, record)) for record in records]
    for after, to in ((0, 3), (0, LONG + 99), (300, 420), (EVERY + 1, EVERY + 1), (LONG, LONG + 9)):
        answer = [pair async for pair in moments.since("a", after, to)]
        assert answer == expected[after:to]


async def test_catching_up_starts_from_a_snapshot_where_nothing_is_folded_yet(bus: Bus) -> None:
    """What a worker saved is not folded again, unless it is of another log or too late."""
    await discuss(bus, "a", LONG)
    projector = Projector(bus, PACKS, "w1", ProjectorPace(snapshot_tail=1))
    await projector.round()
    await discuss(bus, "a", 40, first=LONG + 1)
    memory = Memory(PACKS)
    expected = [(record, apply(memory, record)) for record in await whole(bus, "a")]
    snapshot = await bus.snapshot("a", fold_build())
    assert snapshot is not None
    for after in (LONG + 5, snapshot.upto - 1):
        moments = History(bus, PACKS)
        assert [pair async for pair in moments.since("a", after, LONG + 30)] == expected[
            after : LONG + 30
        ]
        folded_anew = moments._courses["a"].folded_seq > 0
        assert folded_anew == (after < snapshot.upto)
        await moments.aclose()


async def test_catching_up_with_a_log_that_is_replaced_is_fenced(
    bus: Bus, moments: History
) -> None:
    """Whoever heard the beginning of another log is not told the end of this one."""
    await discuss(bus, "a", 300)
    heard = moments.since("a", 0, 300)
    await anext(heard)
    await bus.remove("a")
    await discuss(bus, "a", 300)
    with pytest.raises(Fenced):
        async for _ in heard:
            pass


async def test_who_hears_late_of_another_log_stops_nobody_who_knew(
    bus: Bus, moments: History
) -> None:
    """What was begun of the new one goes on: it is not theirs to let go of."""
    page = 65
    await discuss(bus, "a", 2 * page)
    late = [moments.since("a", 0, 2 * page) for _ in range(3)]
    for heard in late:
        for _ in range(page):
            await anext(heard)
    await bus.remove("a")
    await discuss(bus, "a", LONG)
    await moments.at("a", 1)  # which finds that it is another
    early = asyncio.create_task(moments.at("a", LONG))

    def builders() -> list[asyncio.Task[Any]]:
        return [task for task in asyncio.all_tasks() if task.get_name() == "parley-moments-a"]

    await wait_until(builders, every=0)
    (builder,) = builders()
    for heard in late:
        with pytest.raises(Fenced):
            await anext(heard)
    assert (await early).n == LONG
    assert not builder.cancelled()


async def test_the_timeline_tells_the_whole_course(bus: Bus, moments: History) -> None:
    """A row for every so many entries, and marks that are the facts of their kinds."""
    await discuss(bus, "a", LONG)
    answer = await moments.timeline("a")
    memory = Memory(PACKS)
    facts = [fact for record in await whole(bus, "a") for fact in apply(memory, record)]
    assert answer.n == LONG
    assert answer.done == 1000
    assert [(mark.n, mark.kind, mark.ref) for mark in answer.marks] == [
        (fact.n, fact.kind, fact.ref or "") for fact in facts if fact.kind in MARKED
    ]
    series = answer.series
    assert series["n"] == [*range(1, LONG + 1, answer.every), LONG][: len(series["n"])]
    assert series["n"][-1] == LONG
    assert series["messages"] == series["n"]
    assert series["proposals_open"][-1] == len(memory.live)
    assert series["flips"][-1] == sum(fact.kind == "position.flipped" for fact in facts)
    assert any(stance == "oppose" for *_, stance in answer.stances)


async def test_the_timeline_goes_on_with_the_session(bus: Bus, moments: History) -> None:
    """Asked again and again, it is that of one fold."""
    for first in range(1, 2 * EVERY, 50):
        await discuss(bus, "a", 50, first=first)
        answer = await moments.timeline("a")
        assert answer == await History(bus, PACKS).timeline("a")
        assert answer.n == first + 49


async def test_a_timeline_in_the_making_says_how_far_it_is(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told in part at once, and whole once it is made."""
    monkeypatch.setattr("parley.listeners.history.moments.PATIENCE_SECONDS", 0.0)
    await discuss(bus, "a", LONG)
    moments = History(bus, PACKS)
    first = await moments.timeline("a")
    assert first.done < 1000
    await moments.at("a", LONG)
    assert (await moments.timeline("a")).done == 1000


async def test_little_room_holds_fewer_checkpoints_and_the_same_moments(bus: Bus) -> None:
    """Beyond its room, a session keeps every second one, and others are let go of."""
    await discuss(bus, "a", LONG)
    await discuss(bus, "b", LONG)
    moments, reader = History(bus, PACKS, room_bytes=12_000), MemoryReader(bus, PACKS)
    for session in ("a", "b", "a"):
        for n in (EVERY + 1, 2 * EVERY, LONG - 3):
            answer = await moments.at(session, n)
            assert dump(answer) == dump(await reader.at(session, n))
    kept = sum(course.packed for course in moments._courses.values())
    assert kept <= 12_000 * 2
    await moments.aclose()


async def test_little_room_repeats_nothing_in_the_timeline(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stood behind a checkpoint that was let go of is told once as the session goes on."""
    monkeypatch.setattr("parley.listeners.history.moments.PATIENCE_SECONDS", 30.0)
    await discuss(bus, "a", EVERY + 20)
    moments = History(bus, PACKS, room_bytes=1)
    assert await moments.timeline("a") == await History(bus, PACKS).timeline("a")
    await discuss(bus, "a", 2 * EVERY, first=EVERY + 21)
    whole_course = await History(bus, PACKS).timeline("a")
    assert await moments.timeline("a") == whole_course
    assert whole_course.series["n"] == sorted(set(whole_course.series["n"]))
    facts = await History(bus, PACKS).history("a", "P1")
    assert await moments.history("a", "P1") == facts
    await moments.aclose()


async def test_what_is_noted_of_short_sessions_takes_room_too(bus: Bus) -> None:
    """They have no checkpoint; those asked for longest ago are let go of all the same."""
    moments = History(bus, PACKS, room_bytes=200_000)
    for session in "abcdef":
        await discuss(bus, session, 100)
        await moments.history(session, "P1")
    assert "a" not in moments._courses
    assert "f" in moments._courses
    await moments.aclose()


async def test_with_workers_that_summarise_it_is_the_replay(bus: Bus, moments: History) -> None:
    """Derived entries of live workers belong to the moment that they follow."""
    await discuss(bus, "a", 160)
    async with running(Projector(bus, PACKS, "w1"), EffectRunner(bus, PACKS, None, "w2")):
        async with asyncio.timeout(PATIENCE):
            while not await is_settled(bus, "a"):
                await asyncio.sleep(0.02)
    reader = MemoryReader(bus, PACKS)
    for n in (20, 129, 159, 160):
        assert dump(await moments.at("a", n)) == dump(await reader.at("a", n))


def test_common_marks_are_thinned_and_rare_ones_kept() -> None:
    """Evenly, in their order, and never more than asked for."""
    marks = [Mark(n, "proposal.made", f"P{n}", "ana") for n in range(1, 101)]
    marks[50:50] = [Mark(50, "vote.closed", "V1", "")]
    kept = thin_marks(marks, 21)
    assert len(kept) == 21
    assert Mark(50, "vote.closed", "V1", "") in kept
    assert [mark.n for mark in kept] == sorted(mark.n for mark in kept)
    assert thin_marks(marks, 101) == tuple(marks)


def test_a_long_course_is_told_in_few_points() -> None:
    """Every second, fourth, … entry, and always the newest."""
    course, stretch = Course("a", "", ()), Chronicle()
    memory = Memory(PACKS)
    for n in range(1, 1502):
        stretch.note_figures(memory, n)
    course.end(1501, 1502, stretch)
    answer: Timeline = course.timeline(1502)
    assert answer.every == 4
    assert answer.series["n"][:3] == [1, 5, 9]
    assert answer.series["n"][-1] == 1501
