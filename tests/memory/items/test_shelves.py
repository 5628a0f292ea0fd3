"""Candidates: what is not sure enough is in no context, tally or quorum until it is taken up."""

from __future__ import annotations

import pytest

from parley.bus.entries import BallotCompleted, Entry, ItemCorrected, Message, VoteInitiated
from parley.memory.context.context import Request, assemble
from parley.memory.extraction.structure.shelves import (
    FIRM,
    PRECISION,
    family_of,
    is_sure,
    may_count,
)
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.item_state import Cite, LinkedBy, Origin
from parley.memory.statistics.statistics import count_memory
from tests.support.logs.logs import PACKS, folded, talk

MARKED = ("ana", "[PROPOSAL] Buy a second rack")
SAID = ("bo", "I propose that we move the index to the second disk.")
DECIDED = ("bo", "Let's go with Redis for the sessions.")
LATER = [("eli", f"Remark {index} of the day.") for index in range(3)]


def origin(how: str, rule: str, link: LinkedBy = "") -> Origin:
    return Origin((Cite(1),), how, rule, 600, link)  # type: ignore[arg-type]


def test_families_below_the_line_are_candidates() -> None:
    """And so is a family that nobody measured."""
    for (kind, family), precision in PRECISION.items():
        rule = {"writing": "writing/x", "chat": "en@5/x", "structure": "wording"}[family]
        found = origin("structure" if family == "structure" else "pattern", rule)
        assert family_of(found) == family
        assert is_sure(kind, found) is (precision >= FIRM)
    assert not is_sure("side", origin("structure", "wording"))
    assert is_sure("side", origin("tag", "vote/+1", "near"))
    assert is_sure("side", origin("pattern", "en@5/support.agree", "handle"))


@pytest.mark.parametrize(
    ("how", "rule", "links"),
    [
        ("act", "act/support", {"", "handle", "reply", "quote"}),
        ("tag", "tag/support", {"", "handle", "reply", "quote"}),
        ("tag", "vote/+1", {"handle", "reply"}),
        ("pattern", "en@5/support.agree", {"handle"}),
        ("pattern", "writing/support.agree", {"handle"}),
    ],
)
def test_what_may_count_names_its_item(how: str, rule: str, links: set[str]) -> None:
    every: tuple[LinkedBy, ...] = ("", "handle", "reply", "quote", "name", "near", "answer")
    assert {link for link in every if may_count(origin(how, rule, link))} == links


def shelf_of(handle: str, *lines: tuple[str, str] | Entry) -> tuple[str, bool]:
    """The shelf of `handle` after `lines`, and whether the context of a participant has it."""
    records = talk(*lines)
    memory, _ = folded(records)
    item = ledger_of(memory).item(handle)
    assert item is not None
    return item.shelf, f"- {handle} " in assemble(memory, Request("dee")).text


def test_a_candidate_is_in_no_context_and_no_count() -> None:
    """It keeps its number, and stands on the other shelf."""
    memory, facts = folded(talk(MARKED, SAID, DECIDED, *LATER))
    assert [item.handle for item in ledger_of(memory).candidates()] == ["D1", "P2"]
    born = [fact.ref for fact in facts if fact.kind == "item.candidate" and fact.data["candidate"]]
    assert born == ["P2", "D1"]
    for name in (None, "bo"):
        for profile in ("full", "brief"):
            text = assemble(memory, Request(name, profile)).text
            assert "P1" in text
            assert "P2" not in text
            assert "D1" not in text
            assert "Redis" not in text
    counts = count_memory(memory)
    assert (counts["proposals"], counts["decisions"], counts["candidates"]) == (1, 0, 2)
    assert [proposal.ref for proposal in ledger_of(memory).actionable()] == [1]


