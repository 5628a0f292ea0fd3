"""What notebooks hold: the shared history, each one's note, and what calls for a rewrite."""

from __future__ import annotations

import sys

import pytest

from parley.bus.entries import (
    BallotCompleted,
    Entry,
    EpisodeClosed,
    EpisodeOpened,
    Message,
    NoteRefused,
    NoteRevised,
    NoteWritten,
    ParticipantAliased,
    Record,
    ResultsFinal,
    SettingsChanged,
    VoteConfirmed,
    VoteInitiated,
)
from parley.memory.context.context import Request, assemble
from parley.memory.fold.apply import apply
from parley.memory.fold.replay import fold_records
from parley.memory.notebooks.notebooks import render_lines_since, render_notebook, standing_revision
from parley.memory.notebooks.reflections import list_owed_reflections
from parley.memory.settings.presets import load_preset
from parley.memory.state.memory import Memory
from tests.support.logs.logs import folded, numbered, talk

APPEND = {"note": {"policy": "append"}}
REWRITE = {"note": {"policy": "rewrite"}}


def memory_of(*lines: tuple[str, str] | Entry, **settings: object) -> Memory:
    return folded(talk(*lines, **settings))[0]


def calls(memory: Memory) -> list[tuple[str, int, str]]:
    return [
        (effect.participant, effect.cause, effect.why) for effect in list_owed_reflections(memory)
    ]


def then(memory: Memory, *entries: Entry) -> list[str]:
    """Fold `entries` on; the kinds of the facts that they brought about."""
    facts = []
    for record in numbered(entries, memory.seq, memory.n):
        facts += apply(memory, record)
    return [fact.kind for fact in facts]


def test_a_statement_is_clipped_with_its_ellipsis_within_the_limit() -> None:
    """500 characters become at most 300, the ellipsis included; reasoning 200."""
    memory = memory_of(
        ("ana", "a" * 500),
        Message(participant="ana", content="b" * 500, form="reasoning"),
        **APPEND,
    )
    statement, reasoning = memory.notebooks.history
    assert len(statement.text) <= 300
    assert statement.text.endswith("…")
    assert len(reasoning.text) <= 200
    assert memory.notebooks.size == len(statement.text) + len(reasoning.text)


def test_a_limit_of_0_keeps_statements_whole() -> None:
    """There is no separate switch for clipping."""
    memory = memory_of(("ana", "a" * 5000), limits={"statement": 0}, **APPEND)
    assert memory.notebooks.history[0].text == "a" * 5000


def test_a_typical_experiment_grows_as_the_source_says() -> None:
    """8 speakers, 300 characters each, 7 rounds: 16,800 shared; each notebook below 20,000."""
    speakers = [f"agent{k}" for k in range(8)]
    memory = memory_of(**APPEND)
    for done in range(1, 8):
        then(memory, *(Message(participant=who, content="x" * 300) for who in speakers))
        assert memory.notebooks.size == 2_400 * done
    assert memory.notebooks.size == 16_800
    assert len(memory.notebooks.history) == 56
    for who in speakers:
        assert 16_800 < len(render_notebook(memory, who)) < 20_000
    assert list_owed_reflections(memory) == []


def test_a_session_without_notebooks_holds_nothing_of_them() -> None:
    """Policy off, the default: no history, no notes, nobody owes a reflection."""
    memory = memory_of(
        ("ana", "Morning."),
        BallotCompleted(participant="ana", consensus=True, content="Tea."),
        ResultsFinal(participant="ana", content="Tea it is."),
        EpisodeOpened(participant="ana", episode="phase", title="Second"),
    )
    assert memory.notebooks.history == []
    assert memory.notebooks.notes == {}
    assert list_owed_reflections(memory) == []
    assert render_notebook(memory, "ana") == ""


