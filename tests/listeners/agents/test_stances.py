"""What an agent's words are for or against: outright, on a condition, without a handle."""

from __future__ import annotations

from typing import Any

import pytest

from parley.bus.entries import Message, ParticipantJoined, SessionOpened
from parley.listeners.agents.answer_entries import (
    SpokenAnswer,
    keep_valid_tags,
    message_entry,
)
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.listeners.votes.stance_words import is_conditional
from parley.memory.fold.apply import apply
from parley.memory.state.floor_state import Bid
from parley.memory.state.memory import Memory
from tests.support.logs.logs import numbered

DUCKDB = "I would move the readings to DuckDB, which is optimized for the analysis of large data."
SQLITE = "keeping SQLite and storing the data in a format that is easy to access and maintain"


def read(*entries: Any) -> Memory:
    """Memory of a table where emil proposed DuckDB, and then of `entries`."""
    memory = Memory(known_packs())
    seats = [ParticipantJoined(participant=name, role="agent") for name in ("emil", "finn", "gita")]
    first = Message(participant="emil", content=DUCKDB, act="propose")
    for record in numbered([SessionOpened(packs=newest_packs()), *seats, first, *entries]):
        apply(memory, record)
    return memory


def bid(intent: str, re: str | None = "P1") -> Bid:
    return Bid(heard=1, intent=intent, re=re)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("I support P1. It reads whole months at once.", True),
        ("I support P1 if somebody measures it first.", False),
        ("If somebody measures it first, I support P1.", False),
        ("As long as the tests pass, I support P1.", False),
        ("I support it, provided that the backup is tried.", False),
        ("I could live with it if somebody measured it first.", False),
        ("I would be for it, unless it costs more than the disk that we have.", False),
    ],
)
def test_who_agrees_on_a_condition_supports_nothing_yet(text: str, counts: bool) -> None:
    """Though its bid was to support: the message is no act, and what the fold reads has its if."""
    message = message_entry(read(), "gita", text, bid("support"))
    assert (message.act == "support") is counts
    reaction = read(message).proposals[1].reactions.get("gita")
    assert (reaction is not None and not reaction.conditional) is counts


def test_who_gives_a_proposal_back_on_a_condition_is_asked_for_a_stance() -> None:
    """And is silent where the second draft is no better; outright it is support."""
    memory = read(Message(participant="finn", content=f"I would suggest {SQLITE}."))
    draft = (
        f"If the move to DuckDB does not work out, I would propose {SQLITE}. It is what we know."
    )
    for refused in ("", "P2 says that already"):
        answer = keep_valid_tags(memory, "gita", SpokenAnswer(draft), None, refused)
        assert not answer.text
        assert not answer.supports
        assert "P2 says that already" in answer.fault
    outright = SpokenAnswer(f"I would propose {SQLITE}. It is what we know.")
    assert keep_valid_tags(memory, "gita", outright, None, "said before").supports == "P2"


@pytest.mark.parametrize(
    "text",
    [
        "I would oppose the decision to move the readings to DuckDB. Nobody here knows it well.",
        "I oppose moving the readings, because nobody here knows it well enough to mend it.",
        "I am against this. Nobody here knows it.",
        "I disagree with Emil. Nobody here knows it.",
        "I object.",
    ],
)
def test_who_is_against_what_alone_is_open_opposes_it(text: str) -> None:
    """Without its handle, whether the bid named it or nothing did."""
    for intent in (None, bid("answer", None), bid("answer")):
        message = message_entry(read(), "finn", text, intent)
        assert (message.act, message.re) == ("oppose", "P1")
        assert read(message).proposals[1].reactions["finn"].stance == "oppose"


def test_who_opposes_and_proposes_something_else_is_recorded_for_both() -> None:
    """The message is on the proposal that it opposes, and does two things in its words."""
    text = f"I would oppose the decision to move the readings to DuckDB. I would suggest {SQLITE}."
    message = message_entry(read(), "finn", text, None)
    assert (message.act, message.re) == (None, "P1")
    memory = read(message)
    reaction = memory.proposals[1].reactions["finn"]
    assert (reaction.stance, reaction.counted) == ("oppose", True)
    assert memory.proposals[2].text == SQLITE


