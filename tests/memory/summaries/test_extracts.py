"""Summaries without a model: the ledger of the range first, then the talk that carries most."""

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
    FLOOR,
    MORE,
    extract_summary,
    most_characters,
    talk_length,
)
from parley.memory.summaries.item_words import RangeWords
from parley.memory.summaries.ledger_changes import MOST_CHANGES, note_changes
from parley.memory.summaries.sentence_weights import read_talk
from parley.memory.summaries.talk_sentences import Line
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


def fold_talk(*talk: tuple[str, str]) -> tuple[list[Line], list[LedgerChange]]:
    """The lines of a talk, and what they did to the ledger."""
    memory = Memory(PACKS)
    opening = SessionOpened(packs=newest_packs(), settings={"summary": {"interval": 1000}})
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


def test_what_was_proposed_opposed_and_decided_is_named_with_its_handle() -> None:
    """By whom, what became of it, and in what words, as the range has them."""
    lines, changes = fold_talk(*MEETING)
    summary = extract_summary(lines * 4, changes, 200)
    first = summary.splitlines()[0]
    assert first.startswith("P1 proposed by ann")
    assert "opposed by bob" in first
    assert first.endswith("I propose we move the archive to the new rack.")
    assert "D1 claimed by dora: RESOLVED: move the archive in May." in summary.splitlines()


def test_the_talk_that_carries_most_stands_between_the_items() -> None:
    """In the order of the talk; neither greetings nor small talk nor code."""
    lines, changes = fold_talk(*MEETING)
    summary = extract_summary(lines * 4, changes, 200)
    told = summary.splitlines()
    assert "cleo: The rack has room for the archive and for the backups of the archive." in told
    places = [place for place, line in enumerate(told) if line.startswith(("P1 ", "cleo", "D1 "))]
    assert places == sorted(places)
    assert told[places[-1]].startswith("D1 ")
    assert "morning" not in summary
    assert "mount" not in summary


def test_only_a_question_that_the_range_ends_with_is_open() -> None:
    """One that somebody spoke after may have an answer; one that its author goes on from has."""
    asked = "Who pays for the power of that rack in the cellar from May on?"
    answer = "The archive of the cellar is damp, and the archive is old."
    last = extract_summary([Line(1, "ann", answer), Line(2, "bob", asked)] * 4, [], 200)
    assert last.count("Who pays") == 1
    assert f"open: bob: {asked}" in last.splitlines()
    first = extract_summary([Line(1, "bob", asked), Line(2, "ann", answer)] * 4, [], 200)
    assert "open:" not in first


def test_many_items_share_the_room_for_their_words() -> None:
    """As many as can say something have words; the others are not told."""
    ideas = [
        "move the archive to the new rack behind the kitchen, as the auditors asked us to",
        "paint every window of the northern wing, which nobody has done since the flood",
        "hire two gardeners for the season, because the orchard suffers from the drought",
        "sell that piano and buy benches with the money, since hardly anybody plays it",
        "close the workshop on Mondays, when the heating of the whole street is serviced",
        "print invitations on recycled paper, though it costs a little more than ordinary",
        "teach apprentices how engines are mended, so that we need no mechanic from town",
        "photograph all documents before winter, lest mould destroys what has survived",
    ]
    talk = [("ann", f"I propose that we {idea}.") for idea in ideas]
    lines, changes = fold_talk(*talk, ("bob", talk[0][1]))
    summary = extract_summary(lines * 3, changes, 110).splitlines()
    worded = [line for line in summary if line.startswith("P") and ": " in line]
    assert len(worded) >= 2
    for line in worded:
        assert " ".join(ideas[int(line[1]) - 1].split()[:6]) in line
    assert len(worded) < len(ideas)
    assert not any(line.startswith("Also") or "P9" in line for line in summary)