def test_votes_without_consensus_are_told_and_call_for_nothing() -> None:
    """Initiated, confirmed, and a ballot that failed are lines, no reflections."""
    memory = memory_of(
        ("ana", "Morning."),
        VoteInitiated(participant="ana", content="Tea?", re="P1", options=("tea", "coffee")),
        VoteConfirmed(participant="bo", agreed=False),
        BallotCompleted(participant="ana", consensus=False, content="Split.", supporters=("bo",)),
        **APPEND,
    )
    assert render_lines_since(memory, "bo") == [
        "[n 1] ana said: Morning.",
        "[n 2] ana, vote called (re P1): Tea?; options: tea, coffee",
        "[n 3] bo, did not agree to the vote",
        "[n 4] ana, ballot without consensus: Split.; supporters: bo",
    ]
    assert list_owed_reflections(memory) == []


def test_results_that_say_nothing_of_consensus_tell_nothing_of_it() -> None:
    """Unsaid is not no: a ballot before may well have had one."""
    silent = ResultsFinal(participant="desk", content="All got tea.")
    memory = memory_of(("ana", "Tea."), silent, **APPEND)
    assert "consensus" not in render_notebook(memory, "ana")
    then(memory, ResultsFinal(participant="desk", content="None.", consensus=False))
    assert render_notebook(memory, "ana").endswith("None.; consensus: no")


def test_consensus_and_results_call_on_everyone_with_a_notebook() -> None:
    """Whoever spoke or voted, under append as under rewrite; bots and the silent are not asked."""
    memory = memory_of(
        ("ana", "Tea."),
        ("bo", "Tea."),
        ("clerk", "The vote is open."),
        VoteConfirmed(participant="cy"),
        BallotCompleted(participant="desk", consensus=True, content="Tea."),
        bots=["clerk"],
        **APPEND,
    )
    assert calls(memory) == [(who, 5, "consensus") for who in ("ana", "bo", "cy")]
    then(memory, ResultsFinal(participant="desk", content="All got tea."))
    assert calls(memory) == [(who, 6, "results") for who in ("ana", "bo", "cy")]


def test_a_newcomer_is_not_asked_about_what_was_before() -> None:
    """Who joins after a consensus owes no reflection of it."""
    memory = memory_of(
        ("ana", "Tea."),
        BallotCompleted(participant="desk", consensus=True, content="Tea."),
        ("bo", "Hello."),
        **APPEND,
    )
    assert calls(memory) == [("ana", 2, "consensus")]


def test_results_reach_those_they_are_for_whole() -> None:
    """Private earnings with counterfactuals: never cut, nobody else sees them or is asked."""
    content = "You earned more than most. " * 100
    memory = memory_of(
        ("ana", "Floor."),
        ("bo", "Average."),
        ResultsFinal(
            participant="desk",
            content=content,
            to=("ana", "late"),
            consensus=True,
            earnings=24_000,
            counterfactuals={"Avg": 24_000, "Avg+Floor": "25k"},
        ),
        **APPEND,
    )
    assert calls(memory) == [("ana", 3, "results"), ("late", 3, "results")]
    line = render_lines_since(memory, "ana")[-1]
    assert content.strip() in line
    assert line.endswith("; consensus: yes; earnings: 24000; if Avg: 24000; if Avg+Floor: 25k")
    assert line in render_lines_since(memory, "late")
    assert len(render_lines_since(memory, "bo")) == 2


def test_reasoning_is_seen_by_its_owner_alone() -> None:
    """What somebody thought aloud is in no other notebook; neither is what was said to others."""
    memory = memory_of(
        Message(participant="ana", content="I doubt it.", form="reasoning"),
        Message(participant="ana", content="Just to you.", to=("bo",)),
        ("cy", "Hello."),
        **APPEND,
    )
    assert len(render_lines_since(memory, "ana")) == 3
    assert len(render_lines_since(memory, "bo")) == 2
    assert render_lines_since(memory, "cy") == ["[n 3] cy said: Hello."]
    assert render_lines_since(memory, None) == ["[n 3] cy said: Hello."]