@pytest.mark.parametrize(
    "text",
    [
        "I would oppose keeping SQLite for the readings of another year.",
        "I would oppose the longer way.",
        "I disagree with Gita. It is fast.",
        "I would oppose moving the readings to DuckDB if it cost more than a disk.",
        "Should I oppose moving the readings to DuckDB?",
        "I would not oppose moving the readings to DuckDB.",
        "I disagree that moving the readings to DuckDB is slow.",
        "I would oppose not moving the readings to DuckDB.",
    ],
)
def test_who_is_against_something_else_opposes_nothing_that_is_open(text: str) -> None:
    """Other words, somebody else's, on a condition, asked, or denied."""
    message = message_entry(read(), "finn", text, None)
    assert message.act != "oppose"
    reaction = read(message).proposals[1].reactions.get("finn")
    assert reaction is None or reaction.conditional or not reaction.counted


def test_opposition_is_of_none_where_two_are_open_or_it_is_ones_own() -> None:
    """It could be either; and nobody opposes what they made."""
    text = "I oppose this. Nobody here knows it well enough."
    two = read(Message(participant="gita", content="I suggest that we buy a disk.", act="propose"))
    assert message_entry(two, "finn", text, None).act != "oppose"
    assert message_entry(two, "finn", text, bid("answer", "P2")).re == "P2"
    assert message_entry(read(), "emil", text, None).act != "oppose"


def test_a_condition_that_is_none_in_words() -> None:
    """A turn of speech hangs on nothing."""
    assert is_conditional("If it fails, we go back.")
    assert not is_conditional("If I were to decide, we go back.")
    assert not is_conditional("Even if it fails, we go on.")


@pytest.mark.parametrize(
    ("text", "act", "handle"),
    [
        ("I would support the decision to move the readings to DuckDB.", "support", "P1"),
        ("I would oppose the decision to move the readings to DuckDB.", "oppose", "P1"),
        ("I support keeping SQLite and storing the data as we do.", "support", "P2"),
        ("I would support the decision to buy a larger disk.", None, None),
        ("I agree that moving the readings to DuckDB is slow.", None, None),
        ("I would support not moving the readings to DuckDB.", None, None),
        ("I would support moving the readings to DuckDB if it were tried first.", None, None),
    ],
)
def test_words_of_a_proposal_say_which_of_several_is_meant(
    text: str, act: str | None, handle: str | None
) -> None:
    """Whatever the bid was on: the words are what the speaker said."""
    first = Message(participant="finn", content=f"I would suggest {SQLITE}.")
    for intent in (None, bid("answer", "P2"), bid("ask", "P1")):
        message = message_entry(read(first), "gita", text, intent)
        if act is None:
            assert message.act not in ("support", "oppose")
        else:
            assert (message.act, message.re) == (act, handle)
    long = f"{text} The data is critical to all that we do, and the reports read whole months."
    if act is not None:
        assert len(read(first, message_entry(read(first), "gita", long, None)).proposals) == 2


def test_what_somebody_would_propose_in_a_case_that_may_come_is_no_proposal() -> None:
    """It says what it would do then, and does nothing now."""
    text = "If we have doubts about the move, I would propose keeping SQLite. It is robust."
    message = message_entry(read(), "emil", text, None)
    assert message.act == "inform"
    assert len(read(message).proposals) == 1
    outright = message_entry(read(), "emil", text.partition(", ")[2], None)
    assert len(read(outright).proposals) == 2


def test_who_agrees_with_its_proposer_and_proposes_it_again_is_for_it() -> None:
    """Not who agrees with somebody else, or if something holds."""
    memory = read(Message(participant="finn", content=f"I would suggest {SQLITE}."))
    again = (
        "It would be better to keep SQLite and store the data in a format that is easy to access."
    )
    for whom, supports in (("finn", "P2"), ("emil", ""), ("finn if it is fast", "")):
        draft = f"I agree with {whom}. Moving it would be a risk for all of us. {again}"
        answer = keep_valid_tags(memory, "gita", SpokenAnswer(draft), None, "it was said")
        assert answer.supports == supports
        assert bool(answer.text) is bool(supports)


def test_who_is_for_its_own_proposal_in_words_of_it_proposes_nothing_anew() -> None:
    """It says so again; the group has a single question, not two."""
    text = (
        "I would vote for moving the readings to DuckDB. This would ensure that the reports are "
        "fast, and that the group can easily read whole months. It is an effective way to do it."
    )
    message = message_entry(read(), "emil", text, None)
    assert (message.act, message.re) == ("inform", "P1")
    assert len(read(message).proposals) == 1
