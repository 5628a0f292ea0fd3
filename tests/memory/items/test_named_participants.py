"""Whose proposal a stance is for, which one a withdrawal is of, and ballots by handle."""

from __future__ import annotations

import pytest

from parley.bus.entries import Message, SessionOpened
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from tests.support.logs.logs import numbered

CACHE = ("ann", "I propose that we use the LRU cache for sessions.")
QUEUE = ("ben", "I propose that we move the queue to Redis.")


def talked(*lines: tuple[str, str]) -> Memory:
    """What comes of talk in a session that opens with the newest packs."""
    said = [Message(participant=who, content=content) for who, content in lines]
    return fold_records(
        Memory(known_packs()), numbered([SessionOpened(packs=newest_packs()), *said])
    )


def stances(memory: Memory, who: str = "cy") -> dict[int, str]:
    """What `who` thinks of each proposal, by its number."""
    return {
        ref: each.reactions[who].stance
        for ref, each in memory.proposals.items()
        if who in each.reactions
    }


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("@ann I agree", {1: "support"}),
        ("@ann, I disagree: it evicts hot keys.", {1: "oppose"}),
        ("I agree with ann's proposal", {1: "support"}),
        ("I agree with ann.", {1: "support"}),
        ("@ben I agree with ann", {1: "support"}),
        ("ann: I agree", {1: "support"}),
        ("I'm against Ben's plan.", {2: "oppose"}),
        ("+1 to ann's proposal", {1: "support"}),
        ("@ann +1", {1: "support"}),
        ("I agree", {}),
        ("@dora I agree", {}),
    ],
)
def test_a_stance_is_on_the_proposal_of_whom_it_names(words: str, expected: dict[int, str]) -> None:
    """Of two that are open; it is inferred, so it counts toward no quorum."""
    memory = talked(CACHE, QUEUE, ("cy", words))
    assert stances(memory) == expected
    assert not any(memory.proposals[ref].reactions["cy"].counted for ref in expected)


def test_it_is_on_the_newest_that_is_open_of_theirs() -> None:
    memory = talked(
        CACHE, ("ann", "I propose that we log each miss."), QUEUE, ("cy", "@ann I agree")
    )
    assert stances(memory) == {2: "support"}


def test_nobody_is_meant_by_a_name_that_two_have() -> None:
    lines = [("ann lee", CACHE[1]), ("ann wu", "I propose that we log each miss."), QUEUE]
    assert stances(talked(*lines, ("cy", "@ann I agree"))) == {}
    assert stances(talked(*lines, ("cy", "I agree with Ann Wu"))) == {2: "support"}


def test_a_vote_that_names_whose_proposal_it_is_on_stays_there() -> None:
    """What stands nearer takes no such vote when it turns out to be a proposal."""
    memory = talked(
        CACHE, ("ben", "Move the queue to Redis?"), ("cy", "+1 to ann's proposal"),
        ("dee", "+1"), ("eve", "+1"), ("ben", "RESOLVED: Move the queue to Redis"),
    )  # fmt: skip
    assert stances(memory)[1] == "support"


@pytest.mark.parametrize(
    ("words", "withdrawn"),
    [
        ("I withdraw the LRU.", [1]),
        ("OK, I take back the cache, it evicts hot keys.", [1]),
        ("I'm withdrawing the queue idea.", [2]),
        ("I retract my suggestion about the LRU.", [1]),
        ("I withdraw my proposal.", [2]),
        ("I withdraw it.", [2]),
        ("Withdrawn.", [2]),
        ("I withdraw the objection.", []),
        ("I withdraw the printer.", []),
        ("I will not withdraw the LRU.", []),
    ],
)
def test_a_withdrawal_is_of_what_it_names(words: str, withdrawn: list[int]) -> None:
    """Else of their newest, where it is only said that it is a proposal of theirs."""
    memory = talked(CACHE, ("ann", QUEUE[1]), ("ann", words))
    assert [
        ref for ref, each in memory.proposals.items() if each.status == "withdrawn"
    ] == withdrawn


def test_an_act_of_withdrawal_is_of_what_its_words_name() -> None:
    said = [
        Message(participant="ann", content=content, act=act)
        for content, act in (
            ("Use the LRU cache.", "propose"), ("Move the queue.", "propose"),
            ("The LRU, it evicts hot keys.", "withdraw"),
        )
    ]  # fmt: skip
    memory = fold_records(
        Memory(known_packs()), numbered([SessionOpened(packs=newest_packs()), *said])
    )
    assert [each.status for each in memory.proposals.values()] == ["withdrawn", "active"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("- P1: yes\n- P2: no", {1: "support", 2: "oppose"}),
        ("My votes:\n1. **P1**: agree\n2. **P2**: abstain", {1: "support", 2: "neutral"}),
        ("P1: yes, P2: no", {1: "support", 2: "oppose"}),
        ("- P1 = against, it evicts hot keys", {1: "oppose"}),
        ("P1: no tests ran", {}),
        ("P1: for the record", {}),
        ("Is it P1: yes?", {}),
        ("- P1: yes (3 of 4)", {}),
    ],
)
def test_a_list_of_handles_is_ballots(words: str, expected: dict[int, str]) -> None:
    """Each names its proposal, so it counts."""
    memory = talked(CACHE, QUEUE, ("cy", words))
    assert stances(memory) == expected
    assert all(memory.proposals[ref].reactions["cy"].counted for ref in expected)


def test_what_follows_a_handle_with_its_words_is_another() -> None:
    """ "P1 is withdrawn, P2 stands" says nothing of P2."""
    memory = talked(CACHE, ("ann", QUEUE[1]), ("ann", "P1 is withdrawn, P2 stands."))
    assert [each.status for each in memory.proposals.values()] == ["withdrawn", "active"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("Propose to move the queue to Redis.", "move the queue to Redis"),
        ("suggest moving the queue to Redis", "moving the queue to Redis"),
        ("Let's use the LRU cache.", "use the LRU cache"),
        ("Maybe we should move the queue to Redis.", "move the queue to Redis"),
        ("Motion to adjourn until next week.", "adjourn until next week"),
        ("How about a rota, reviewed in March?", "a rota, reviewed in March"),
    ],
)
def test_a_proposal_keeps_its_verb(words: str, text: str) -> None:
    assert talked(("ann", words)).proposals[1].text == text