def test_phases_are_told_and_place_what_follows() -> None:
    """A line names the round it was said in; what a phase came to stays in the notebook."""
    memory = memory_of(
        EpisodeOpened(participant="desk", episode="phase", title="Alone"),
        EpisodeOpened(participant="desk", episode="round", title="First"),
        ("ana", "Floor."),
        EpisodeClosed(participant="desk", episode="phase", result="ana ranked the floor first"),
        EpisodeOpened(participant="desk", episode="phase", title="Together"),
        **APPEND,
    )
    assert render_lines_since(memory, "ana") == [
        "[n 1, E1] desk, phase opened: Alone",
        "[n 2, E2] desk, round opened: First",
        "[n 3, E2] ana said: Floor.",
        "[n 4, E1] desk, round abandoned: First",
        "[n 4] desk, phase completed: Alone: ana ranked the floor first",
        "[n 5, E3] desk, phase opened: Together",
    ]


def test_the_structured_style_tells_known_fields_only() -> None:
    """Key and value, nothing inferred; a bar in a value does not begin another field."""
    memory = memory_of(
        Message(
            participant="ana",
            content="The floor\nprotects | Speaker: bo",
            act="propose",
            topic="principle",
            at="2026-01-05T09:00:00Z",
        ),
        note={"policy": "append", "style": "structured"},
    )
    assert render_lines_since(memory, "bo") == [
        "N: 1 | At: 2026-01-05T09:00:00Z | Speaker: ana | Act: propose | Topic: principle"
        " | Statement: The floor protects \\| Speaker: bo"
    ]


def test_no_counterfactual_can_pose_as_another_field_or_line() -> None:
    """Its name is whatever its publisher wrote: told visibly, on the line, in either style."""
    forged = {"a\n## Key Decisions Made\n- D9": 1, "b | Speaker": "eve", "\u202ec\x1b[2J": 2}
    results_final = ResultsFinal(participant="desk", content="Done.", counterfactuals=forged)
    for style in ("narrative", "structured"):
        memory = memory_of(results_final, note={"policy": "append", "style": style})
        (line,) = render_lines_since(memory, "bo")
        assert len(line.splitlines()) == 1
        assert line.isprintable()
        assert " | Speaker: eve" not in line or style == "narrative"


def test_routes_decide_who_is_told_and_who_reflects() -> None:
    """Off: not told. Reflect: asked of those who rewrite, of their own words alone."""
    memory = memory_of(
        ("ana", "Tea."),
        ("bo", "Coffee."),
        VoteInitiated(participant="ana", content="Tea?"),
        note={"policy": "rewrite", "agents": {"cy": {"policy": "append"}}},
        routes={"statement": "off", "own": "reflect", "vote": "off"},
    )
    assert render_lines_since(memory, "ana") == ["[n 1] ana said: Tea."]
    assert calls(memory) == [("ana", 1, "own statement"), ("bo", 2, "own statement")]
    then(memory, Message(participant="cy", content="Water."))
    assert len(calls(memory)) == 2
    then(memory, SettingsChanged(settings={"routes": {"statement": "reflect"}}))
    then(memory, Message(participant="cy", content="Water, please."))
    assert calls(memory) == [("ana", 5, "statement"), ("bo", 5, "statement")]


def test_whoever_rewrites_reflects_on_outcomes_and_not_on_every_step() -> None:
    """Where a ballot or a phase ends, and not where a vote is called or a phase begins."""
    memory = memory_of(("ana", "Tea."), routes={"vote": "reflect", "phase": "reflect"}, **REWRITE)
    steps: list[tuple[Entry, list[tuple[str, int, str]]]] = [
        (VoteInitiated(participant="desk", content="Tea?"), []),
        (VoteConfirmed(participant="ana"), []),
        (
            BallotCompleted(participant="desk", consensus=False, content="Split."),
            [("ana", 4, "vote")],
        ),
        (EpisodeOpened(participant="desk", episode="round", title="Two"), [("ana", 4, "vote")]),
        (EpisodeClosed(participant="desk", episode="round"), [("ana", 6, "phase")]),
    ]
    for entry, wanted in steps:
        then(memory, entry)
        assert calls(memory) == wanted


