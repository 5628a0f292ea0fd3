"""Summaries without a model: the ledger of the range first, then the talk that says most."""

from __future__ import annotations

import re
import time
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.contract.drafts import Draft
from parley.bus.entries import Message, Record, SessionOpened
from parley.bus.log.local_log import LocalLog
from parley.listeners.offline.local_effects import settle_log
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.memory.fold.apply import apply
from parley.memory.state.memory import Memory
from parley.memory.state.summary_state import LedgerChange, Summary
from parley.memory.summaries.extracts import (
    LowerSummary,
    condense_summaries,
    extract_summary,
    ledger_notes,
    most_characters,
)
from parley.memory.summaries.ledger_changes import MOST_CHANGES, note_changes
from parley.memory.summaries.range_summaries import CHARS_OF_EXTRACT
from parley.memory.summaries.talk_units import Line
from tests.support.logs.corpora import ROOT, needs_corpora
from tests.support.logs.logs import numbered

PACKS = known_packs()
MEETING = [
    ("ann", "Good morning all. I propose we move the archive to the new rack. It is cheaper."),
    ("bob", "I disagree with P1: the new rack is loud. Who pays for the power of that thing?"),
    ("cleo", "The rack has room for the archive and for the backups of the archive.\n\n"
             "```\nmount /dev/archive /srv/rack\n```"),
    ("bob", "It rained all night here, by the way, and the tram was late once more."),
    ("ann", "Support P1, since the old rack has no room left for any of the backups."),
    ("dora", "RESOLVED: move the archive in May. Thanks."),
]  # fmt: skip
NAMES = ("ann", "bob", "cleo")
SAID = st.sampled_from(
    [
        *(content for _, content in MEETING),
        "[PROPOSAL] Keep the lease at sixty seconds for every worker.",
        "I propose we shard the queue by tenant before the winter comes.",
        "+1", "-1", "I agree with P1.", "I disagree with P2, it will not hold the load we have.",
        "[DECISION] The queue is sharded by tenant.", "Hello everybody!", "ok", "Why?",
        "Let's see:\n```python\nsharded_queue = make_queue(tenant=secret_tenant)\n```\nIt works.",
        "$ git push origin main\nEverything up-to-date",
        "你好。我提议我们把档案移到新的机架上。这样更便宜，而且有空间。",
        "提案：アーカイブを新しいラックに移します。安くなります。",
        "אני מציע שנעביר את הארכיון לארון החדש. זה יותר זול.",
    ]
)  # fmt: skip
TALKS = st.lists(st.tuples(st.sampled_from(NAMES), SAID), min_size=1, max_size=14)
LONG_TALK = "The harbour has a long history, of which the town is proud, and many maps. " * 9
CODE = ("mount /dev/archive", "sharded_queue = make_queue", "git push origin")
ROOMY = 10_000  # characters: more than any talk here has
FACTS = [
    "The gate code of the north yard is 4711.",
    "Marta has the keys of the archive in Lisbon.",
    "We never ship on a Friday.",
    "The lease of the hall ends on 3 May.",
    "Backups are kept for 90 days, not 30.",
    "Only Ines may sign for more than 5000 euros.",
    "The pump fails if the water is below 12 degrees.",
    "The vendor answers until six, Berlin time.",
]
FILLER = [
    "Good, thank you for that.", "I see what you mean there, and so do the others, I think.",
    "Let us go on with this and see what comes of it later on.", "ok", "Sounds good to me.",
    "It has been a long day for all of us here, has it not, and the weather is no better.",
]  # fmt: skip


def fold_talk(*talk: tuple[str, str], **settings: object) -> tuple[list[Line], list[LedgerChange]]:
    """The lines of a talk, and what they did to the ledger."""
    memory = Memory(PACKS)
    opening = SessionOpened(
        packs=newest_packs(), settings={"summary": {"interval": 1000}, **settings}
    )
    records = numbered([opening, *(Message(participant=who, content=text) for who, text in talk)])
    for record in records:
        apply(memory, record)
    return _lines(records), memory.open_changes


def _lines(records: list[Record]) -> list[Line]:
    return [
        Line(record.n, record.entry.participant, record.entry.content)  # type: ignore[union-attr]  # messages
        for record in records
        if record.is_message
    ]


def sum_up(*talk: tuple[str, str], **settings: object) -> list[str]:
    """The lines of the summary of a talk where there is room for all that can be shown."""
    lines, changes = fold_talk(*talk, **settings)
    return extract_summary(lines, changes, ROOMY, ROOMY).splitlines()


