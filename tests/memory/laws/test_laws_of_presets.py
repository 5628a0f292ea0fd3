"""The laws again, under every preset: entries of all kinds, limits absurdly small."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast, get_args

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.bus.entries import DERIVED, PRIMARY, Entry, LessonImported
from parley.memory.context.context import Profile, Request, assemble
from parley.memory.context.item_lines import FRAME
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.settings.presets import PRESETS
from parley.memory.state.item_state import Cite
from parley.memory.state.memory import Memory
from tests.support.logs.answers import settled
from tests.support.logs.limits import over
from tests.support.logs.logs import PACKS, folded, numbered
from tests.support.logs.mixed import (
    CONTROL_MAKERS,
    DERIVED_MAKERS,
    ENTRY,
    SETTLED_MAKERS,
    TIMED_MAKERS,
    bodies,
    hostile,
    logs,
    opening,
)
from tests.support.logs.quotations import CANARY, PIECES, tainted, unquoted

PROFILES: tuple[Profile, ...] = get_args(Profile)


def presets(test: Callable[..., None]) -> Callable[..., None]:
    """`test` under each preset, with an eighth of the usual examples for each."""
    fewer = settings(max_examples=settings().max_examples // 8)
    under_each: Callable[..., None] = pytest.mark.parametrize("preset", PRESETS)(fewer(test))
    return under_each


# Between these a context's prefix is the same bytes.
EPOCHS = {
    "summary.made", "decision.ratified", "decision.disputed", "decision.superseded",
    "item.corrected", "participant.aliased", "settings.changed", "note.revised",
    "episode.closed", "lesson.imported", "text.condensed", "entry.redacted", "limit.held",
}  # fmt: skip


@presets
@given(data=st.data())
def test_law_1_rebuilding_gives_the_same_bytes(preset: str, data: st.DataObject) -> None:
    """Two folds of one log are equal byte for byte."""
    records = numbered(data.draw(logs(preset)))
    assert dump(folded(records)[0]) == dump(folded(records)[0])


@presets
@given(data=st.data(), cut=st.integers(0, 50))
def test_law_2_a_restored_memory_folds_on(preset: str, data: st.DataObject, cut: int) -> None:
    """fold(a + b) = fold(load(dump(fold(a))), b), facts included."""
    records = numbered(data.draw(logs(preset)))
    live, _ = folded(records[:cut])
    restored = load(dump(live), PACKS, live.seq)
    assert dump(restored) == dump(live)
    for record in records[cut:]:
        assert apply(restored, record) == apply(live, record)
    assert dump(restored) == dump(live)


@presets
@given(data=st.data())
def test_law_3_redelivered_records_change_nothing(preset: str, data: st.DataObject) -> None:
    """A record that was folded before is ignored, wherever it turns up again."""
    records = numbered(data.draw(logs(preset)))
    memory = Memory(PACKS)
    for index, record in enumerate(records):
        apply(memory, record)
        assert apply(memory, records[data.draw(st.integers(0, index))]) == []
    assert dump(memory) == dump(folded(records)[0])


@presets
@given(data=st.data())
def test_law_4_whatever_is_kept_cites_what_was_said(preset: str, data: st.DataObject) -> None:
    """Each cite names a primary entry that exists; a span lies within its words."""
    records = numbered(data.draw(logs(preset)))
    memory, _ = folded(records)
    contents = {
        record.n: getattr(record.entry, "content", "")
        for record in records
        if record.entry.kind in PRIMARY
    }
    for cite in _cites(memory):
        assert cite.n in contents
        assert 0 <= cite.start <= cite.end <= len(contents[cite.n])
    for n in _numbers(memory):
        assert n in contents


def _cites(memory: Memory) -> list[Cite]:
    cites: list[Cite] = []
    for proposal in memory.proposals.values():
        origins = [proposal.origin, *(reaction.origin for reaction in proposal.reactions.values())]
        origins += [proposal.settled] if proposal.settled else []
        assert all(origin.cites for origin in origins)
        cites += [cite for origin in origins for cite in origin.cites]
    for decision in memory.decisions.values():
        sides = (decision.supporters, decision.dissenters, decision.abstainers)
        origins = [decision.origin, *(origin for side in sides for origin in side.values())]
        origins += [origin for origin in (decision.ratified, decision.disputed) if origin]
        assert all(origin.cites for origin in origins)
        cites += [cite for origin in origins for cite in origin.cites]
    for person in memory.participants.values():
        cites += [*person.contributions, *(position.cite for position in person.positions.values())]
    ledger = ledger_of(memory)
    for shown in (*ledger.proposals(), *ledger.decisions()):
        shown_sides = (*shown.sides.values(), *shown.earlier_sides)
        origins = [shown.origin, *shown.again, *(side.origin for side in shown_sides)]
        origins += [origin for origin in (shown.confirmed, shown.denied) if origin is not None]
        origins += [ending.origin for ending in (shown.ending, *shown.outcomes) if ending]
        cites += [cite for origin in origins for cite in origin.cites]
    for grant in ledger.grants:
        cites += grant.origin.cites
    for task in ledger.tasks:
        cites += task.origin.cites
    for insight in memory.insights.by_ref.values():
        assert insight.cites
        cites += insight.cites
    return cites


def _numbers(memory: Memory) -> list[int]:
    """The entries that lines, episodes, runs, steps, results and contexts name."""
    numbers = [line.n for line in memory.notebooks.history]
    for episode in memory.episodes.by_ref.values():
        numbers += [episode.opened, *([episode.closed] if episode.closed is not None else [])]
        if episode.work is not None:
            numbers += [run.n for run in episode.work.runs] + [
                step.n for step in episode.work.steps
            ]
    numbers += [cached.n for cached in memory.tools.cached.values()]
    numbers += [call.n for call in memory.tools.calls.values()]
    numbers += [
        injection.n for shown in memory.tools.injected.values() for injection in shown.values()
    ]
    return numbers


@presets
@given(data=st.data(), pace=st.lists(st.integers(0, 80), max_size=50))
def test_law_5_ranges_of_a_level_partition_their_prefix(
    preset: str, data: st.DataObject, pace: list[int]
) -> None:
    """Summaries of a level follow one another without gap or overlap."""
    talk = settled(data.draw(logs(preset, makers=TIMED_MAKERS)), pace)
    made_of = [
        cast("Any", summary_made)
        for summary_made in talk.published
        if summary_made.kind == "summary.made"
    ]
    for level in {entry.level for entry in made_of}:
        ranges = sorted({(entry.first, entry.last) for entry in made_of if entry.level == level})
        assert ranges[0][0] == 1
        assert all(last + 1 == first for (_, last), (first, _) in pairwise(ranges))


@presets
@given(data=st.data())
def test_law_7_every_limit_holds_after_every_entry(preset: str, data: st.DataObject) -> None:
    """However small, and whatever landed or changed: measured from the state itself."""
    memory = Memory(PACKS)
    for record in numbered(data.draw(logs(preset))):
        before = len(memory.episodes.open)
        apply(memory, record)
        assert over(memory) == [], record.entry
        most = memory.settings.limits.open_episodes
        assert len(memory.episodes.open) <= max(most, before)


@presets
@given(data=st.data(), extra=st.integers(0, 4000), profile=st.sampled_from(PROFILES))
def test_law_8_a_context_never_exceeds_its_budget(
    preset: str, data: st.DataObject, extra: int, profile: Profile
) -> None:
    """Any budget from the floor up holds, and what was left out is counted in the text."""
    records = numbered(data.draw(logs(preset)))
    memory, _ = folded(records)
    for participant in ("ana", None):
        context = assemble(memory, Request(participant, profile, 250 + extra, records))
        assert context.size <= 250 + extra
        left_out = sum(context.dropped.values()) + sum(context.shortened.values())
        marker = next((block.text for block in context.blocks if block.name == "left out"), "")
        assert sum(map(int, re.findall(r"(\d+) (?:of|others)\b", marker))) == left_out


@presets
@given(data=st.data(), pace=st.lists(st.integers(0, 80), max_size=50))
def test_law_9_the_prefix_is_stable_between_epochs(
    preset: str, data: st.DataObject, pace: list[int]
) -> None:
    """The part before the breakpoint changes only with an epoch's own entries."""
    stray = data.draw(bodies(6, DERIVED_MAKERS))
    talk = settled([*data.draw(logs(preset, makers=TIMED_MAKERS)), *stray], pace)
    memory = Memory(PACKS)
    before = _prefixes(memory)
    for record in numbered(talk.published):
        facts = apply(memory, record)
        after = _prefixes(memory)
        kinds = {record.entry.kind, *(fact.kind for fact in facts)}
        if not kinds & {*EPOCHS, "session.opened", "memory.compacted"}:
            assert after == before, record.entry
        before = after