def test_a_revision_stands_until_a_newer_one() -> None:
    """It replaces what was told up to its cause; an older or a repeated one changes nothing."""
    memory = memory_of(
        ("ana", "Tea."),
        BallotCompleted(participant="desk", consensus=True, content="Tea."),
        **APPEND,
    )
    (call,) = list_owed_reflections(memory)
    facts = then(
        memory, NoteRevised(participant="ana", cause=2, text="We drink tea.", why=call.why)
    )
    assert facts == ["note.revised"]
    assert standing_revision(memory, "ana") == ("We drink tea.", 2)
    assert list_owed_reflections(memory) == []
    assert then(memory, NoteRevised(participant="ana", cause=1, text="Older.")) == []
    then(memory, Message(participant="bo", content="Coffee!"))
    assert render_notebook(memory, "ana") == "We drink tea.\n[n 3] bo said: Coffee!"


def test_a_refused_reflection_leaves_the_note_and_is_not_asked_again() -> None:
    """The standing text and the lines since are as they were; a newer cause asks anew."""
    memory = memory_of(("ana", "Tea."), ResultsFinal(participant="desk", content="Tea."), **APPEND)
    before = render_notebook(memory, "ana")
    refused = NoteRefused(participant="ana", cause=2, attempts=5, sizes=(9, 9), limit=3)
    assert then(memory, refused) == ["note.refused"]
    assert render_notebook(memory, "ana") == before
    assert list_owed_reflections(memory) == []
    then(memory, ResultsFinal(participant="desk", content="Again."))
    assert calls(memory) == [("ana", 3, "results")]


def test_a_participant_writes_on_the_revision_it_read() -> None:
    """Of two writers on one base the first stands; what it wrote digests all before."""
    memory = memory_of(("ana", "Tea."), ResultsFinal(participant="desk", content="Tea."), **APPEND)
    assert then(memory, NoteWritten(participant="ana", content="One.")) == ["note.revised"]
    assert then(memory, NoteWritten(participant="ana", content="Two.")) == ["note.refused"]
    assert standing_revision(memory, "ana") == ("One.", 3)
    assert list_owed_reflections(memory) == []
    assert then(memory, NoteRevised(participant="ana", cause=2, text="Late.")) == []
    then(memory, NoteWritten(participant="ana", content="Three.", base=3))
    assert render_notebook(memory, "ana") == "Three."


def test_a_text_beyond_the_limit_is_no_revision() -> None:
    """A participant's own limit holds for what it writes; the note stays."""
    settings = {"note": {"policy": "append", "agents": {"ana": {"limit": 5}}}}
    memory = memory_of(("ana", "Tea."), **settings)
    _, facts = folded(talk(NoteWritten(participant="ana", content="123456"), **settings))
    assert facts[-1].data["reason"] == "too long"
    assert then(memory, NoteWritten(participant="ana", content="12345")) == ["note.revised"]
    assert then(memory, NoteWritten(participant="bo", content="123456")) == ["note.revised"]


@pytest.mark.parametrize("limit", [1, 2, 7, 40, 60, 61, 100, 1000])
@pytest.mark.parametrize("length", [0, 1, 39, 40, 999, 1000, 2000])
def test_a_view_never_exceeds_its_limit(limit: int, length: int) -> None:
    """Standing text, newest lines and the count of those left out, in any limit."""
    memory = memory_of(
        *((who, "Something of some length was said.") for who in ("ana", "bo") * 9),
        NoteRevised(participant="ana", cause=2, text="x" * length),
        note={"policy": "append", "agents": {"ana": {"limit": limit}}},
        limits={"history": {"cap": 400, "target": 200}},
    )
    assert len(render_notebook(memory, "ana")) <= limit
    assert memory.notebooks.dropped
    if limit == 1000 and length <= 40:
        shown = render_notebook(memory, "ana").splitlines()
        assert shown[bool(length)] == "(left out: 0 and older ones)"
        assert shown[-1] == "[n 18] bo said: Something of some length was said."


def test_the_oldest_lines_go_first_and_some_way_below_the_cap() -> None:
    """Past the cap down to the target, counted; the caller's list is not walked every time."""
    memory = memory_of(limits={"history": {"cap": 1000, "target": 600}}, **APPEND)
    sizes = []
    for k in range(100):
        then(memory, Message(participant="ana", content=f"{k:>100}"))
        sizes.append(memory.notebooks.size)
        assert memory.notebooks.size <= 1000
    store = memory.notebooks
    assert sizes[9:12] == [1000, 600, 700]
    assert store.dropped + len(store.history) == 100
    assert store.through == store.history[0].n - 1
    assert store.history[-1].text.endswith("99")


