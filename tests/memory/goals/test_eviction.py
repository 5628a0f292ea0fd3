"""The limits of work: what holds after every entry, and which rung it took."""

from __future__ import annotations

import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import Entry, EpisodeOpened, MemoryCompacted, SettingsChanged
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.goals import eviction
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from tests.support.logs.limits import measured
from tests.support.logs.logs import PACKS, folded, numbered, opened, talk
from tests.support.logs.works import close, goal, run, step, task, tiny, works


def limits_hold(memory: Memory) -> None:
    """Every limit of the layer, measured anew."""
    limits = memory.settings.limits
    store = memory.episodes
    assert eviction.session_size(memory) == measured(memory) <= limits.session.cap
    assert len(store.archived) <= limits.archive.items
    assert len(memory.insights.by_ref) <= limits.insights
    assert len(store.open) <= limits.open_episodes
    archived = [store.by_ref[ref] for ref in store.archived]
    assert store.archive_size == sum(episode.size for episode in archived)
    assert store.archive_size <= limits.archive.cap
    failed: set[int] = set()
    for ref in store.open:
        row = store.by_ref[ref]
        assert row.status == "open"
        assert row.parent is None or store.by_ref[row.parent].status == "open"
        assert row.parent is None or row.parent < row.ref
        assert all(earlier < row.ref for earlier in row.after)
        if row.work is None:
            continue
        assert len(row.work.runs) <= limits.tool_history
        assert len(row.work.steps) <= limits.steps
        assert len(row.work.failed) <= limits.failed_tasks
        assert len(row.work.context) <= limits.context_text
        failed |= set(row.work.failed)
    closed = {
        ref
        for ref, episode in store.by_ref.items()
        if episode.status != "open" and not episode.talk
    }
    assert closed == {*store.archived, *failed}
    for episode in archived:
        assert episode.work is None or not (
            episode.work.runs or episode.work.steps or episode.work.failed
        )
        assert episode.work is None or len(episode.work.context) <= limits.archived_text


@given(works(), tiny())
def test_every_limit_holds_after_every_entry(log: list[Entry], limits: dict[str, Any]) -> None:
    """However small: sizes are as measured anew, caps are held, details hang together."""
    memory = Memory(PACKS)
    for record in numbered([opened(limits=limits), *log]):
        apply(memory, record)
        limits_hold(memory)


@given(works(), tiny(), st.integers(0, 61))
def test_a_restored_memory_works_on_as_the_live_one(
    log: list[Entry], limits: dict[str, Any], cut: int
) -> None:
    """fold(a + b) = fold(load(dump(fold(a))), b), facts included."""
    records = numbered([opened(limits=limits), *log])
    live, _ = folded(records[:cut])
    restored = load(dump(live), PACKS, live.seq)
    assert dump(restored) == dump(live)
    for record in records[cut:]:
        assert apply(restored, record) == apply(live, record)
    assert dump(restored) == dump(live)


@given(works(), tiny())
def test_facts_of_work_are_plain_and_stay_as_they_were(
    log: list[Entry], limits: dict[str, Any]
) -> None:
    """A fact is JSON when it is told, and the same JSON when all is folded."""
    memory = Memory(PACKS)
    dumped: list[tuple[Fact, str]] = []
    for record in numbered([opened(limits=limits), *log]):
        dumped += [(fact, json.dumps(fact.data)) for fact in apply(memory, record)]
    for fact, text in dumped:
        assert json.dumps(fact.data) == text


def limit_facts(facts: list[Fact]) -> list[dict[str, object]]:
    return [fact.data for fact in facts if fact.kind == "limit.held"]