def _prefixes(memory: Memory) -> list[str]:
    requests = [Request("ana", profile) for profile in PROFILES]
    return [assemble(memory, request).prefix_hash for request in requests]


@presets
@given(data=st.data(), profile=st.sampled_from(PROFILES))
def test_law_10_no_content_leaves_its_fence(
    preset: str, data: st.DataObject, profile: Profile
) -> None:
    """Whatever any entry holds, no line of a context is of its making."""
    records = numbered(data.draw(logs(preset)))
    memory, _ = folded(records)
    text = assemble(memory, Request("ana", profile, 20_000, records)).text
    lines = text.removeprefix(FRAME).splitlines()
    assert not [line for line in lines if line.startswith("- D9") or line == "## forged"]
    headings = [line for line in lines if line.startswith("#")]
    assert len(headings) == len(set(headings)), "a heading that stands twice is forged"
    for char in "\x1b\u202e\x00":
        assert char not in text


@presets
@given(data=st.data(), profile=st.sampled_from(PROFILES), words=st.lists(st.sampled_from(PIECES)))
def test_law_10_what_participants_wrote_is_quoted(
    preset: str, data: st.DataObject, profile: Profile, words: list[str]
) -> None:
    """Names of votes, goals and proposals, reasons, results: behind a bar or in quotation marks."""
    hostile = f"{CANARY} {''.join(words)} {CANARY} "
    log = [tainted(entry, hostile) for entry in data.draw(logs(preset))]
    records = numbered(log)
    memory, _ = folded(records)
    text = assemble(memory, Request("ana", profile, 20_000, records)).text
    assert CANARY not in unquoted(text)