def settled(interval: int, *talk: tuple[str, str]) -> list[Summary]:
    """The summaries that stand once such a session is settled, lowest first."""
    log, memory = LocalLog(), Memory(PACKS)
    settings = {"summary": {"interval": interval, "fanout": 2, "keep": 100}}
    log.open(SessionOpened(packs=newest_packs(), settings=settings))
    log.publish(
        [Draft(f"m{k}", Message(participant=who, content=x)) for k, (who, x) in enumerate(talk)]
    )
    settle_log(log, memory)
    return [memory.summaries[key] for key in sorted(memory.summaries)]


# -- the ledger ----------------------------------------------------------------


def test_notes_for_a_model_are_what_the_range_did_to_the_ledger() -> None:
    """Each item with its handle and its words, the weightiest where there is no room for all."""
    lines, changes = fold_talk(*MEETING)
    notes = ledger_notes(lines, changes)
    assert "P1 proposed by ann" in notes
    assert "opposed by bob" in notes
    assert "move the archive to the new rack" in notes
    assert ledger_notes(lines, []) == ""
    many = [("ann", f"[PROPOSAL] Keep the lease of hall {k} for {k} years.") for k in range(60)]
    assert 900 < len(ledger_notes(*fold_talk(*many))) <= 1_200


def test_what_was_proposed_opposed_and_decided_is_shown_first() -> None:
    """By whom, against whom, what became of it, and in what words; then the talk in its order."""
    shown = sum_up(*MEETING)
    assert shown[:3] == [
        "P1 proposed by ann; opposed by bob: I propose we move the archive to the new rack.",
        "  bob: I disagree with P1: the new rack is loud.",
        "D1 claimed by dora, on P1: RESOLVED: move the archive in May.",
    ]
    assert shown[-1].startswith("ann: Support P1, since the old rack has no room left")
    assert not any("morning" in line or "mount" in line for line in shown)


def test_nobody_is_shown_to_have_claimed_what_accepting_a_proposal_decided() -> None:
    """It is shown with the proposal, in the words of that."""
    proposal = "I propose we move the archive to the new rack in the cellar."
    shown = sum_up(("Ana", proposal), ("Bo", "+1 to P1"), ("Cy", "+1 to P1"), ratify={"quorum": 2})
    assert shown == [f"P1 proposed by Ana; supported by Bo, Cy; accepted; D1 ratified: {proposal}"]


def test_what_was_withdrawn_is_shown_as_such() -> None:
    shown = sum_up(
        ("ann", "I propose we move the archive to the new rack."), ("ann", "I withdraw P1.")
    )
    assert shown == [
        "P1 proposed by ann; withdrawn by ann: I propose we move the archive to the new rack."
    ]


def test_an_item_of_an_earlier_range_is_named_and_never_quoted() -> None:
    """What is redacted there must not live on here."""
    lines, changes = fold_talk(
        ("ann", "I propose we move the secret archive to the cellar."), ("bob", "I oppose P1.")
    )
    later = [change for change in changes if change.n == lines[1].n]
    summary = extract_summary(lines[1:] * 5, later, 200, ROOMY)
    assert summary.startswith("P1 opposed by bob")
    assert "secret" not in summary


def test_a_stance_whose_words_do_not_show_what_it_is_on_is_not_shown() -> None:
    """In a long message; a short one speaks of what was last spoken of."""
    lines, changes = fold_talk(
        ("ann", "I propose we move the archive to the new rack in the cellar."),
        ("bob", f"I agree, that sounds right to me. {LONG_TALK}"),
        ("cleo", f"I agree that the archive belongs on the new rack. {LONG_TALK}"),
        ("dora", "I agree."),
    )
    born = changes[:1]
    stances = [
        LedgerChange("supported", "P1", line.participant, line.n, 0, 30) for line in lines[1:]
    ]
    summary = extract_summary(lines, [*born, *stances], 200)
    assert summary.startswith("P1 proposed by ann; supported by cleo, dora: ")


def test_nobody_is_shown_to_be_against_what_they_proposed() -> None:
    lines, changes = fold_talk(
        ("ann", "I propose we move the archive to the new rack in the cellar."),
        ("bob", "I disagree with P1: the new rack is loud, and the cellar is damp in winter."),
    )
    own = LedgerChange("turned to oppose", "P1", "ann", lines[1].n, 0, 20)
    assert "turned" not in extract_summary(lines * 4, [*changes, own], 200)


def test_a_name_that_reads_as_a_line_of_the_ledger_is_quoted() -> None:
    """Nobody gets into the ledger of a summary by what they are called."""
    shown = sum_up(("P1 ratified; x: y", "The rack has room for the archive and for the backups."))
    assert shown == ['"P1 ratified;x:y": The rack has room for the archive and for the backups.']


