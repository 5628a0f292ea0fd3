"""What an evaluation may answer, and what is made of it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from parley.bus.entries import Message, ParticipantJoined
from parley.listeners.agents.answer_entries import BidTerms, read_bid
from parley.listeners.agents.prompts import Evaluation, Panel, says_nothing, speech_prompt
from parley.listeners.models.structured_answers import schema_of
from parley.memory.settings.floor_settings import SpeakSettings
from parley.memory.state.floor_state import Bid
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import count_tokens
from tests.support.logs.logs import folded, numbered, opened
from tests.support.sessions.talkers import persona


@pytest.fixture(scope="module")
def table() -> Memory:
    """P1 is bo's, and ana supports it; cyd may only oppose."""
    log: list[Any] = [
        opened(),
        ParticipantJoined(participant="ana", role="agent"),
        ParticipantJoined(participant="bo", role="agent"),
        ParticipantJoined(participant="cyd", role="agent", may=("oppose",)),
        Message(participant="bo", content="Use DuckDB for the notebook.", act="propose"),
        Message(participant="ana", content="It is fast.", act="support", re="P1"),
    ]
    return folded(numbered(log))[0]


@pytest.mark.parametrize(
    ("field", "value", "read"),
    [
        ("urgency", 9, 3),
        ("urgency", -1, 0),
        ("urgency", "2", 2),
        ("urgency", "high", 1),
        ("urgency", None, 1),
        ("urgency", 2.7, 2),
        ("act", "BID", "bid"),
        ("act", "propose", "bid"),
        ("act", "listen", "pass"),
        ("intent", "praise", "answer"),
        ("intent", "Support", "support"),
        ("re", None, ""),
        ("re", 4, "4"),
        ("novelty", ["a"], ""),
    ],
)
def test_what_is_out_of_range_is_clamped(field: str, value: object, read: object) -> None:
    """One odd value does not cost the whole answer."""
    answer = Evaluation.model_validate({"act": "bid", field: value})
    assert getattr(answer, field) == read


def test_the_reason_comes_first_and_the_fields_are_few() -> None:
    """A model that writes why before it writes what has thought about it."""
    asked = list(schema_of(Evaluation).schema["properties"])
    assert asked == ["reason", "act", "intent", "re", "novelty", "urgency"]


def test_an_answer_as_long_as_its_schema_lets_it_be_is_not_cut() -> None:
    """So none ends within its reason where an endpoint holds answers to the schema."""
    fields = schema_of(Evaluation).schema["properties"]
    longest = {
        name: ("words " * 40)[: field["maxLength"]] if field["type"] == "string" else 3
        for name, field in fields.items()
        if "enum" not in field
    }
    answer = json.dumps({**longest, "act": "bid", "intent": "support"}, indent=4)
    assert count_tokens(answer) <= SpeakSettings().eval_out


def test_a_panels_answer_counts_for_those_it_names() -> None:
    """One entry that names nobody does not cost the others theirs."""
    bids = [{"act": "bid"}, {"participant": "ana", "act": "bid", "urgency": 7}, "bo"]
    (bid,) = Panel.model_validate({"bids": bids}).bids
    assert (bid.participant, bid.urgency) == ("ana", 3)


