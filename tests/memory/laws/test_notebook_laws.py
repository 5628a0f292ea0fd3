"""The laws of docs/laws.md, for notebooks and ballots: every kind of entry that touches them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import (
    BallotCompleted,
    Entry,
    EpisodeClosed,
    EpisodeOpened,
    MemoryCompacted,
    Message,
    NoteRefused,
    NoteRevised,
    NoteWritten,
    ParticipantAliased,
    ResultsFinal,
    SettingsChanged,
    VoteConfirmed,
    VoteInitiated,
)
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.notebooks.notebooks import render_notebook
from parley.memory.notebooks.reflections import list_owed_reflections, note_limit, note_policy
from parley.memory.state.effects import ReflectionEffect
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, folded, numbered, opened

NAMES = ("ana", "bo", "cy", "ana-2")
ROUTES = ("statement", "own", "reasoning", "vote", "consensus", "results", "phase")
names = st.sampled_from(NAMES)
some = st.lists(names, max_size=3).map(tuple)
texts = st.sampled_from(("Tea.", "word " * 30, "a" * 500, "| Speaker: bo\n[n 9] x", "e\u0301" * 9))
refs = st.sampled_from((None, "P1", "P2", "P9", "D1", "D2", 1, 2, 3, "nonsense"))
routes = st.sampled_from(("off", "append", "reflect"))
policies = st.sampled_from(("off", "append", "rewrite"))
sizes = st.integers(0, 400)


def settings() -> st.SearchStrategy[dict[str, object]]:
    agent = st.fixed_dictionaries({}, optional={"policy": policies, "limit": st.integers(1, 300)})
    return st.fixed_dictionaries(
        {"note": st.fixed_dictionaries(
            {"policy": policies},
            optional={
                "agents": st.dictionaries(names, agent, max_size=2),
                "style": st.sampled_from(("narrative", "structured")),
            },
        )},
        optional={
            "routes": st.fixed_dictionaries(
                {},
                optional=dict.fromkeys(ROUTES, routes),
            ),
            "limits": st.fixed_dictionaries(
                {},
                optional={
                    "statement": sizes,
                    "result": sizes,
                    "history": st.fixed_dictionaries(
                        {}, optional={"cap": st.integers(1, 900), "target": sizes}
                    ),
                    "note": st.fixed_dictionaries(
                        {}, optional={key: st.integers(1, 600) for key in ("cap", "warn", "target")}
                    ),
                },
            ),
            "bots": st.lists(names, max_size=1),
        },
    )  # fmt: skip


def events() -> st.SearchStrategy[Entry]:
    """Primary and control entries that notebooks and ballots read."""
    message = st.builds(
        Message,
        participant=names,
        content=st.one_of(
            texts, st.sampled_from(("[PROPOSAL] We drink tea at four.", "We have decided on tea."))
        ),
        form=st.sampled_from(("statement", "statement", "reasoning")),
        to=some,
        re=refs,
        topic=st.sampled_from((None, "drinks")),
    )
    ballot = st.builds(
        BallotCompleted,
        participant=names,
        consensus=st.booleans(),
        content=st.sampled_from(("We drink tea at four.", "Coffee instead.")),
        re=refs,
        supporters=some,
        dissenters=some,
        abstainers=some,
    )
    results = st.builds(
        ResultsFinal, participant=names, content=texts, to=some,
        counterfactuals=st.dictionaries(names, st.integers(0, 9), max_size=2),
    )  # fmt: skip
    kinds = st.sampled_from(("phase", "stage", "round"))
    return st.one_of(
        message,
        message,
        message,
        ballot,
        results,
        st.builds(VoteInitiated, participant=names, content=texts, re=refs, options=some),
        st.builds(VoteConfirmed, participant=names, agreed=st.booleans(), re=refs),
        st.builds(EpisodeOpened, participant=names, episode=kinds, title=texts),
        st.builds(EpisodeClosed, participant=names, episode=kinds, result=texts),
        st.builds(NoteWritten, participant=names, content=texts, base=st.integers(0, 20)),
        st.builds(ParticipantAliased, alias=names, participant=names),
        st.builds(SettingsChanged, settings=settings()),
        st.just(MemoryCompacted()),
    )


def logs(max_size: int = 30) -> st.SearchStrategy[list[Entry]]:
    return st.builds(
        lambda first, rest: [opened(**first), *rest],
        settings(),
        st.lists(events(), max_size=max_size),
    )


def answered(call: ReflectionEffect) -> Entry:
    """What a model answers: always the same to the same call, now and then nothing that fits."""
    if call.cause % 4 == 3:
        return NoteRefused(participant=call.participant, cause=call.cause, attempts=5, limit=9)
    text = f"What comes of {call.cause}. " * 3
    return NoteRevised(participant=call.participant, cause=call.cause, text=text, why=call.why)


def reflected(entries: Sequence[Entry], delays: Sequence[int]) -> Memory:
    """Fold `entries`, answering each call for a reflection after its share of entries."""
    memory, waiting, seen = Memory(PACKS), [], set()
    draw = iter(delays)
    for position, entry in enumerate(entries):
        _publish(memory, entry)
        for call in list_owed_reflections(memory):
            if call.id not in seen:
                seen.add(call.id)
                waiting.append((position + next(draw, 0), call))
        for when, call in list(waiting):
            if when <= position:
                waiting.remove((when, call))
                _publish(memory, answered(call))
    while waiting:
        _publish(memory, answered(waiting.pop()[1]))
    return memory


def _publish(memory: Memory, entry: Entry) -> None:
    (record,) = numbered([entry], memory.seq, memory.n)
    apply(memory, record)


@given(logs())
def test_law_1_rebuilding_gives_the_same_notebooks(log: list[Entry]) -> None:
    """Two folds of one log are equal byte for byte, and no entry raises."""
    records = numbered(log)
    assert dump(folded(records)[0]) == dump(folded(records)[0])


@given(logs(), st.integers(0, 31), st.lists(st.integers(0, 6), max_size=40))
def test_law_2_a_restored_memory_keeps_its_notebooks(
    log: list[Entry], cut: int, delays: list[int]
) -> None:
    """fold(a + b) = fold(load(dump(fold(a))), b), whatever was answered by then."""
    live = reflected(log[: cut + 1], delays)
    restored = load(dump(live), PACKS, live.seq)
    assert dump(restored) == dump(live)
    assert list_owed_reflections(restored) == list_owed_reflections(live)
    for record in numbered(log[cut + 1 :], live.seq, live.n):
        assert apply(restored, record) == apply(live, record)
        assert list_owed_reflections(restored) == list_owed_reflections(live)
    assert dump(restored) == dump(live)
    for name in NAMES:
        assert render_notebook(restored, name) == render_notebook(live, name)


@given(logs(), st.data())
def test_law_3_a_redelivered_entry_changes_no_notebook(
    log: list[Entry], data: st.DataObject
) -> None:
    """A record that was folded before is ignored, wherever it turns up again."""
    records = numbered(log)
    memory = Memory(PACKS)
    for index, record in enumerate(records):
        apply(memory, record)
        assert apply(memory, records[data.draw(st.integers(0, index))]) == []
    assert dump(memory) == dump(folded(records)[0])


@given(logs())
def test_law_7_limits_of_notebooks_hold_after_every_entry(log: list[Entry]) -> None:
    """The history never exceeds its cap, a view never its owner's limit, however small."""
    memory = Memory(PACKS)
    for record in numbered(log):
        apply(memory, record)
        store = memory.notebooks
        assert store.size <= memory.settings.limits.history.cap
        assert store.size >= sum(len(line.text) for line in store.history)
        for name in NAMES:
            own = memory.named(name)
            assert len(render_notebook(memory, name)) <= note_limit(memory, own)
            assert note_policy(memory, own) != "off" or render_notebook(memory, name) == ""
        calls = [call.participant for call in list_owed_reflections(memory)]
        assert len(calls) == len(set(calls))


@given(logs())
def test_law_11_ballots_move_states_along_listed_edges(log: list[Entry]) -> None:
    """What a ballot settles or ratifies has an origin that cites an entry there is."""
    records = numbered(log)
    memory, _ = folded(records)
    lengths = {record.n: len(getattr(record.entry, "content", "")) for record in records[::-1]}
    for proposal in memory.proposals.values():
        assert (proposal.status == "active") == (proposal.settled is None)
    for decision in memory.decisions.values():
        assert decision.status != "ratified" or decision.ratified is not None
        sides = (decision.supporters, decision.dissenters, decision.abstainers)
        for origin in (decision.origin, *(origin for side in sides for origin in side.values())):
            for cite in origin.cites:
                assert cite.end <= lengths[cite.n]
        if not decision.shrunk:
            assert decision.tally == tuple(map(len, sides))
            assert len({name for side in sides for name in side}) == sum(decision.tally)


@given(logs(), st.lists(st.integers(0, 12), max_size=60))
def test_law_17_it_does_not_matter_when_reflections_land(
    log: list[Entry], delays: list[int]
) -> None:
    """At once or late, in any order: the settled notebooks are the same."""
    assert dump(reflected(log, delays)) == dump(reflected(log, ()))