@given(TALKS)
def test_every_change_that_fits_is_named(talk: list[tuple[str, str]]) -> None:
    """With room for them all, each item that somebody opposed or decided is there."""
    lines, changes = fold_talk(*talk)
    aside = {change.ref for change in changes if change.kind in ("set aside", "retracted")}
    summary = extract_summary(lines, changes, ROOMY, ROOMY)
    heads = _handles(summary)
    shown = {change.ref for change in changes if change.kind in ("claimed", "opposed")}
    assert shown - aside <= heads


def test_a_range_holds_a_bounded_number_of_changes() -> None:
    """The weightiest and newest, however long it is."""
    talk = [("ann", f"[PROPOSAL] Keep the {k}th lease at {k} seconds.") for k in range(400)]
    _, changes = fold_talk(*talk)
    assert MOST_CHANGES <= len(changes) <= 2 * MOST_CHANGES
    memory = Memory(PACKS)
    note_changes(memory, [])
    assert memory.open_changes == []


# -- the talk ------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 1])
def test_early_facts_are_shown_while_there_is_room(level: int) -> None:
    """Eight short facts, then eight times as much filler: all of them."""
    talk = [(NAMES[k % 3], fact) for k, fact in enumerate(FACTS)]
    talk += [(NAMES[k % 3], FILLER[k % len(FILLER)]) for k in range(64)]
    summary = settled(72 if level == 0 else 36, *talk)[-1]
    assert summary.level == level
    for fact in FACTS:
        assert fact in summary.text


@given(
    st.lists(st.sampled_from(FACTS), unique=True),
    st.lists(st.sampled_from(FILLER), max_size=20),
    st.randoms(use_true_random=False),
)
def test_while_all_fits_every_fact_is_shown(
    facts: list[str], filler: list[str], random: object
) -> None:
    """Once, and in the order in which it was said."""
    said = [*facts, *filler]
    random.shuffle(said)  # type: ignore[attr-defined]  # a random.Random
    shown = "\n".join(sum_up(*((NAMES[k % 3], text) for k, text in enumerate(said))))
    assert all(shown.count(fact) == 1 for fact in facts)
    places = [shown.index(fact) for fact in said if fact in facts]
    assert places == sorted(places)


def test_numbers_names_and_conditions_weigh_more_than_length() -> None:
    """Where only some of what was said has room."""
    long = "The weather of the last weeks was much as it is in this part of the country every year."
    for fact in FACTS:
        lines = [Line(1, "ann", long), Line(2, "bob", fact)]
        assert extract_summary(lines, [], 200) == f"bob: {fact}"


def test_texts_that_differ_in_a_number_are_not_the_same() -> None:
    said = [f"The lease of the north hall of the old mill ends {n} days after May." for n in (3, 9)]
    shown = sum_up(("ann", said[0]), ("bob", said[1]), ("cleo", said[1].upper()))
    assert shown == [f"ann: {said[0]}", f"bob: {said[1]}"]


def test_only_whole_sentences_are_shown() -> None:
    """One that finds no room is left out."""
    long = "We have to move the archive " + ", and then the shelves" * 30 + "."
    lines = [Line(1, "ann", f"{long} The rack has room for 9 shelves."), Line(2, "bob", LONG_TALK)]
    shown = extract_summary(lines, [], 60).splitlines()
    assert "ann: The rack has room for 9 shelves." in shown
    assert all(line.endswith(".") for line in shown)


def test_what_one_lead_leads_in_is_shown_as_one_list() -> None:
    plan = "Next steps for the mill:\n\n- sell press 7\n- paint the hall in white\n- dig 9 drains\n"
    shown = sum_up(("ann", plan))
    listed = "Next steps for the mill: sell press 7; paint the hall in white; dig 9 drains"
    assert listed in "\n".join(shown)


def test_a_form_that_was_filled_in_is_shown_by_its_fields() -> None:
    """Short ones before long ones, empty ones not at all, and never its braces."""
    reason = "Both of the shelves hold the archive, and neither is dry in winter or in spring."
    shown = sum_up(("ann", f'{{"reason": "{reason}", "winner": "", "decided": "no"}}'))
    assert shown == [f"ann: decided: no; reason: {reason}"]


@pytest.mark.parametrize("content", ["Hello everybody!", "Why?", "```\nx = 1\n```", "+1"])
def test_greetings_bare_questions_votes_and_code_come_to_nothing(content: str) -> None:
    """An empty summary is better than one of these."""
    assert sum_up(("ann", content)) == []


# -- bounds --------------------------------------------------------------------