@pytest.mark.parametrize("taken", [
    ("cy", "I support P2."), ("cy", "+1 to P2"), ("cy", "[OPPOSE P2]"),
    Message(participant="cy", content="Yes.", act="support", re="P2"),
    Message(participant="cy", content="+1", re=2),
    Message(participant="cy", content="I agree.", re=2),
    VoteInitiated(participant="cy", content="Shall it be?", re="P2"),
    BallotCompleted(participant="cy", content="Yes.", re="P2", consensus=True,
                    supporters=("ana", "cy")),
    ItemCorrected(ref="P2", op="confirm", by="cy"),
    ItemCorrected(ref="P2", op="topic", value="the index", by="cy"),
], ids=str)  # fmt: skip
def test_who_takes_a_candidate_up_makes_it_firm_with_its_number(
    taken: tuple[str, str] | Entry,
) -> None:
    assert shelf_of("P2", MARKED, SAID, *LATER) == ("candidate", False)
    memory, facts = folded(talk(MARKED, SAID, *LATER, taken))
    item = ledger_of(memory).item("P2")
    assert item is not None
    assert (item.shelf, item.born, item.participant) == ("firm", 2, "bo")
    assert [fact.ref for fact in facts if fact.kind == "item.candidate"] == ["P2", "P2"]


@pytest.mark.parametrize("said", ["I agree.", "Great idea!", "I agree with bo.", "+1"])
def test_prose_and_votes_nearby_take_no_candidate_up(said: str) -> None:
    assert shelf_of("P2", MARKED, SAID, *LATER, ("cy", said)) == ("candidate", False)


def test_a_decision_that_is_ratified_or_said_again_by_a_mark_is_firm() -> None:
    assert shelf_of("D1", DECIDED) == ("candidate", False)
    assert shelf_of("D1", DECIDED, ItemCorrected(ref="D1", op="confirm", by="cy")) == ("firm", True)
    act = Message(participant="cy", content="I do.", act="ratify", re="D1")
    assert shelf_of("D1", DECIDED, act) == ("firm", True)
    again = ("cy", "[DECISION] Redis for the sessions")
    memory, _ = folded(talk(DECIDED, again))
    assert [decision.candidate for decision in memory.decisions.values()][-1] is False


def test_a_candidate_side_is_in_no_tally_and_gives_way_to_a_firm_one() -> None:
    """And never the other way round: prose takes back no mark."""
    prose = [("cy", "I agree."), ("dee", "That won't work.")]
    memory, facts = folded(talk(SAID, *prose))
    proposal = memory.proposals[1]
    assert {name: side.stance for name, side in proposal.reactions.items()} == {
        "cy": "support", "dee": "oppose",
    }  # fmt: skip
    assert proposal.tally == (0, 0, 0)
    assert [fact.kind for fact in facts if fact.ref == "P1"][-2:] == ["side.read", "side.read"]
    assert "dee" not in assemble(memory, Request("ana")).text
    assert "P1" not in memory.participants["dee"].positions
    memory, _ = folded(talk(SAID, *prose, ("cy", "+1 to P1"), ("cy", "I disagree.")))
    proposal = memory.proposals[1]
    assert (proposal.reactions["cy"].stance, proposal.tally) == ("support", (1, 0, 0))


def test_opposition_in_prose_blocks_no_quorum_and_that_of_a_mark_does() -> None:
    yes = [("cy", "+1 to P1"), ("dee", "I support P1.")]
    memory, _ = folded(talk(SAID, ("eli", "That won't work."), *yes))
    assert memory.proposals[1].status == "accepted"
    assert memory.decisions[1].dissenters == {}
    memory, _ = folded(talk(SAID, ("eli", "-1 to P1"), *yes))
    assert memory.proposals[1].status == "active"


def test_candidates_outlive_a_snapshot() -> None:
    memory, _ = folded(talk(MARKED, SAID, DECIDED, ("cy", "I agree.")))
    assert dump(load(dump(memory), PACKS, memory.seq)) == dump(memory)
    assert load(dump(memory), PACKS, memory.seq).proposals[2].candidate