def test_what_is_too_short_to_say_anything_is_told_with_what_follows() -> None:
    """A ruling before proposals, without the face before it, and each one's first objection."""
    lines, changes = fold_talk(
        ("ann", "I propose we move the archive to the new rack in the cellar."),
        ("bob", "I disagree with P1: the new rack is loud, and the cellar is damp in winter."),
        ("bob", "I oppose P1. It is loud, as I said before, and nobody has answered that."),
        ("dora", "✅ [DECISION] Agreed, all of us. The archive moves in May, with the shelves."),
    )
    summary = extract_summary(lines * 4, changes, 200)
    decided = next(line for line in summary.splitlines() if line.startswith("D1"))
    assert decided.endswith(
        "[DECISION] Agreed, all of us. The archive moves in May, with the shelves."
    )
    assert "\n  bob: I disagree with P1: the new rack is loud" in summary
    assert summary.count("\n  bob: ") == 1


def test_a_form_that_was_filled_in_is_told_by_its_fields() -> None:
    """Short ones before long ones, empty ones not at all, and never its braces."""
    reason = "Both of the shelves hold the archive, and neither is dry in winter or in spring."
    lines, changes = fold_talk(
        ("bob", "The archive of the cellar is damp, and the shelves of the archive are old."),
        ("ann", f'{{"reason": "{reason}", "winner": "", "decided": "no"}}'),
    )
    summary = extract_summary(lines * 3, changes, 200)
    assert f"ann: decided: no; reason: {reason}" in summary.splitlines()


def test_the_ledger_outlives_the_talk() -> None:
    """With little room it is the talk that goes, then what is open, before what was decided."""
    lines, changes = fold_talk(*MEETING)
    few = extract_summary(lines, changes, 12)
    assert few == "D1 claimed by dora: RESOLVED: move the archive in May."


def test_a_change_of_sides_is_told() -> None:
    """Who turned, and to what."""
    lines, changes = fold_talk(
        ("ann", "I propose we move the archive to the new rack in the cellar."),
        ("bob", "I disagree with P1: the new rack is loud, and the cellar is damp in winter."),
        ("bob", "I support P1 now, after what the vendor wrote to us about the cellar."),
    )
    assert "bob turned to support" in extract_summary(lines * 3, changes, 200)


def test_an_item_of_an_earlier_range_is_named_and_never_quoted() -> None:
    """What is redacted there must not live on here."""
    lines, changes = fold_talk(
        ("ann", "I propose we move the secret archive to the cellar."), ("bob", "I oppose P1.")
    )
    later = [change for change in changes if change.n == lines[1].n]
    summary = extract_summary(lines[1:] * 5, later, 200)
    assert "P1 opposed by bob" in summary
    assert "secret" not in summary