def capped(cap: int, **more: object) -> dict[str, Any]:
    return {"limits": {"session": {"cap": cap, "warn": cap * 8 // 10, "target": cap // 2}, **more}}


def test_the_cap_is_restored_and_the_essentials_stay() -> None:
    """Past the cap compaction runs, ends below it, and counts, errors and time range are whole."""
    records = talk(
        goal("Count doors"), *(run(k) for k in range(400)), **capped(900, tool_history=1000)
    )
    memory, facts = folded(records)
    assert measured(memory) <= 900
    assert limit_facts(facts)
    work = memory.episodes.by_ref[1].work
    assert work is not None
    assert (work.tally.runs, work.tally.ok) == (400, 360)
    assert sum(work.tally.tools.values()) == 400
    assert work.tally.errors == {"ValidationError": 40}
    assert (work.tally.first, work.tally.last) == (2, 401)
    assert work.tally.first_at == "2026-01-05T09:00:00Z"


def test_one_active_goal_does_not_trigger_each_operation() -> None:
    """With nothing to archive, the way back to the cap is as long as target lies below it."""
    records = talk(
        goal("Count doors"), *(run(k) for k in range(400)), **capped(600, tool_history=1000)
    )
    memory, facts = folded(records)
    assert measured(memory) <= 600
    assert 1 <= len(limit_facts(facts)) <= 60
    first = [fact.n for fact in facts if fact.kind == "limit.held"]
    assert all(later - earlier > 4 for earlier, later in itertools.pairwise(first))


def test_a_cap_below_the_target_does_not_trigger_each_operation_either() -> None:
    """A lower cap alone leaves the target above it: the way back is a tenth of the cap, then."""
    log: list[Entry] = [
        goal("Count doors"),
        *(step(f"Look at floor {k} again.") for k in range(400)),
    ]
    memory, facts = folded(talk(*log, limits={"session": {"cap": 600}, "steps": 1000}))
    assert measured(memory) <= 600
    assert len(limit_facts(facts)) <= 60


def test_a_warning_is_told_once_a_crossing() -> None:
    """Not again with each entry over the line, but again after the size was below the target."""
    records = talk(
        goal("Count doors"), *(run(k) for k in range(60)), **capped(600, tool_history=1000)
    )
    _, facts = folded(records)
    warned = [fact for fact in facts if fact.kind == "limit.warned"]
    assert len(warned) == len(limit_facts(facts)) + 1 or len(warned) == len(limit_facts(facts))
    assert warned[0].data["limit"] == "limits.session"
    assert warned[0].data["cap"] == 600


def test_each_rung_is_climbed_only_when_the_ones_below_do_not_do() -> None:
    """Details are clipped, then counted; steps go, closed goals shrink, go; contexts last."""
    seen: set[object] = set()
    log: list[Entry] = []
    for number in range(8):
        log.append(goal(f"Goal {number} of many"))
        log += [run(k, content="a long tale " * 40) for k in range(6)]
        log += [step(f"Think of {k} " * 12, discovered={f"fact {k}": "y" * 90}) for k in range(6)]
        log.append(close(result="It came to this and that. " * 12))
    for cap in (1, 30, 100, 200, 400, 700):
        _, facts = folded(talk(*log, **capped(cap)))
        seen |= {data["rung"] for data in limit_facts(facts)}
    assert seen == {"clip", "tally", "summary", "archive", "evict", "refuse"}


def test_phases_outlive_goals_and_goals_tasks_in_the_archive() -> None:
    """The lightest kind goes first, the oldest of a kind."""
    log: list[Entry] = []
    for number in range(3):
        log += [task(f"Task {number}"), close()]
        log += [goal(f"Goal {number}"), close()]
        log += [EpisodeOpened(participant="ana", episode="phase", title=f"Phase {number}"), close()]
    memory, _ = folded(talk(*log, limits={"archive": {"items": 5}}))
    kept = [memory.episodes.by_ref[ref].title for ref in memory.episodes.archived]
    assert kept == ["Phase 0", "Goal 1", "Phase 1", "Goal 2", "Phase 2"]
    assert memory.episodes.evicted == 4


def test_compaction_on_request_goes_down_to_the_target() -> None:
    """An operator's wish needs no cap to be crossed."""
    log: list[Entry] = [goal("Count doors"), *(run(k) for k in range(20)), MemoryCompacted()]
    memory, facts = folded(talk(*log, limits={"session": {"target": 100}}))
    assert measured(memory) <= 100
    assert limit_facts(facts)[0]["rung"] in ("clip", "tally")


def test_a_lower_limit_holds_over_what_is_archived_already() -> None:
    """The contexts of closed goals, and of failed tasks that are still told in full."""
    memory, _ = folded(
        talk(
            goal("Doors"),
            step(discovered={"disk": "slow", "lamp": "green"}),
            close(),
            task("Count"),
            task("Count the doors", parent="E2"),
            step(discovered={"desk": "wooden", "door": "open"}),
            close(status="failed"),
            SettingsChanged(settings={"limits": {"archived_text": 12}}),
        )
    )
    limits_hold(memory)
    contexts = [
        episode.work.context
        for episode in memory.episodes.by_ref.values()
        if episode.work is not None
    ]
    assert contexts == ["lamp: green", "", "door: open"]