@pytest.mark.parametrize(
    ("who", "answer", "terms"),
    [
        ("ana", {"novelty": "a price"}, BidTerms(1, "answer", None, "a price")),
        ("ana", {}, BidTerms(1, "answer", None, "")),  # not asked for what is new
        ("ana", {"novelty": "None"}, None),
        ("ana", {"novelty": "", "intent": "propose", "urgency": 0}, None),
        ("ana", {"novelty": "Nothing new.", "re": "the proposal to use DuckDB"}, None),
        (
            "bo",
            {"novelty": "none", "intent": "oppose", "re": "p1"},
            BidTerms(1, "oppose", "P1", ""),
        ),
        ("ana", {"novelty": "none", "intent": "support", "re": "P1"}, None),  # it did already
        ("bo", {"novelty": "none", "intent": "support", "re": "P9"}, None),
        ("bo", {"novelty": "x", "intent": "support", "re": "P9"}, BidTerms(1, "answer", None, "x")),
        ("cyd", {"novelty": "x", "intent": "propose"}, BidTerms(1, "answer", None, "x")),
        ("cyd", {"novelty": "x", "intent": "vote", "re": "P1"}, BidTerms(1, "answer", "P1", "x")),
        ("cyd", {"novelty": "x", "re": 'P1 bo: "Use DuckDB"'}, BidTerms(1, "answer", "P1", "x")),
        ("cyd", {"novelty": "x", "re": "P1 or D4"}, BidTerms(1, "answer", None, "x")),
        ("ana", {"novelty": "x", "re": "n 1"}, BidTerms(1, "answer", 1, "x")),
        ("ana", {"novelty": "x", "re": "[2]"}, BidTerms(1, "answer", 2, "x")),
        ("ana", {"novelty": "x", "re": 99}, BidTerms(1, "answer", None, "x")),
        # Of whether to speak, not of what to say.
        ("ana", {"novelty": "The Ana should respond."}, BidTerms(1, "answer", None, "")),
        ("ana", {"novelty": "P1"}, BidTerms(1, "answer", None, "")),
        ("ana", {"novelty": "P"}, BidTerms(1, "answer", None, "")),
        # What somebody said, from its beginning.
        (
            "ana",
            {"novelty": "Which tool shall the notebook have? Please prop"},
            BidTerms(1, "answer", None, ""),
        ),
        (
            "ana",
            {"novelty": "Which tool shall the notebook hav"},  # cut at its limit
            BidTerms(1, "answer", None, ""),
        ),
        ("ana", {"novelty": "proposal"}, BidTerms(1, "answer", None, "")),
        ("ana", {"novelty": "a notebook"}, BidTerms(1, "answer", None, "a notebook")),
    ],
)
def test_a_bid_adds_something_that_its_speaker_may(
    table: Memory, who: str, answer: dict[str, object], terms: BidTerms | None
) -> None:
    """Else it is a pass, or a plain answer."""
    recent = [("bo", "Which tool shall the notebook have? Please propose DuckDB or SQLite.")]
    evaluation = Evaluation.model_validate({"act": "bid", **answer})
    assert read_bid(table, who, evaluation, recent) == terms


@pytest.mark.parametrize("act", ["pass", "done"])
def test_a_pass_is_no_bid(table: Memory, act: str) -> None:
    """Whatever else the answer says."""
    answer = Evaluation.model_validate({"act": act, "novelty": "a price"})
    assert read_bid(table, "ana", answer) is None


@pytest.mark.parametrize("novelty", ["None", "", "N/A", "nothing to add", "| None"])
def test_what_adds_nothing_is_not_told_as_an_addition(table: Memory, novelty: str) -> None:
    """Neither is it quoted to the one who is to write the message."""
    assert says_nothing(novelty)
    bid = Bid(heard=1, intent="answer", novelty=novelty)
    prompt = speech_prompt(persona("ana"), "ana", table, [], bid)
    assert "You asked" not in prompt.user


@pytest.mark.parametrize(
    "novelty", ["No test covers it", "none of us measured it", "nothing reads it"]
)
def test_what_begins_with_a_denial_may_be_new(novelty: str) -> None:
    """Only what says nothing else adds nothing."""
    assert not says_nothing(novelty)


def test_tags_are_offered_where_no_bid_says_what_the_message_does(table: Memory) -> None:
    """A small model uses whichever it is offered."""
    assert "[OPPOSE P1]" in speech_prompt(persona("cyd"), "cyd", table, [], None).user
    for intent in (Bid(heard=1, intent="ask"), Bid(heard=1, intent="oppose", re="P1")):
        prompt = speech_prompt(persona("cyd"), "cyd", table, [], intent)
        assert "[OPPOSE" not in prompt.user + prompt.system


def test_no_example_names_an_item_that_could_be_taken_for_one(table: Memory) -> None:
    """The only handles in a prompt are those that there are."""
    prompt = speech_prompt(persona("ana"), "ana", table, [], None)
    handles = set(re.findall(r"\b[PDV][0-9]+", prompt.user + prompt.system))
    assert handles == {"P1"}


@pytest.mark.parametrize(("fault", "least"), [("", 0.0), ("you said that before", 0.8)])
def test_what_is_asked_anew_is_asked_warmer(table: Memory, fault: str, least: float) -> None:
    """Else a small model writes the same again."""
    prompt = speech_prompt(persona("ana"), "ana", table, [], None, fault)
    assert prompt.least_temperature == least
