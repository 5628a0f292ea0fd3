"""What a counted vote does to proposals and decisions."""

from __future__ import annotations

import pytest

from parley.bus.entries import BallotCompleted, Entry, Message, ParticipantAliased
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.item_state import Cite, Fact
from parley.memory.state.memory import Memory
from tests.support.logs.logs import folded, talk

PROPOSED = ("ana", "[PROPOSAL] We drink tea at four.")


def ballot(consensus: bool = True, **fields: object) -> BallotCompleted:
    """A ballot that the desk held, in which bo and cy took part."""
    given = {
        "participant": "desk", "content": "Tea at four wins.", "re": "P1",
        "supporters": ("bo", "cy"), **fields,
    }  # fmt: skip
    return BallotCompleted(consensus=consensus, **given)


def voted(*lines: tuple[str, str] | Entry) -> tuple[Memory, list[Fact]]:
    return folded(talk(*lines))


def test_consensus_accepts_the_proposal_and_ratifies_its_decision() -> None:
    """Made now if nobody had claimed it; the proposal is settled for good."""
    memory, _ = voted(PROPOSED, ("bo", "I support P1."), ballot())
    proposal, decision = memory.proposals[1], memory.decisions[1]
    assert proposal.status == "accepted"
    assert decision.status == "ratified"
    assert decision.resolves == 1
    assert sorted(decision.supporters) == ["ana", "bo", "cy"]


@pytest.mark.parametrize("listed", [(), ("bo",), ("ana", "bo"), ("bo", "robert")])
def test_a_ballot_of_too_few_others_settles_nothing_unless_the_chair_held_it(
    listed: tuple[str, ...],
) -> None:
    """The proposer is no other, and two names of one participant are one."""
    known = ParticipantAliased(alias="robert", participant="bo")
    memory, _ = voted(PROPOSED, known, ballot(supporters=listed))
    assert (memory.proposals[1].status, memory.decisions) == ("active", {})
    chaired = talk(PROPOSED, known, ballot(supporters=listed), chair=["desk"])
    assert folded(chaired)[0].proposals[1].status == "accepted"


def test_a_ballot_is_the_origin_of_what_it_settles() -> None:
    """The fact of the ratification says how, and who stood where."""
    memory, facts = voted(
        PROPOSED,
        ("cy", "I support P1."),
        ballot(supporters=("ana", "bo"), dissenters=("cy",), abstainers=("dee",)),
    )
    decision = memory.decisions[1]
    assert decision.ratified is not None
    assert decision.ratified.how == "vote"
    assert decision.ratified.cites == (Cite(3, 0, len("Tea at four wins.")),)
    (fact,) = [fact for fact in facts if fact.kind == "decision.ratified"]
    assert fact.data["how"] == "vote"
    assert fact.data["supporters"] == ["ana", "bo"]
    assert fact.data["dissenters"] == ["cy"]
    assert fact.data["abstainers"] == ["dee"]
    assert fact.data["tally"] == [2, 1, 1]


def test_without_consensus_nothing_is_settled() -> None:
    """Memory but for the count of entries is as it was."""
    memory, _ = voted(PROPOSED, ballot(consensus=False, supporters=("ana",)))
    before, _ = voted(PROPOSED)
    before.n = memory.n
    assert dump(memory) == dump(before)


@pytest.mark.parametrize("re", [None, "P9", "nonsense", 77])
def test_a_ballot_on_no_known_proposal_ratifies_what_it_says(re: object) -> None:
    """The decision is the ballot's own words; nobody is on its side but who is listed."""
    memory, _ = voted(("ana", "Morning."), ballot(re=re, supporters=("ana",), dissenters=("bo",)))
    (decision,) = memory.decisions.values()
    assert decision.status == "ratified"
    assert decision.outcome == "Tea at four wins."
    assert decision.tally == (1, 1, 0)
    assert decision.resolves is None


def test_a_ballot_names_its_proposal_by_the_entry_too() -> None:
    """`re` is a handle, or the n of the message that made the proposal."""
    memory, _ = voted(("bo", "Morning."), PROPOSED, ballot(re=2))
    assert memory.proposals[1].status == "accepted"


def test_a_ballot_ratifies_the_claim_that_stands() -> None:
    """A claimed decision, named or in the same words, is ratified and not made twice."""
    claim = ("ana", "[DECISION] Tea at four wins.")
    for re in ("D1", None):
        memory, _ = voted(claim, ("bo", "I oppose D1."), ballot(re=re))
        (decision,) = memory.decisions.values()
        assert decision.status == "ratified"


def test_a_proposal_that_was_settled_otherwise_stays_so() -> None:
    """Rejected is rejected; the decision is on record all the same."""
    rejected = Message(participant="bo", content="I reject P1.", act="reject", re="P1")
    memory, _ = folded(talk(PROPOSED, rejected, ballot(), chair=["bo"]))
    assert memory.proposals[1].status == "rejected"
    assert memory.decisions[1].status == "ratified"


def test_a_second_ballot_changes_sides_and_no_more() -> None:
    """Whoever it lists stands where it says; nothing is ratified twice."""
    again = ballot(supporters=("cy",), dissenters=("bo",))
    memory, facts = voted(PROPOSED, ballot(supporters=("bo", "cy")), again)
    assert [fact.kind for fact in facts].count("decision.ratified") == 1
    assert sorted(memory.decisions[1].supporters) == ["ana", "cy"]
    assert sorted(memory.decisions[1].dissenters) == ["bo"]


def test_a_ballot_knows_its_voters_by_their_other_names() -> None:
    """An alias on the list counts as the participant."""
    memory, _ = voted(
        PROPOSED,
        ParticipantAliased(alias="ana-2", participant="ana"),
        ballot(supporters=("ana-2", "ana", "bo", "cy")),
    )
    assert memory.decisions[1].tally == (3, 0, 0)


def test_ones_own_words_stay_the_evidence_of_ones_side() -> None:
    """A ballot that lists somebody where they stood already puts no words in their mouth."""
    memory, _ = voted(
        PROPOSED,
        ("bo", "I oppose P1, it keeps me awake."),
        ballot(supporters=(), dissenters=("bo", "cy")),
    )
    dissent = memory.decisions[1].dissenters
    assert {name: origin.cites[0].n for name, origin in dissent.items()} == {"bo": 2, "cy": 3}
