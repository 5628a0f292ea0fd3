"""Who said they, or somebody else, would do what: candidates with the words that show them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from parley.memory.extraction.patterns.pattern_packs import Rule
from parley.server.minutes.action_items import MOST, find_actions, shipped_phrases
from parley.server.minutes.decided_words import NEAR, DecidedTerms
from parley.server.minutes.minutes_report import build_report
from parley.server.minutes.words.attribution import voices
from parley.server.records.transcript_analysis import Analysis, analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript

Row = dict[str, Any]


def talk(*messages: tuple[str, str] | tuple[str, str, str], meta: Row | None = None) -> Analysis:
    """What was said, by name and words and perhaps an act, analysed."""
    rows: list[Row] = [meta] if meta else []
    for index, (name, words, *act) in enumerate(messages):
        rows.append({"index": index, "agent_id": name, "content": words})
        if act:
            rows[-1]["act"] = act[0]
    data = "\n".join(json.dumps(row) for row in rows).encode()
    return analyze(parse_transcript(data), resolve_defaults({}, {}))


def actions_of(
    *messages: tuple[str, str] | tuple[str, str, str], meta: Row | None = None
) -> list[Row]:
    rows: list[Row] = report_of(talk(*messages, meta=meta))["actions"]
    return rows


def report_of(done: Analysis) -> Row:
    return build_report(done.memory, done.messages.values())


def rules_that_read(sentences: Sequence[str]) -> list[set[str]]:
    """The rules that read each sentence, which Cy says to Ana and Bo."""
    done = talk(("Ana", "Hello."), ("Bo", "Hello."), *[("Cy", sentence) for sentence in sentences])
    records = [*done.messages.values()]
    rows, _ = find_actions(
        done.memory, records, voices(done.memory, records), DecidedTerms(done.memory)
    )
    return [{row["rule"] for row in rows if row["n"] == n} for n in range(3, len(sentences) + 3)]


@pytest.mark.parametrize("rule", shipped_phrases().rules, ids=lambda rule: str(rule.name))
def test_every_rule_reads_its_examples_and_not_its_counterexamples(rule: Rule) -> None:
    """Both kinds travel with the rule; what another rule reads first is another's."""
    assert len(rule.examples.matches) >= 2
    assert len(rule.examples.misses) >= 2
    read = rules_that_read(rule.examples.matches)
    assert read == [{rule.name}] * len(read), rule.examples.matches
    for sentence, names in zip(
        rule.examples.misses, rules_that_read(rule.examples.misses), strict=True
    ):
        assert rule.name not in names, sentence


def test_a_promise_is_the_speakers_and_cites_its_sentence() -> None:
    """The offsets lead back to the very words."""
    words = "Good point. I'll write the runbook by Friday. Bye."
    (row,) = actions_of(("Ana", words))
    assert (row["who"], row["by"], row["n"], row["rule"]) == ("Ana", "Ana", 1, "promised")
    [[n, start, end]] = row["cites"]
    assert (n, words[start:end]) == (1, row["words"])
    assert row["words"] == "I'll write the runbook by Friday."
    assert row["text"] == "write the runbook by Friday"


@pytest.mark.parametrize(
    ("words", "who"),
    [
        ("Bo to write the runbook.", "Bo"),
        ("bo will write the runbook.", "Bo"),
        ("ACTION: Bo to write the runbook", "Bo"),
        ("TODO: the runbook (@Bo)", "Bo"),
        ("Ida Grey will write the runbook.", "Ida Grey"),
        ("Ida will write the runbook.", "Ida Grey"),
        ("ACTION: somebody writes the runbook", None),
    ],
)
def test_what_is_handed_on_is_whose_name_it_bears(words: str, who: str | None) -> None:
    """In any case and by first name; a mark that names nobody is nobody's yet."""
    (row,) = actions_of(("Bo", "Hi."), ("Ida Grey", "Hi."), ("Ana", words))
    assert (row["who"], row["by"]) == (who, "Ana")


def test_a_first_name_that_two_share_is_nobodys() -> None:
    """Rather nothing than the wrong person's."""
    assert not actions_of(
        ("Ida Grey", "Hi."), ("Ida Stone", "Hi."), ("Ana", "Ida will write the runbook.")
    )