@given(TALKS, st.integers(-1, 220))
def test_a_summary_is_shorter_than_its_talk_and_keeps_its_words(
    talk: list[tuple[str, str]], words: int
) -> None:
    """Half of it at most, or 120 characters; never longer than the talk; the same bytes every time.

    Its words, and up to four times as many where the talk is long.
    """
    lines, changes = fold_talk(*talk)
    summary = extract_summary(lines, changes, words)
    length = talk_length(lines)
    assert len(summary) <= length
    assert len(summary) <= max(FLOOR, most_characters(length))
    assert len(summary.split()) <= max(words, min(words * MORE // 100, length // 16), 0)
    again, same = fold_talk(*talk)
    assert extract_summary(again, same, words) == summary


@given(TALKS)
def test_no_line_of_code_is_in_a_summary(talk: list[tuple[str, str]]) -> None:
    """Neither fenced nor pasted from a terminal, at any level."""
    for summary in settled(3, *talk):
        assert not any(code in summary.text for code in CODE)


@given(TALKS)
def test_every_change_that_fits_is_named(talk: list[tuple[str, str]]) -> None:
    """With room for them all, each item that somebody opposed or decided is there."""
    lines, changes = fold_talk(*talk)
    aside = {change.ref for change in changes if change.kind in ("set aside", "retracted")}
    roomy = [*lines, *(Line(999, "eve", "x" * 900) for _ in range(30))]
    summary = extract_summary(roomy, changes, 10_000)
    heads = _handles(summary)
    told = {change.ref for change in changes if change.kind in ("claimed", "opposed")}
    assert told - aside <= heads


@given(TALKS)
def test_a_log_is_summed_up_in_the_same_bytes_every_time(talk: list[tuple[str, str]]) -> None:
    """Whoever settles it."""
    assert settled(3, *talk) == settled(3, *talk)


def test_a_higher_level_names_the_ledger_of_all_below() -> None:
    """What two ranges did is in the summary that covers both."""
    summaries = settled(3, *MEETING)
    assert [summary.level for summary in summaries] == [0, 0, 1]
    assert {"P1", "D1"} <= _handles(summaries[-1].text)


@pytest.mark.parametrize("content", ["ok", "one two three four five six seven", "+1"])
def test_something_is_said_about_any_talk(content: str) -> None:
    """Where no sentence carries anything, the first is cut to what fits; alone if need be."""
    assert extract_summary([Line(1, "ann", content)], [], 4)
    summary = extract_summary([Line(1, "ann", content), Line(2, "bob", "```\nx = 10\n```")], [], 4)
    assert summary.startswith("ann: ")


@pytest.mark.parametrize("content", ["Hello everybody!", "Why?", "```\nx = 1\n```"])
def test_greetings_bare_questions_and_code_come_to_nothing(content: str) -> None:
    """An empty summary is better than one of these."""
    assert extract_summary([Line(1, "ann", content)], [], 40) == ""


def test_a_repeated_sentence_is_told_once() -> None:
    """Echoes take no room."""
    text = "We keep the old archive upstairs for now."
    lines = [Line(1, "ann", text), Line(2, "bob", text.upper()), Line(3, "cy", text * 9)]
    assert extract_summary(lines, [], 100).casefold().count("upstairs") == 1


@pytest.mark.parametrize("unit", ["a. ", "word ", ".", "a", "I propose b. ", "? ", "\n", ". ."])
def test_a_megabyte_line_is_summarised_in_bounded_time(unit: str) -> None:
    """What one message can cost does not grow with its length."""
    content = unit * (1_000_000 // len(unit)) + "x"
    start = time.process_time()
    summary = extract_summary([Line(1, "ann", content)], [], 200)
    assert time.process_time() - start < 2.0
    assert len(summary.split()) <= 200


def test_a_range_holds_a_bounded_number_of_changes() -> None:
    """The weightiest and newest, however long it is."""
    talk = [("ann", f"[PROPOSAL] Keep the {k}th lease at {k} seconds.") for k in range(400)]
    _, changes = fold_talk(*talk)
    assert MOST_CHANGES <= len(changes) <= 2 * MOST_CHANGES
    memory = Memory(PACKS)
    note_changes(memory, [])
    assert memory.open_changes == []


WRITTEN = (
    "The archive has been looked at by all of us in the last two weeks, as everybody knows, and "
    "the report of the auditors is on the table by the door of the hall.\n\n"
)


def test_a_stance_whose_words_do_not_show_what_it_is_on_is_not_told() -> None:
    """Nor support that grants something and holds something else against it."""
    proposal = "I propose we move the archive to the new rack in the cellar."
    lines, changes = fold_talk(
        ("ann", proposal),
        ("bob", "I agree, that sounds right to me."),
        ("eve", "I agree that the archive needs a new rack, but the cellar is no place for it."),
    )
    both = [
        *changes,
        LedgerChange("supported", "P1", "cy", lines[0].n, 0, 60),
        LedgerChange("supported", "P1", "eve", lines[2].n, 0, 80),
    ]
    summary = extract_summary(lines * 9, both, 200)
    assert f"P1 proposed by ann; supported by cy: {proposal}" in summary.splitlines()


def test_nobody_is_told_to_be_against_what_they_proposed() -> None:
    lines, changes = fold_talk(
        ("ann", "I propose we move the archive to the new rack in the cellar."),
        ("bob", "I disagree with P1: the new rack is loud, and the cellar is damp in winter."),
    )
    own = LedgerChange("turned to oppose", "P1", "ann", lines[1].n, 0, 20)
    assert "turned" not in extract_summary(lines * 4, [*changes, own], 200)


def test_an_open_proposal_that_reports_is_told_as_talk() -> None:
    """By its message it is a proposal; its words put nothing forward."""
    report = WRITTEN + "The rack was measured twice on Monday, and it was loud both times."
    course = WRITTEN + "We should measure the rack of the cellar twice on Monday."
    lines = [Line(1, "ann", report), Line(2, "bob", course)]
    changes = [
        LedgerChange("proposed", f"P{line.n}", line.participant, line.n, len(WRITTEN),
                     len(line.content))
        for line in lines
    ]  # fmt: skip
    summary = extract_summary(lines * 4, changes, 200)
    assert "P2 proposed by bob: We should measure the rack of the cellar" in summary
    assert "P1 proposed" not in summary
    assert "ann (P1): " in summary


def test_what_a_proposal_says_is_told_once() -> None:
    lines = [
        Line(1, "ann", "I propose we move the archive to the new rack in the cellar."),
        Line(2, "bob", "I propose to move the archive to the rack in the cellar."),
        Line(3, "cy", "So we move the archive to the new rack in the cellar, I think."),
    ]
    changes = [LedgerChange("proposed", f"P{n}", who, n, 0, 50) for n, who, _ in lines[:2]]
    summary = extract_summary(lines * 4, changes, 200)
    assert summary.count("cellar") == 1
    assert "P2" not in summary


def test_a_title_with_a_sign_is_no_open_question() -> None:
    lines = [
        Line(1, "ann", "The archive of the cellar is damp, and the archive is old."),
        Line(2, "bob", "Archive moved on Monday; shelves of the attic; gitleaks?"),
    ]
    assert "open:" not in extract_summary(lines * 4, [], 200)


FILLING = " ".join(
    f"Shelf {number} of the store has been dusted, counted and labelled by the volunteers again."
    for number in range(8)
)


def test_the_outcome_of_the_last_message_is_told_under_its_title() -> None:
    report = f"Pump test COMPLETE\n\n{FILLING}\n\n**Status:** all 26 pumps pass the test."
    lines = [Line(1, "ann", FILLING), Line(2, "bob", report)]
    summary = extract_summary(lines, [], 60)
    assert "bob: Pump test COMPLETE – Status: all 26 pumps pass the test." in summary


def test_what_a_person_asks_for_at_the_beginning_is_told() -> None:
    """Also where it points to something said before the range."""
    lines = [
        Line(1, "user", "Draw a plan of this cellar with every pump that we own."),
        *(Line(n, "bob", FILLING) for n in range(2, 6)),
    ]
    assert extract_summary(lines, [], 60).startswith("user: Draw a plan of this cellar")


def test_a_list_is_told_by_its_heads() -> None:
    listed = "I have found three causes of the flood:\n\n" + "\n".join(
        f"{place}. **{head}:** {FILLING[:150]}"
        for place, head in enumerate(["Broken pumps", "Blocked drains", "A wet spring"], 1)
    )
    summary = extract_summary([Line(1, "ann", listed)], [], 80)
    assert "ann: I have found three causes of the flood: Broken pumps" in summary
    assert all(head in summary for head in ("; Blocked drains", "; A wet spring"))


def test_an_announcement_is_told_with_what_it_announces() -> None:
    text = f"Here's why the pumps stood still. The float was stuck below the grate. {FILLING}"
    summary = extract_summary([Line(1, "ann", text)], [], 60)
    assert "Here's why the pumps stood still. The float was stuck below the grate." in summary


def test_what_is_announced_is_told_where_both_have_no_room() -> None:
    announced = "I would like to propose an alternative translation that may also be correct."
    follows = (
        "Instead of the word calm for the river behind the mill we should say serene, because the "
        "poet has used calm for the lake before, and because a river of that kind is never calm in "
        "the months of spring, when the snow of the hills comes down all at once."
    )
    lines, changes = fold_talk(("ana", f"{announced} {follows}"), ("bo", LONG_TALK))
    summary = extract_summary(lines, changes, 200)
    assert "P1 proposed by ana: Instead of the word calm" in summary
    assert announced not in summary


def test_what_a_tool_is_called_with_is_not_told() -> None:
    """It is a quotation, by whoever calls the tool."""
    article = "The commitment of the old mill ensures that the harbour keeps every map it has."
    call = f'{{"content": "The mill\\n\\n{article}"}}\n'
    for lead in ("I check the article for harm:\n\n", "***** Call: check *****\nArguments: \n"):
        summary = extract_summary([Line(1, "bo", lead + call), Line(2, "cy", LONG_TALK)], [], 200)
        assert "harbour keeps every map" not in summary


def test_the_item_behind_a_short_one_says_something_of_its_own() -> None:
    plan = (
        "We should do this with the press before the end of May:\n\n- Sell the second press now\n"
        f"- Paint the hall of the mill in white\n\n{LONG_TALK}"
    )
    lines, changes = fold_talk(("ana", plan), ("bo", LONG_TALK))
    assert "now: Paint" not in extract_summary(lines, changes, 200)


def test_work_in_progress_gives_way_to_what_came_of_it() -> None:
    lines = [
        Line(1, "ann", f"Starting work on the drains. {FILLING}"),
        Line(2, "ann", f"The drains are fixed. The root cause was a stuck float. {FILLING}"),
    ]
    summary = extract_summary(lines, [], 40)
    assert "Starting work" not in summary
    assert "stuck float" in summary


def test_what_a_later_message_takes_back_is_not_told_as_settled() -> None:
    lines = [
        Line(1, "ann", f"We should drain the old cellar with the two new pumps. {FILLING}"),
        Line(2, "bob", "My mistake: that was wrong, the two new pumps cannot drain a cellar."),
    ]
    change = LedgerChange("proposed", "P1", "ann", 1, 0, 54)
    agreed = LedgerChange("accepted", "P1", "", 1)
    stands = extract_summary(lines[:1], [change, agreed], 200)
    assert "P1 proposed by ann; accepted: We should drain the old cellar" in stands
    summary = extract_summary(lines, [change, agreed], 200)
    assert "P1 proposed by ann: We should drain the old cellar" in summary
    assert "bob: My mistake: that was wrong" in summary


@needs_corpora
def test_summaries_of_recorded_agents_name_what_their_ranges_did() -> None:
    """Nine in ten decisions; in a third of the talk at most. A proposal is told where its words
    put something forward, and what became of it where the range shows it.
    """
    named = changed = size = was = 0
    for file in sorted((ROOT / "agents" / "dev").glob("*.jsonl")):
        if file.name.count(".") == 1:
            lines, changes = fold_talk(*_said(file))
            for start in range(0, len(lines) - 9, 10):
                part = lines[start : start + 10]
                own = [change for change in changes if part[0].n <= change.n <= part[-1].n]
                summary = extract_summary(part, own, 200)
                size, was = size + len(summary), was + talk_length(part)
                heads = _handles(summary)
                aside = {change.ref for change in own if change.kind == "set aside"}
                decided = {change.ref for change in own if change.kind == "claimed"} - aside
                changed += len(decided)
                named += len(decided & heads)
    assert changed
    assert 10 * named >= 9 * changed
    assert size <= was / 3


def _handles(summary: str) -> set[str]:
    """The handles that the lines of a summary begin with, those beside who speaks, and those of
    what else happened.
    """
    handles: set[str] = set()
    beside = re.findall(r"^[^:\n]* \(([A-Z]\d[^)]*)\): ", summary, re.MULTILINE)
    runs = [re.match(r".*", run) for run in beside]
    for line in summary.splitlines():
        parts = line.removeprefix("Also: ").split("; ") if line.startswith("Also: ") else [line]
        runs += [re.match(r"[A-Z]\d+(?:(?:, |–)[A-Z]\d+)*", part) for part in parts]
    for run in runs:
        for part in run[0].split(", ") if run else ():
            first, _, last = part.partition("–")
            numbers = range(int(first[1:]), int((last or first)[1:]) + 1)
            handles |= {f"{first[0]}{number}" for number in numbers}
    return handles


def _said(file: Path) -> list[tuple[str, str]]:
    rows = [orjson.loads(line) for line in file.read_bytes().splitlines()[1:]]
    return [(row["agent_id"], row["content"]) for row in rows if row["content"].strip()]


def test_a_proposal_is_told_with_the_sentences_that_belong_to_it() -> None:
    """Though the likeliest of them is a request at its end."""
    split = (
        "I read both of the lists and the plan of the hall in the night, and found no mistake in "
        "them, as the marks beside each line of the lists show to anybody who looks at them.\n\n"
        "Proposed split: Ben keeps the maps of the harbour and the keys; I take the press and the "
        "cellar. Please flag any collision and I'll stop."
    )
    lines, changes = fold_talk(("ann", split), ("bob", split.replace("split", "list")))
    summary = extract_summary(lines, changes, 120)
    assert "P1 proposed by ann: Proposed split: Ben keeps the maps of the harbour" in summary


def _chapters(*heads: str) -> str:
    return "\n\n".join(f"## {head}\n\n{FILLING}" for head in heads)


def test_each_message_has_a_line_before_any_has_two() -> None:
    subjects = ["pumps", "drains", "fences", "orchards", "ladders", "kettles", "bridges", "lamps"]
    lines = [
        Line(
            n, f"p{n}", f"We mended the {what} in May. " + f"Those {what} are {what} of iron. " * 9
        )
        for n, what in enumerate(subjects, 1)
    ]
    summary = extract_summary(lines, [], 40)
    told = [line.partition(":")[0] for line in summary.splitlines() if line.startswith("p")]
    assert told == [f"p{n}" for n in range(1, 9)]


def test_a_list_that_has_no_room_in_full_is_told_by_the_heads_of_all_its_items() -> None:
    heads = ["Sell the press", "Paint the hall", "Mend the roof", "Hire a cook", "Drain the cellar"]
    plan = "My plan for the mill:\n\n" + "\n".join(
        f"- **{head}:** {'of which I have more to say than there is room for, ' * 5}"
        for head in heads
    )
    summary = extract_summary([Line(1, "ann", plan), Line(2, "bob", FILLING)], [], 60)
    told = next(line for line in summary.splitlines() if line.startswith("ann: My plan for"))
    assert [head for head in heads if head in told] == heads
    assert len(told) < len(plan) // 2


def test_a_table_is_told_by_its_cells() -> None:
    rows = "".join(f"| {what} | {before} | {after} |\n" for what, before, after in [
        ("Bad pumps", 1050, 395), ("Worst ratio", 28.7, 13.7), ("Leaks", 4, 0),
    ])  # fmt: skip
    table = f"Results of the repair:\n\n| What | Before | After |\n|---|---|---|\n{rows}\n{FILLING}"
    summary = extract_summary([Line(1, "ann", table)], [], 100)
    told = "Results of the repair (Before / After): Bad pumps: 1050 / 395; Worst ratio: 28.7 / 13.7"
    assert told in summary


def test_a_run_of_code_is_told_by_what_it_came_to() -> None:
    failed = "exitcode: 1 (execution failed)\nCode output: \nTraceback (most recent call last):\n"
    lines = [
        Line(1, "ann", f"Count the pumps of the mill by hand. {FILLING}"),
        Line(2, "box", f'{failed}  File "", line 1, in <module>\nNameError: pumps'),
        Line(3, "ann", f"The list of the pumps was empty, as it turned out. {FILLING}"),
        Line(4, "box", "exitcode: 0 (execution succeeded)\nCode output: \n17 pumps\nand 2 drains"),
    ]
    told = extract_summary(lines, [], 100).splitlines()
    assert "box: exitcode: 1 (execution failed): NameError: pumps" in told
    assert "box: exitcode: 0 (execution succeeded): 17 pumps" in told


def test_a_long_message_is_told_by_its_outline_but_not_by_one_that_is_pasted() -> None:
    heads = ("The pumps are too small", "The drains lie too high", "The cellar has no second door")
    report = f"Flood report\n\n{_chapters(*heads)}"
    pasted = f"Please comment on the report of ann about the flood:\n\n{report}"
    summary = extract_summary([Line(1, "ann", report), Line(2, "bob", pasted)], [], 200)
    assert f"ann: Flood report – {heads[0]}: {FILLING[:20]}" in summary
    assert all(f"; {head}: {FILLING[:20]}" in summary for head in heads[1:])
    assert not any(head in summary.partition("bob: ")[2] for head in heads)


def test_parts_are_told_with_what_stands_under_them_and_no_label_alone() -> None:
    parts = (
        "**Changed:** The pumps stop by themselves when the cellar is dry.",
        "**Why:** They ran dry for nine hours in May and two of them burst.",
        "**Watch out:** The sluice has no such switch yet.",
    )
    report = f"Pumps of the mill\n\n{chr(10).join(parts)}\n\n{FILLING} {FILLING} {FILLING}"
    summary = extract_summary([Line(1, "ann", report), Line(2, "bob", FILLING)], [], 200)
    told = "; ".join(part.replace("**", "").rstrip(".") for part in parts)
    assert f"ann: Pumps of the mill – {told}" in summary
    assert "Changed;" not in extract_summary([Line(1, "ann", report)], [], 20)


def test_a_heading_names_an_item_where_it_shares_more_than_two_words_with_it() -> None:
    heading = "# APPROVED stub ready for the rule"
    words = RangeWords({1: Line(1, "ann", f"{heading}\n\nThe drains are dry.")})
    other = "If you approve, please move the rule file to the folder of approved rules."
    assert not words.names(1, 2, len(heading), "P4", other)
    assert words.names(1, 2, len(heading), "P4", "Approve the rule of the stub, which is ready.")


def test_the_news_that_a_long_message_opens_with_is_its_title() -> None:
    def title(opening: str) -> str:
        return RangeWords({1: Line(1, "ann", f"Bob,\n\n{opening} Read it.\n\n{FILLING}")}).title(1)

    assert title("✅ The report on the pumps is ready.") == "The report on the pumps is ready"
    assert title("I am ready for the pumps.") == ""
    assert title("The pumps stand in the cellar.") == ""


def test_an_item_is_told_under_a_long_title_where_that_says_what_came_of_something() -> None:
    def told(title: str) -> str:
        lines, changes = fold_talk(
            ("ann", f"{title}\n\nI propose we dig the drains of the mill in May.\n\n{FILLING}"),
            ("bob", FILLING),
        )
        return extract_summary(lines, changes, 60)

    news = "LANDED - both of the pumps of the cellar run again since noon"
    assert f"{news} – I propose we dig the drains" in told(news)
    assert "P1 proposed by ann: I propose" in told("On the pumps of the cellar, and on the drains")


def test_advice_is_told_by_what_it_advises() -> None:
    advice = "The fix I recommend: the pumps share a fuse with the lamps (it is too small). "
    says = "If you give the pumps a fuse of their own, the lamps stay lit."
    lines = [Line(1, "ann", f"{advice}{says} {FILLING}"), Line(2, "bob", FILLING)]
    summary = extract_summary(lines, [], 60)
    assert f"The fix I recommend: … {says}" in summary
    assert "share a fuse" not in summary


def test_a_message_that_is_pasted_whole_is_told_of_its_author_alone() -> None:
    report = "\n\n".join(
        f"The mill of {town} has lost its wheel in May." for town in ("Ash", "Elm", "Oak")
    )
    lines = [
        Line(1, "ann", report),
        Line(2, "bob", report),
        Line(3, "cleo", "We should mend them."),
    ]
    summary = extract_summary(lines, [], 200)
    assert "ann: " in summary
    assert "bob: " not in summary


def test_what_must_not_begin_yet_is_told_before_other_requests() -> None:
    rules = " ".join(f"We need to paint fence {n} of the {n} yards green." for n in range(12))
    gate = "Do not start the pumps until the sluice is closed."
    lines = [
        Line(1, "ann", f"The plan of the mill is final. {rules} {gate} {FILLING}"),
        Line(2, "bob", f"The fences of the yards were painted in May. {FILLING}"),
    ]
    assert gate in extract_summary(lines, [], 60)


def test_what_a_person_asks_for_is_told_though_it_points_back() -> None:
    lines = [
        Line(1, "ann", f"The drains of the mill were measured. {FILLING}"),
        Line(2, "user", "Use this data to draw a plan of the cellar with every drain."),
        Line(3, "ann", f"The plan has been drawn with all of the drains. {FILLING}"),
    ]
    summary = extract_summary(lines, [], 60)
    assert "user: Use this data to draw a plan of the cellar with every drain." in summary


def test_an_extract_may_be_longer_than_a_models_summary() -> None:
    """Where the talk is long: what lands is not cut to the words that a model was asked for."""
    reports = [
        "\n\n".join(f"Pump {n} of mill {mill} is worn. {LONG_TALK}" for n in range(9))
        for mill in range(12)
    ]
    (summary, *_) = settled(12, *(("ann", report) for report in reports))
    assert len(summary.text.split()) > 200
    assert not summary.text.endswith("…")


def test_what_somebody_who_asked_is_answered_is_told() -> None:
    answer = "Sadly, I cannot dig there myself."
    plan = "The result of the plan: all 9 drains are dug by noon, and 7 pumps are fixed by night."

    def told(name: str) -> str:
        lines = [
            Line(1, "cleo", f"{FILLING} If you read this, come and dig at the barn, bob."),
            Line(2, "bob", f"@{name}: I read that. {answer} {plan} {FILLING} {FILLING}"),
        ]
        return extract_summary(lines, [], 45).partition("bob: ")[2]

    assert told("cleo").startswith(answer)
    assert not told("dora").startswith(answer)


def test_how_it_stands_weighs_more_in_the_last_message_of_its_author() -> None:
    def weigh(last: str) -> int:
        said = f"{FILLING}\n\nStatus: the new drain, dug by cleo on Sunday"
        lines = [Line(1, "bob", FILLING), Line(2, "ann", said), Line(3, last, FILLING)]
        return next(gist.weight for gist in read_talk(lines).gists if "Status" in gist.text)

    assert weigh("bob") > weigh("ann")


def test_what_somebody_takes_back_is_told_before_anything_else() -> None:
    taken_back = 'I said "bob digs" - that was wrong.'
    cause = "We found the root cause: the mud broke 9 of 12 pumps, so please do not dig until May."
    talk = read_talk([Line(1, "ann", FILLING), Line(2, "ann", f"{cause}\n\n{taken_back}")])
    own = [gist.text for gist in talk.gists if gist.n > 1]
    assert own == [taken_back, cause]
