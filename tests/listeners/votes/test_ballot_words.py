"""Whether a ballot is what its words say."""

from __future__ import annotations

from typing import Any

import pytest

from parley.bus.entries import (
    BallotCast,
    Message,
    ParticipantJoined,
    SessionOpened,
    VoteInitiated,
)
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.listeners.votes.ballot_words import Side, bears, contradiction, read_side
from parley.memory.fold.apply import apply
from parley.memory.state.memory import Memory
from tests.support.logs.logs import numbered

AGENTS = ("ana", "bo", "cyd", "eli")
MAY = ("propose", "support", "oppose", "vote")


@pytest.fixture(scope="module")
def table() -> Memory:
    """P1 is bo's: ana opposes it, cyd supports it if, eli said nothing of it. V1 is on P1."""
    log: list[Any] = [
        SessionOpened(packs=newest_packs()),
        *(ParticipantJoined(participant=name, role="agent", may=MAY) for name in AGENTS),
        Message(participant="bo", content="Use DuckDB for the notebook.", act="propose"),
        Message(participant="ana", content="I oppose P1, it is young."),
        Message(participant="cyd", content="I support P1 if it is free."),
        VoteInitiated(participant="bo", content="DuckDB?", re="P1"),
        VoteInitiated(participant="bo", content="Tea?", options=("accept", "tea")),
    ]
    memory = Memory(known_packs())
    for record in numbered(log):
        apply(memory, record)
    return memory


def ballot(choice: str, why: str = "") -> BallotCast:
    return BallotCast(participant="ana", re="V1", choice=(choice,), content=why)


@pytest.mark.parametrize(
    ("why", "side"),
    [
        ("I support P1: it is fast.", "accept"),
        ("The proposal is reasonable, and I would accept it.", "accept"),
        ("I agree with the proposal.", "accept"),
        ("My vote is to accept P1.", "accept"),
        ("I oppose P1, as it takes an hour.", "reject"),
        ("It takes an hour. I would choose to reject it.", "reject"),
        ("I would not accept it, it is young.", "reject"),
        ("I don't want to accept this.", "reject"),
        ("I would not reject it.", "accept"),
        ("I have concerns about P1.", "reject"),
        ("It is young.", None),
        ("I support P2.", None),
        ("I support P1. I oppose P1.", None),
        ("Those who accept it have not read it.", None),
        ("", None),
    ],
)
def test_a_reason_takes_a_side_where_it_says_so(table: Memory, why: str, side: Side | None) -> None:
    """In its speaker's own name, on that proposal; of two sides it takes none."""
    assert read_side(table, why, "P1") == side


@pytest.mark.parametrize(
    ("who", "choice", "why", "doubt"),
    [
        ("ana", "accept", "", "You opposed P1 in message 2, and your ballot was to accept it."),
        ("ana", "reject", "", ""),
        ("ana", "abstain", "I oppose P1.", ""),
        ("bo", "reject", "", "You supported P1 in message 1, and your ballot was to reject it."),
        ("cyd", "reject", "It is dear.", ""),
        ("eli", "accept", "So be it.", ""),
        ("eli", "accept", "I oppose P1.", "Your reason opposes P1, and your ballot was to accept"),
        ("eli", "reject", "I agree to P1.", "Your reason supports P1, and your ballot was to reje"),
    ],
)
def test_a_ballot_is_doubted_where_words_are_against_it(
    table: Memory, who: str, choice: str, why: str, doubt: str
) -> None:
    """Its reason's, or a message's that took a side without an if, or made the proposal."""
    asked = contradiction(table, who, table.votes.by_ref[1], ballot(choice, why))
    assert asked.startswith(doubt) if doubt else not asked


def test_options_of_other_votes_are_no_sides(table: Memory) -> None:
    """A vote that is about no proposal is on what its question says."""
    assert contradiction(table, "ana", table.votes.by_ref[2], ballot("accept")) == ""


def test_who_changes_its_mind_says_so(table: Memory) -> None:
    """A ballot against what was said in the talk counts with a reason that takes the new side."""
    vote = table.votes.by_ref[1]
    assert bears(table, "ana", vote, ballot("accept", "I support P1, now that it is tested."))
    assert not bears(table, "ana", vote, ballot("accept", "It is tested."))
    assert not bears(table, "eli", vote, ballot("accept", "I oppose P1."))