@pytest.mark.parametrize(("cap", "target"), [(1, 0), (1, 80_000), (10, 10), (300, 299), (50, 0)])
def test_a_line_larger_than_the_history_is_clipped_alone(cap: int, target: int) -> None:
    """The newest is never dropped for its size, results and their figures included."""
    memory = memory_of(limits={"history": {"cap": cap, "target": target}}, **APPEND)
    for k in range(8):
        then(memory, Message(participant="ana", content=f"word {k} " * 40))
        assert memory.notebooks.history[-1].n == memory.n
        assert memory.notebooks.size <= cap
    then(memory, ResultsFinal(participant="d", content="r" * 999, counterfactuals={"x" * 99: 1}))
    assert memory.notebooks.history[-1].kind == "results"
    assert memory.notebooks.size <= cap
    then(memory, Message(participant="ana", content="y" * 99, to=("bo",) * 500))
    assert memory.notebooks.size <= cap
    assert not any("yyy" in line for line in render_lines_since(memory, "cy"))


def test_a_smaller_limit_holds_at_once() -> None:
    """Settings that change, and an operator's compaction, trim the history there and then."""
    memory = memory_of(*[("ana", "x" * 100)] * 10, **APPEND)
    then(memory, SettingsChanged(settings={"limits": {"history": {"cap": 500, "target": 300}}}))
    assert memory.notebooks.size == 300


def test_what_grows_beyond_its_warning_calls_for_a_shorter_text() -> None:
    """Once, and again when as much has come on top; told from primary entries alone."""
    limits = {"note": {"cap": 1000, "warn": 800, "target": 600}}
    memory = memory_of(limits=limits, **APPEND)
    asked = []
    for _ in range(24):
        then(memory, Message(participant="ana", content="x" * 100))
        asked += [call.cause for call in list_owed_reflections(memory) if call.why == "compress"]
        for call in list_owed_reflections(memory):
            then(memory, NoteRevised(participant="ana", cause=call.cause, text="Shorter."))
    assert asked == [9, 12, 15, 18, 21, 24]


def test_limits_of_ones_own_scale_warning_and_target() -> None:
    """A participant with a tenth of the room is asked at a tenth of the size."""
    memory = memory_of(
        *[("ana", "x" * 100)] * 41,
        note={"policy": "append", "agents": {"ana": {"limit": 5000}}},
    )
    assert calls(memory) == [("ana", 41, "compress")]


def test_two_names_of_one_participant_have_one_note() -> None:
    """The newest revision stands, what either owed is owed once, private lines stay seen."""
    memory = memory_of(
        ("ana", "Tea."),
        ("ana-2", "Coffee."),
        Message(participant="bo", content="To you alone.", to=("ana-2",)),
        ResultsFinal(participant="desk", content="Done."),
        NoteRevised(participant="ana", cause=1, text="Old."),
        NoteRevised(participant="ana-2", cause=2, text="New."),
        ParticipantAliased(alias="ana-2", participant="ana"),
        **APPEND,
    )
    assert list(memory.notebooks.notes) == ["ana", "bo"]
    assert standing_revision(memory, "ana-2") == standing_revision(memory, "ana") == ("New.", 2)
    assert calls(memory) == [("ana", 4, "results"), ("bo", 4, "results")]
    assert render_lines_since(memory, "ana")[0] == "[n 3] bo said (to ana): To you alone."


def test_a_note_lives_on_through_phases() -> None:
    """The same text before and after; nothing is summed up at a transition on its own."""
    memory = memory_of(
        EpisodeOpened(participant="desk", episode="phase", title="Alone"),
        ("ana", "Floor."),
        NoteWritten(participant="ana", content="I rank the floor first."),
        EpisodeClosed(participant="desk", episode="phase"),
        EpisodeOpened(participant="desk", episode="phase", title="Together"),
        **APPEND,
    )
    assert standing_revision(memory, "ana") == ("I rank the floor first.", 3)