@presets
@given(data=st.data())
def test_law_11_an_episode_closes_once_and_says_when(preset: str, data: st.DataObject) -> None:
    """open → completed, failed, superseded or abandoned, by an entry that stands in the log."""
    memory = Memory(PACKS)
    ended: dict[int, str] = {}
    for record in numbered(data.draw(logs(preset))):
        apply(memory, record)
        store = memory.episodes
        assert sorted(store.open) == sorted(
            ref for ref, episode in store.by_ref.items() if episode.status == "open"
        )
        for ref, episode in store.by_ref.items():
            assert ref <= store.last
            assert episode.opened <= record.n
            assert ended.get(ref, episode.status) == episode.status
            if episode.status == "open":
                assert episode.closed is None
                assert (
                    episode.parent is None
                    or memory.episodes.by_ref[episode.parent].status == "open"
                )
            else:
                assert episode.closed is not None
                assert episode.opened <= episode.closed <= record.n
                ended[ref] = episode.status
        assert not ended.keys() & set(store.open)


@presets
@given(data=st.data(), cut=st.integers(1, 50))
def test_law_14_a_past_moment_ignores_what_came_later(
    preset: str, data: st.DataObject, cut: int
) -> None:
    """at(n) is the fold of the prefix: bytes and facts up to it are the same whatever follows."""
    records = numbered(data.draw(logs(preset)))
    memory, before = folded(records[:cut])
    then = dump(memory)
    _, facts = folded(records)
    assert facts[: len(before)] == before
    assert dump(folded(records[:cut])[0]) == then


@presets
@given(data=st.data(), pace=st.lists(st.integers(0, 80), max_size=50))
def test_law_17_interleaving_of_derived_entries_does_not_matter(
    preset: str, data: st.DataObject, pace: list[int]
) -> None:
    """Summaries, revisions and shorter forms may land at once or late, in any order.

    As long as what was owed stays owed, or is overtaken: no entry switches a
    notebook off or takes the name from its owner.
    """
    log = data.draw(logs(preset, makers=SETTLED_MAKERS))
    assert dump(settled(log, pace).memory) == dump(settled(log).memory)


@presets
@given(data=st.data(), delays=st.lists(st.integers(0, 12), max_size=80))
def test_law_17_the_same_results_may_land_in_any_order(
    preset: str, data: st.DataObject, delays: list[int]
) -> None:
    """Refusals among them: what is published late, or behind a newer one, changes nothing."""
    at_once = settled(data.draw(logs(preset, makers=CONTROL_MAKERS)), refuses=True)
    late: list[tuple[int, int, Entry]] = []
    delay = iter(delays)
    for index, entry in enumerate(at_once.published):
        later = next(delay, 0) if entry.kind in DERIVED else 0
        late.append((index + later, index, entry))
    log = [entry for _, _, entry in sorted(late, key=lambda row: row[:2])]
    assert dump(folded(numbered(log))[0]) == dump(at_once.memory)


@presets
@given(data=st.data())
def test_law_17_lessons_may_come_in_any_order(preset: str, data: st.DataObject) -> None:
    """Which lessons stand does not depend on when each was imported."""
    log = data.draw(logs(preset, max_size=16, makers=TIMED_MAKERS))
    lessons = [e for e in data.draw(bodies(24, DERIVED_MAKERS)) if isinstance(e, LessonImported)]
    late = [*log, *data.draw(st.permutations(lessons))]
    early = list(log)
    for lesson in lessons:
        early.insert(data.draw(st.integers(1, len(early))), lesson)
    assert dump(folded(numbered(early))[0]) == dump(folded(numbered(late))[0])


@presets
@given(data=st.data())
def test_no_entry_raises_whatever_a_stranger_wrote(preset: str, data: st.DataObject) -> None:
    """Values of any size and shape fold, are told as facts, save, load and show."""
    strange = st.one_of(hostile(), hostile(), ENTRY)
    records = numbered([opening(preset, {}), *data.draw(st.lists(strange, max_size=16))])
    memory, facts = folded(records)
    for fact in facts:
        orjson.dumps(fact.data)
    restored = load(dump(memory), PACKS, memory.seq)
    assert dump(restored) == dump(memory)
    for profile in PROFILES:
        assemble(memory, Request("ana", profile, recent=records))