def test_who_has_an_alias_is_listed_by_their_own_name() -> None:
    """As everywhere else in memory."""
    done = talk(("Bo", "Hi."), ("Ana", "I'll write the runbook."))
    done.memory.aliases["Ana"] = "Bo"
    done.memory.order_names()
    (row,) = report_of(done)["actions"]
    assert (row["who"], row["by"]) == ("Bo", "Bo")


def test_bots_promise_nothing() -> None:
    """Their words are not read for items either."""
    assert not actions_of(("ci", "I'll build the branch."), meta={"bots": ["ci"]})


def test_a_candidate_names_the_decision_nearby_that_it_follows() -> None:
    """Two stems in common within twenty messages; one, or farther away, is no link."""
    decide = ("Ana", "The nightly backup goes to the second site.", "decide")
    near = actions_of(decide, ("Bo", "I'll set up the nightly backup."))
    assert [row["decision"] for row in near] == ["D1"]
    other = actions_of(decide, ("Bo", "I'll order the cable for the backup."))
    assert [row["decision"] for row in other] == [None]
    chat = [("Cy", "Nice weather.")] * NEAR
    far = actions_of(decide, *chat, ("Bo", "I'll set up the nightly backup."))
    assert [row["decision"] for row in far] == [None]


def test_the_newest_are_kept_and_the_rest_are_counted() -> None:
    """Nothing goes without a word."""
    messages = [("Ana", f"I'll write chapter {k}.") for k in range(MOST + 3)]
    whole = report_of(talk(*messages))
    assert [row["n"] for row in whole["actions"]] == list(range(4, MOST + 4))
    assert whole["left_out"]["actions"] == 3


def test_a_sentence_is_listed_once_whatever_rules_read_it() -> None:
    """Two sentences of one message are two candidates."""
    rows = actions_of(
        ("Bo", "Hi."), ("Ana", "ACTION: Bo will write it, I'll check it. I'll send it.")
    )
    assert [(row["rule"], row["who"]) for row in rows] == [("marked", "Bo"), ("promised", "Ana")]


def test_what_a_scribe_writes_down_is_the_promise_of_whoever_is_named() -> None:
    """Without the name before it; in a chat the same line is the typist's, to that person."""
    here = [(name, "Present.") for name in ("Ana", "Bo", "Cy")]
    minuted = [("Cy", f"{who}: {words}") for who, words in (
        ("Ana", "the pier is dark."), ("Bo", "so it is."), ("Ana", "I'll order a lamp."),
        ("Bo", "will check the price."),
    )]  # fmt: skip
    rows = actions_of(*here, *minuted)
    assert [(row["who"], row["text"]) for row in rows] == [
        ("Ana", "order a lamp"), ("Bo", "check the price"),
    ]  # fmt: skip
    assert not actions_of(*here, *minuted[:3], ("Cy", "Ana: please check the price."))[1:]
    assert not actions_of(("Ana", "Please check the price."), ("Ana", "Will check the price."))
    (row,) = actions_of(*here, ("Cy", "Ana: I'll order a lamp."))
    assert (row["who"], row["by"]) == ("Cy", "Cy")


@pytest.mark.parametrize(
    "words",
    [
        "I'll start with the costs.",
        "I'll show you the map.",
        "I'll share my screen.",
        "I'll put the proposals in the chat.",
        "I will add that.",
        "I'll take this opportunity to order a lamp.",
        "- [ ] All lamps work",  # what is to be true, not to be done
    ],
)
def test_what_is_done_within_the_talk_is_no_action(words: str) -> None:
    """Nobody has to be reminded of it afterwards."""
    assert not actions_of(("Ana", words))


def silent(rows: Iterable[Row]) -> bool:
    return not list(rows)


def test_long_hostile_text_is_read_in_no_time() -> None:
    """Linear in the message, and bounded: a mebibyte of promises gives a few."""
    rows = actions_of(("Ana", "I'll write " * 95_000))
    assert len(rows) <= 64
    assert silent(actions_of(("Ana", "\x00" * 1000 + "?" * 1000)))