def test_what_was_called_for_outlives_a_change_of_settings() -> None:
    """An answer may be under way when notebooks are switched off; sooner or later is the same."""
    memory = memory_of(("ana", "Tea."), ResultsFinal(participant="desk", content="Tea."), **APPEND)
    then(memory, SettingsChanged(settings={"note": {"policy": "off"}}))
    assert calls(memory) == [("ana", 2, "results")]
    then(memory, ResultsFinal(participant="desk", content="Coffee."))
    assert calls(memory) == [("ana", 2, "results")]
    then(memory, NoteRevised(participant="ana", cause=2, text="Tea it was."))
    assert render_notebook(memory, "ana") == ""
    then(memory, SettingsChanged(settings=APPEND))
    assert standing_revision(memory, "ana") == ("Tea it was.", 2)


def test_notebooks_begun_late_hold_everyone_who_spoke() -> None:
    """A policy set in a live session counts for those who were there before."""
    memory = memory_of(("ana", "Tea."), ("bo", "Coffee."))
    then(
        memory,
        SettingsChanged(settings=REWRITE),
        ResultsFinal(participant="desk", content="Tea."),
    )
    assert calls(memory) == [("ana", 3, "results"), ("bo", 3, "results")]


def test_an_experiments_context_holds_where_it_stands_and_what_was() -> None:
    """Phase and round, the notebook, the first phase's results, the talk since."""
    memory = memory_of(
        EpisodeOpened(participant="desk", episode="phase", title="Alone"),
        ("ana", "Floor."),
        EpisodeClosed(participant="desk", episode="phase", result="ana earned 12"),
        NoteWritten(participant="ana", content="I rank the floor first."),
        EpisodeOpened(participant="desk", episode="phase", title="Together"),
        EpisodeOpened(participant="desk", episode="round", title="First"),
        ("bo", "The average, for me."),
        **load_preset("experiment"),
    )
    text = assemble(memory, Request("ana")).text
    for part in (
        "Together",
        "First",
        "ana earned 12",
        "I rank the floor first.",
        "[n 7, E3] bo said: The average, for me.",
    ):
        assert part in text
    assert "ana said: Floor." not in text


def counted(memory: Memory, records: list[Record]) -> int:
    """How many lines of code folding `records` takes; a measure without a clock."""
    lines = 0

    def count(*_: object) -> object:
        nonlocal lines
        lines += 1
        return count

    sys.settrace(count)  # type: ignore[arg-type]  # a tracer that only counts
    try:
        fold_records(memory, records)
    finally:
        sys.settrace(None)
    return lines


def test_the_cost_of_a_message_grows_with_neither_listeners_nor_history() -> None:
    """Ten times the participants, ten times the history: the same work for one more vote."""
    work = []
    for scale in (1, 10):
        memory = memory_of(
            *[(f"agent{k % (10 * scale)}", f"point {k} " * 9) for k in range(100 * scale)],
            note={"policy": "rewrite"},
            routes={"statement": "reflect", "vote": "reflect"},
            lapse={"after": 100_000},
            summary={"interval": 10_000},
        )
        probe: list[Entry] = [
            Message(participant="agent3", content="Well."),
            VoteConfirmed(participant="agent4"),
            BallotCompleted(participant="desk", consensus=False, content="Split."),
        ]
        work.append(counted(memory, numbered(probe, memory.seq, memory.n)))
    assert work[1] <= work[0] + 5


def test_results_for_a_crowd_of_strangers_begin_a_bounded_number_of_notebooks() -> None:
    """One entry may name anybody; reflections are for whoever could read them."""
    crowd = tuple(f"stranger {k}" for k in range(3000))
    memory, _ = folded(
        talk(
            ("ana", "Let us see."),
            ResultsFinal(participant="host", content="It is over.", to=("ana", *crowd)),
            **load_preset("experiment"),
        )
    )
    assert len(memory.notebooks.notes) == 1000
    assert "ana" in {effect.participant for effect in list_owed_reflections(memory)}