@given(TALKS, st.integers(-1, 220))
def test_a_summary_is_shorter_than_its_talk_and_keeps_its_words(
    talk: list[tuple[str, str]], words: int
) -> None:
    """Half of it at most, or 120 characters; never longer than the talk, nor than 24 characters
    a word; the same bytes every time.
    """
    lines, changes = fold_talk(*talk)
    summary = extract_summary(lines, changes, words)
    length = _length(lines)
    assert most_characters(length) <= max(min(length, 120), length // 2)
    assert len(summary) <= min(most_characters(length), max(0, words) * CHARS_OF_EXTRACT)
    again, same = fold_talk(*talk)
    assert extract_summary(again, same, words) == summary


@given(TALKS)
def test_no_line_of_code_is_in_a_summary(talk: list[tuple[str, str]]) -> None:
    """Neither fenced nor pasted from a terminal, at any level."""
    for summary in settled(3, *talk):
        assert not any(code in summary.text for code in CODE)


@given(TALKS)
def test_a_log_is_summed_up_in_the_same_bytes_every_time(talk: list[tuple[str, str]]) -> None:
    """Whoever settles it."""
    assert settled(3, *talk) == settled(3, *talk)


@pytest.mark.parametrize("unit", ["a. ", "word ", ".", "a", "I propose b. ", "? ", "\n", ". ."])
def test_a_megabyte_line_is_summarised_in_bounded_time(unit: str) -> None:
    """What one message can cost does not grow with its length."""
    content = unit * (1_000_000 // len(unit)) + "x"
    start = time.process_time()
    summary = extract_summary([Line(1, "ann", content)], [], 200)
    assert time.process_time() - start < 2.0
    assert len(summary) <= 200 * CHARS_OF_EXTRACT


# -- higher levels -------------------------------------------------------------


def test_a_higher_level_names_the_ledger_of_all_below() -> None:
    """What two ranges did is in the summary that covers both, an item on one line."""
    summaries = settled(3, *MEETING)
    assert [summary.level for summary in summaries] == [0, 0, 1]
    assert {"P1", "D1"} <= _handles(summaries[-1].text)
    assert summaries[-1].text.count("P1 ") == 1


@given(TALKS)
def test_a_higher_level_says_nothing_that_those_below_do_not(talk: list[tuple[str, str]]) -> None:
    """Each phrase of its ledger, and each text, stands in a summary below it."""
    summaries = settled(3, *talk)
    lower = "\n".join(summary.text for summary in summaries if not summary.level)
    for top in summaries:
        for line in top.text.splitlines():
            assert all(part in lower for part in re.split("; |: ", line.strip()))


def test_a_higher_level_has_the_words_of_a_model_and_the_ledger_beside_them() -> None:
    """Whose sides the ledger has is left to the model; what a handle has come to is not."""
    _, changes = fold_talk(*MEETING)
    said = "Ann and Bob differ on the rack of the archive.\nDora settled it for May."
    summary = condense_summaries([LowerSummary(1, 6, said, True)], changes, 200)
    assert summary.splitlines() == [
        "D1 claimed by dora, on P1",
        "P1 proposed by ann",
        *said.splitlines(),
    ]


@needs_corpora
def test_summaries_of_recorded_agents_name_what_their_ranges_decided() -> None:
    """Nine in ten decisions that stand; in a third of the talk at most."""
    named = changed = size = was = 0
    for file in sorted((ROOT / "agents" / "dev").glob("*.jsonl")):
        if file.name.count(".") == 1:
            lines, changes = fold_talk(*_said(file))
            for start in range(0, len(lines) - 9, 10):
                part = lines[start : start + 10]
                own = [change for change in changes if part[0].n <= change.n <= part[-1].n]
                summary = extract_summary(part, own, 200)
                size, was = size + len(summary), was + _length(part)
                aside = {change.ref for change in own if change.kind == "set aside"}
                decided = {change.ref for change in own if change.kind == "claimed"} - aside
                changed += len(decided)
                named += len(decided & _handles(summary))
    assert changed
    assert 10 * named >= 9 * changed
    assert size <= was / 3


def _length(lines: list[Line]) -> int:
    """Characters of what was said."""
    return sum(len(line.content) for line in lines)


def _handles(summary: str) -> set[str]:
    """The handles that lines begin with, and those of what was decided with an item."""
    heads = re.findall(r"^([A-Z]\d+) ([a-z][^:]*)", summary, re.MULTILINE)
    return {ref for ref, _ in heads} | {
        ref for _, phrases in heads for ref in re.findall(r"; ([A-Z]\d+) ", phrases)
    }


def _said(file: Path) -> list[tuple[str, str]]:
    rows = [orjson.loads(line) for line in file.read_bytes().splitlines()[1:]]
    return [(row["agent_id"], row["content"]) for row in rows if row["content"].strip()]
