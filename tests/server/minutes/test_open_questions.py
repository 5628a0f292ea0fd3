"""What was asked and not answered, as far as words can tell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from parley.server.minutes.minutes_report import build_report
from parley.server.minutes.open_questions import MOST
from parley.server.minutes.replies import AFTER
from parley.server.records.transcript_analysis import Analysis, analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript

Row = dict[str, Any]


def talk(*messages: Row | tuple[str, str]) -> Analysis:
    """What was said, analysed; a row may bring `act`, `re`, `to`."""
    rows = []
    for index, message in enumerate(messages):
        row = (
            {"agent_id": message[0], "content": message[1]}
            if isinstance(message, tuple)
            else message
        )
        rows.append({"index": index, **row})
    data = "\n".join(json.dumps(row) for row in rows).encode()
    return analyze(parse_transcript(data), resolve_defaults({}, {}))


def unresolved(*messages: Row | tuple[str, str]) -> list[Row]:
    done = talk(*messages)
    rows: list[Row] = build_report(done.memory, done.messages.values())["questions"]
    return rows


ASKED = ("Ana", "What would the migration cost?")
CHAT: Row = {"agent_id": "Bo", "content": "Lunch was good today.", "to": ["Dee"]}


def test_a_question_that_nobody_took_up_is_unresolved() -> None:
    """With its asker, its words and where they stand."""
    (row,) = unresolved(ASKED, CHAT, CHAT)
    assert (row["participant"], row["text"], row["n"]) == ("Ana", ASKED[1], 1)
    assert row["cites"] == [[1, 0, len(ASKED[1])]]


def test_a_word_of_it_by_somebody_else_is_an_answer() -> None:
    """Not one's own word, and not another question."""
    assert not unresolved(ASKED, CHAT, ("Bo", "The migration? About two days."))
    assert unresolved(ASKED, ("Ana", "The migration, I mean."))
    assert unresolved(ASKED, ("Bo", "Which migration?"))


def test_an_answer_comes_soon_or_says_what_it_answers() -> None:
    """Within eight messages, or under a `re` at any distance."""
    late = {"agent_id": "Bo", "content": "Two days for the migration."}
    chat = [CHAT] * AFTER
    assert unresolved(ASKED, *chat, late)
    done = talk(ASKED, *chat, {**late, "content": "Two days.", "re": 0})
    assert not build_report(done.memory, done.messages.values())["questions"]


def test_yes_or_no_answers_what_can_be_answered_so() -> None:
    """A bare one; and it is no answer to how much."""
    assert not unresolved(("Ana", "Can we still ship on Friday?"), ("Bo", "Yes, easily."))
    assert unresolved(ASKED, ("Bo", "Yes."))


def test_a_question_on_what_is_settled_is_over() -> None:
    """The item is named by its handle; while it is open the question is, too."""
    offer = {"agent_id": "Ana", "content": "Use SQLite.", "act": "propose"}
    asked = {"agent_id": "Bo", "content": "Who backs up P1?"}
    (row,) = unresolved(offer, asked, CHAT)
    assert row["about"] == ["P1"]
    drop = {"agent_id": "Ana", "content": "I withdraw P1.", "act": "withdraw", "re": "P1"}
    assert not unresolved(offer, asked, drop)


def test_marked_as_a_question_it_needs_no_mark_of_one() -> None:
    """`act: ask` is the speaker's own word."""
    (row,) = unresolved({"agent_id": "Ana", "content": "Tell me the price", "act": "ask"})
    assert (row["how"], row["text"]) == ("act", "Tell me the price")


def test_the_next_to_speak_is_taken_to_answer() -> None:
    """In words of their own, unless they say that they speak to somebody or something else."""
    assert not unresolved(ASKED, ("Bo", "Two days, I would say."))
    offer = {"agent_id": "Cy", "content": "Use SQLite.", "act": "propose"}
    assert unresolved(offer, ASKED, {"agent_id": "Bo", "content": "Rather not that.", "re": 0})
    assert unresolved(("Cy", "Hi."), ASKED, ("Bo", "Cy, lunch was good today."))
    assert unresolved(ASKED, ("Bo", "+1"), ("Cy", "-1"))