@pytest.mark.parametrize(
    ("words", "who", "known", "due"),
    [
        ("ACTION: Gregor to create the page by Friday.", "Gregor", False, "Friday"),
        ("ACTION: Gregor and Ana to create the page", "Gregor and Ana", False, None),
        ("Action #1: collate the answers before 3 May (Ivo Hart)", "Ivo Hart", False, "3 May"),
        ("ACTION: Ana to write the runbook until next week", "Ana", True, "next week"),
        ("ACTION: create a label, tomorrow", None, False, "tomorrow"),
        ("I'll write the runbook by the end of the week.", "Bo", True, "end of the week"),
        ("I'll write the runbook on the new format.", "Bo", True, None),
    ],
)
def test_an_action_says_who_and_by_when(words: str, who: str, known: bool, due: str) -> None:
    """Also of somebody who does not take part: their name as it was written, no participant."""
    (row,) = actions_of(("Ana", "Hello."), ("Bo", words))
    assert (row["who"], row["known"], row["due"]) == (who, known, due)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("ACTION: Gregor to create the page.", "create the page"),
        ("Action #1: Ana to write to Bo", "write to Bo"),
        ("TODO: order the cable", "order the cable"),
        ("ACTION: Gregor and Ana to create it", "create it"),
        ("ACTION: Ana has to do it", "Ana has to do it"),
        ("action: ana to write to Bo", "write to Bo"),
        ("I'll write to Ana.", "write to Ana"),
        (
            "I cannot speak for the yard, but I'll also ask them about the lamp.",
            "ask them about the lamp",
        ),
        (
            "Fine, I'll ask the master of the harbour about the lamp and the wire.",
            "ask the master of the harbour about the lamp and the wire",
        ),
        ("**Fine, I'll go ahead and fix the lamp!**", "fix the lamp"),
        ("Ana will check the price, then.", "check the price"),
        ("The yard has its own mind, so I'll ask them.", "ask them (“The yard has its own mind”)"),
    ],
)
def test_what_is_to_be_done_is_told_as_a_task(words: str, text: str) -> None:
    """Without mark and owner; what was said before it stands behind a short one."""
    (row,) = actions_of(("Ana", "Hello."), ("Bo", words))
    assert row["text"] == text


def test_what_says_nothing_is_told_behind_what_does_or_not_at_all() -> None:
    """ "I will do this next week" alone is no action; the sentence before it may say what."""
    rows = actions_of(
        ("Ana", "I will do this next week."),
        ("Bo", "Somebody has to oil the hinges. I will do that tomorrow."),
        ("Cy", "Morning. I'll take care of it."),
    )
    assert [(row["who"], row["text"], row["due"]) for row in rows] == [
        ("Bo", "do that tomorrow (“Somebody has to oil the hinges.”)", "tomorrow")
    ]


def test_what_points_at_a_decision_just_made_is_what_was_decided() -> None:
    """ "I will do this next week" right behind it; two messages later it is nobody's any more."""
    words = "we paint the boat red before the summer fair."
    voices = [("Bo", "+1"), ("Cy", "+1"), ("Ana", "+1")]
    decided = [("Ana", f"PROPOSAL: {words}"), *voices, ("Ana", f"RESOLVED: {words}")]
    (row,) = actions_of(*decided, ("Bo", "I will do this next week."))
    assert (row["who"], row["decision"], row["due"]) == ("Bo", "D1", "next week")
    assert row["text"].startswith("we paint the boat red")
    chat = [("Cy", "Lovely."), ("Ana", "It is.")]
    assert not actions_of(*decided, *chat, ("Bo", "I will do this next week."))


def test_what_is_done_by_a_word_is_no_action_once_it_is_done() -> None:
    """ "I'll resolve this", and the resolution comes; without one it is still to do."""
    promise = ("Ana", "I'll go ahead and resolve this and then we can clarify it.")
    assert not actions_of(promise, ("Ana", "RESOLVED: the boat is painted red."))
    (row,) = actions_of(promise, ("Bo", "RESOLVED: the boat is painted red."))
    assert row["text"].startswith("resolve this")


def test_who_says_that_it_is_done_is_named_with_it() -> None:
    """By the entry that says so; what somebody else did is no sign of it."""
    promise = ("Ana", "I'll send the offer.")
    (row,) = actions_of(promise, ("Bo", "Done with lunch."), ("Ana", "Sent."))
    assert row["done"] == 3
    (row,) = actions_of(promise, ("Bo", "Sent."))
    assert row["done"] is None


def test_a_mark_before_what_was_done_is_no_action() -> None:
    """Unless it says whose it is."""
    assert not actions_of(("Ana", "**Action:** Sent the note to the yard."))
    (row,) = actions_of(("Ana", "**Action:** Bo to send the note to the yard."))
    assert row["text"] == "send the note to the yard"