def test_whoever_is_asked_by_name_answers_by_speaking() -> None:
    """Anybody else only by a word of it."""
    asked = ("Ana", "Bo, what would the migration cost?")
    here = (("Bo", "Hi."), ("Cy", "Hi."))
    assert not unresolved(*here, asked, ("Cy", "Hm, I see."), ("Bo", "Let us measure that first."))
    assert unresolved(*here, asked, ("Cy", "Let us measure that first."))
    assert not unresolved(*here, asked, ("Cy", "A migration? Two days."))


def test_a_word_is_no_name_because_somebody_is_called_so() -> None:
    """Where it is not written as one."""
    asked = ("Ana", "Who will be asked to pay for it?")
    assert not unresolved(("Will Reed", "Hi."), asked, ("Bo", "Let us see about that."))


def test_a_later_decision_on_the_same_resolves_it() -> None:
    """Most of its words; what was decided before it was asked did not."""
    decide = [
        {"agent_id": "Bo", "content": "Paint the pier lamp blue.", "act": "propose"},
        {"agent_id": "Ana", "content": "I agree.", "act": "accept", "re": "P1"},
        {"agent_id": "Dee", "content": "I do, too.", "act": "support", "re": "P1"},
    ]
    asked = ("Cy", "Which lamp for the pier?")
    chat = [CHAT] * AFTER
    assert not unresolved(("Ana", "Hi."), asked, *chat, *decide)
    assert unresolved(*decide, asked, *chat)


def test_what_a_scribe_writes_down_is_asked_and_answered_by_whoever_is_named() -> None:
    """Also where the names before the lines are no participants'."""
    lines = ("ann: who signs the contract?", "bob: hmm, the city does that.")
    assert not unresolved(*[("Cy", line) for line in lines])
    assert unresolved(*[("Cy", line) for line in ("ann: who signs it?", "ann: and when.")])


def test_silence_answers_an_invitation() -> None:
    """Nobody has to say that there is nothing."""
    assert not unresolved(("Bo", "Hi."), ("Ana", "Any other business?"))


@pytest.mark.parametrize(
    "words",
    [
        "So, who signs the contract?",
        "If it rains, where do we meet?",
        "Bo, the usual place?",
        "Wer unterschreibt den Vertrag?",
        "¿Cuándo empezamos?",
        "誰が署名しますか？",
        "מתי מתחילים?",
    ],
)
def test_questions_open_as_such_or_name_somebody(words: str) -> None:
    """In the languages that are read."""
    assert len(unresolved(("Bo", "Hi."), ("Ana", words))) == 1


@pytest.mark.parametrize(
    "words",
    [
        "Great idea?",
        "Ana, the usual place?",  # she is the speaker
        'He asked "who signs the contract?" and left.',
        "`what?`",
        "See https://example.org/?what",
    ],
)
def test_what_only_has_the_mark_is_none(words: str) -> None:
    """Neither a shrug, nor a quotation, code or an address."""
    assert not unresolved(("Bo", "Hi."), ("Ana", words))


def test_a_question_without_a_word_of_its_own_is_answered_by_the_next_voice() -> None:
    """ "Why?" shares no word with any answer."""
    assert not unresolved(("Ana", "Why is that so?"), CHAT)
    assert unresolved(("Ana", "Why is that so?"), ("Ana", "Hm."))


def test_the_newest_are_kept_and_the_rest_are_counted() -> None:
    """Nothing goes without a word."""
    done = talk(*[("Ana", f"Who pays for item{k}?") for k in range(MOST + 2)])
    whole = build_report(done.memory, done.messages.values())
    assert [row["n"] for row in whole["questions"]] == list(range(3, MOST + 3))
    assert whole["left_out"]["questions"] == 2


def test_a_mebibyte_of_question_marks_is_read_in_no_time() -> None:
    """At most three questions of one message are listed."""
    assert not unresolved(("Ana", "?" * 1_000_000))
    assert len(unresolved(("Ana", "Who? " * 200_000))) <= 3
