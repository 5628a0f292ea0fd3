"""Bare votes that turn out to be on another proposal: each counts once, and where it belongs."""

from __future__ import annotations

from parley.bus.entries import EntryRedacted, Message
from parley.memory.state.item_state import Proposal
from tests.support.logs.logs import folded, talk

INDEX = "[PROPOSAL] Rebuild the index before Friday"
DROP = "The working group will drop the old importer in the next release"
CLOSE = "Close the issue on rate limits with no change"


def stances(proposal: Proposal) -> dict[str, str]:
    return {who: reaction.stance for who, reaction in proposal.reactions.items()}


def test_who_voted_twice_takes_both_votes_along() -> None:
    """The earlier one is not put back where the later one leaves: it left as well."""
    memory, facts = folded(talk(
        ("ana", INDEX), ("cy", DROP),
        ("bo", "-1"), ("dee", "+1"), ("eli", "+1"), ("fay", "+1"), ("bo", "+1"),
        ("cy", DROP),
    ))  # fmt: skip
    first, second = memory.proposals[1], memory.proposals[2]
    assert stances(first) == {}
    assert first.tally == (0, 0, 0)
    assert stances(second) == dict.fromkeys(("bo", "dee", "eli", "fay"), "support")
    assert "P1" not in memory.participants["bo"].positions
    moved = [fact.data["participant"] for fact in facts if fact.kind == "reaction.moved"]
    assert sorted(map(str, moved)) == ["bo", "bo", "dee", "eli", "fay"]


def test_a_vote_that_moves_twice_leaves_the_one_before_it() -> None:
    """What its caster had said of the proposal in between stands there again."""
    memory, _ = folded(talk(
        ("ana", INDEX), ("cy", DROP), ("bo", "-1"), ("dee", "+1"), ("eli", "+1"),
        ("gus", CLOSE), ("bo", "+1"), ("hal", "+1"), ("dee", "+1"),
        ("cy", DROP), ("gus", CLOSE),
        ratify={"quorum": 9},
    ))  # fmt: skip
    by_words = {proposal.text: stances(proposal) for proposal in memory.proposals.values()}
    assert by_words[DROP].get("bo") == "oppose"
    assert by_words[CLOSE].get("bo") == "support"
    assert memory.proposals[1].reactions == {}


def test_a_vote_stays_with_the_nearer_proposal() -> None:
    """A line above that turns out to be a proposal too is farther, however short this one is."""
    memory, facts = folded(talk(
        ("cy", DROP), ("ana", "[PROPOSAL] Go"),
        *((who, "+1") for who in ("bo", "dee", "eli")), ("cy", DROP),
    ))  # fmt: skip
    assert memory.proposals[1].text == "Go"
    assert sorted(memory.proposals[1].reactions) == ["bo", "dee", "eli"]
    assert "reaction.moved" not in [fact.kind for fact in facts]


def test_a_vote_that_moves_leaves_the_decision_as_well() -> None:
    """Its caster is on no side there, unless they proposed it, or had said something before."""
    memory, _ = folded(talk(
        ("ana", INDEX), ("fay", "I oppose P1"), ("cy", DROP),
        *((who, "+1") for who in ("bo", "fay", "ana")),
        ("kim", "[DECISION] Rebuild the index before Friday, says P1"),
        *((who, "+1") for who in ("dee", "eli", "gus")), ("cy", DROP),
        ratify={"quorum": 9},
    ))  # fmt: skip
    assert stances(memory.proposals[1]) == {"fay": "oppose"}
    decision = memory.decisions[1]
    assert decision.resolves == 1
    assert sorted(decision.supporters) == ["ana", "kim"]
    assert sorted(decision.dissenters) == ["fay"]
    assert decision.tally == (2, 1, 0)


def test_a_vote_below_a_long_text_is_quoted_where_it_stands() -> None:
    """However far down its message it is, it may wait for its line, or move to it."""
    long = "All of it was read twice.\n" * 60
    memory, _ = folded(talk(
        ("cy", DROP), ("bo", f"{long}+1"),
        *((who, "+1") for who in ("dee", "eli", "fay")), ("cy", DROP),
    ))  # fmt: skip
    position = memory.participants["bo"].positions["P1"]
    assert (position.text, position.cite.start, position.cite.end) == (
        "+1",
        len(long),
        len(long) + 2,
    )


def test_a_vote_whose_words_are_redacted_still_moves() -> None:
    """Its place is what is left of it."""
    memory, _ = folded(talk(
        ("cy", DROP), ("bo", "+1, as I said\n-1"), EntryRedacted(redacted=2, reason="asked"),
        *((who, "+1") for who in ("dee", "eli", "fay")), ("cy", DROP),
    ))  # fmt: skip
    assert stances(memory.proposals[1])["bo"] == "oppose"
    assert memory.participants["bo"].positions["P1"].text == ""


def test_a_ruling_takes_up_a_candidate() -> None:
    """Whoever may accept it has named it; a vote from before does not outweigh their word."""
    lines = [("ana", INDEX), ("cy", f"I suggest {DROP}")]
    memory, _ = folded(talk(*lines, chair=["dee"]))
    assert memory.proposals[2].candidate
    for act in ("accept", "reject"):
        ruling = Message(participant="dee", content="So be it.", act=act, re="P2")
        memory, _ = folded(talk(*lines, ruling, chair=["dee"]))
        assert memory.proposals[2].status == f"{act}ed"
        assert not memory.proposals[2].candidate
    claim = ("cy", f"So we agreed: {DROP}.")
    memory, _ = folded(talk(("ana", f"[DECISION] {CLOSE}"), claim, chair=["dee"]))
    assert memory.decisions[2].candidate
    ruling = Message(participant="dee", content="So be it.", act="ratify", re="D2")
    memory, _ = folded(talk(("ana", f"[DECISION] {CLOSE}"), claim, ruling, chair=["dee"]))
    assert memory.decisions[2].status == "ratified"
    assert not memory.decisions[2].candidate


def test_several_votes_of_one_message_are_one_in_the_window() -> None:
    """The last one, as among the reactions."""
    memory, _ = folded(talk(("ana", INDEX), ("cy", DROP), ("bo", "-1\n+1\n+1\n0\n+1")))
    (cast,) = memory.structure.casts
    assert (cast.stance, cast.was) == ("support", None)
    assert stances(memory.proposals[1]) == {"bo": "support"}


def test_what_is_revealed_late_does_not_undo_a_later_word() -> None:
    """A restatement is told two messages on; who has stood back meanwhile stands back."""
    doubt = Message(participant="gus", content="On second thoughts I pass.", act="abstain", re="P1")
    memory, facts = folded(talk(
        ("bo", CLOSE), ("ana", "+1 if tests pass"), ("eli", "-1 no way"), ("bo", "+1, thanks"),
        ("fay", CLOSE), ("gus", CLOSE), ("cy", "Okay."), doubt,
    ))  # fmt: skip
    restated = [fact.data["participant"] for fact in facts if fact.kind == "decision.restated"]
    assert restated == ["gus"]
    assert memory.participants["gus"].positions["P1"].stance == "neutral"
    assert "gus" in memory.decisions[1].abstainers


DULL = "the importer reads every file twice"


def test_a_divided_vote_finds_its_question() -> None:
    """Three bare votes that were not of one mind are on something, however dull its wording."""
    votes = [("bo", "+1"), ("dee", "+1"), ("eli", "+1")]
    memory, _ = folded(talk(("cy", DULL), *votes))
    assert not memory.proposals
    memory, _ = folded(talk(("cy", DULL), *votes[:2], ("eli", "-1")))
    assert memory.proposals[1].text == DULL
    assert stances(memory.proposals[1]) == {"bo": "support", "dee": "support", "eli": "oppose"}
    assert memory.proposals[1].born == 1


def test_a_remark_between_a_question_and_its_votes_is_not_the_question() -> None:
    """A line that looks far more like one is, though it stands above; also with votes between."""
    split = [("bo", "+1"), ("dee", "0"), ("eli", "-1")]
    memory, _ = folded(talk(("cy", CLOSE), ("ana", DULL), *split))
    assert [proposal.text for proposal in memory.proposals.values()] == [CLOSE]
    memory, _ = folded(talk(("cy", CLOSE), ("gus", "-1"), ("hal", "-1"), ("ana", DULL), *split))
    assert [proposal.text for proposal in memory.proposals.values()] == [CLOSE]
    assert len(memory.proposals[1].reactions) == 5


def test_a_second_divided_vote_has_a_question_of_its_own() -> None:
    """Those who vote again are not on what they voted on before."""
    split = [("bo", "+1"), ("dee", "0"), ("eli", "-1")]
    memory, _ = folded(talk(("cy", CLOSE), *split, ("ana", DULL), *split))
    assert [proposal.text for proposal in memory.proposals.values()] == [CLOSE, DULL]


SEATS = "Guests can sit on the first row when it is free"
REMARK = "Keep the printers in the loop until then"
VOTES = [(who, "+1") for who in ("bo", "dee", "eli", "fay")]
CHATTER = [("gus", "the train was late again"), ("hal", "same here, an hour or so")]


def test_votes_between_a_proposal_and_its_restatement_carry_it() -> None:
    """A line between was taken for what they are on; what is said again was put to them."""
    memory, _ = folded(talk(("ana", CLOSE), ("cy", REMARK), *VOTES, ("ana", CLOSE), *CHATTER))
    by_words = {proposal.text: proposal for proposal in memory.proposals.values()}
    assert by_words[CLOSE].status == "accepted"
    assert by_words[CLOSE].reactions == {}
    assert memory.decisions[1].status == "ratified"


def test_votes_that_settled_another_proposal_carry_none_besides() -> None:
    """Of two that are said again, the one that was voted on is accepted."""
    memory, _ = folded(talk(
        ("ana", DROP), ("ana", CLOSE), *VOTES, ("ana", CLOSE), ("ana", DROP), *CHATTER
    ))  # fmt: skip
    by_words = {proposal.text: proposal.status for proposal in memory.proposals.values()}
    assert by_words == {CLOSE: "accepted", DROP: "active"}
    assert [decision.status for decision in memory.decisions.values()] == ["ratified", "claimed"]


def test_votes_pass_a_remark_on_the_way_to_their_question() -> None:
    """Three bare votes of one mind are on plain wording with something dull below it, if near."""
    votes = [("bo", "+1"), ("dee", "+1"), ("eli", "+1")]
    memory, _ = folded(talk(("cy", CLOSE), ("ana", DULL), *votes))
    assert [proposal.text for proposal in memory.proposals.values()] == [CLOSE]
    assert sorted(memory.proposals[1].reactions) == ["bo", "dee", "eli"]
    memory, _ = folded(talk(("cy", CLOSE), *[("ana", DULL)] * 3, *votes))
    assert not memory.proposals


def test_saying_again_what_was_just_carried_decides_at_once() -> None:
    """No vote on it is to be waited for; below a vote that was not carried there may be one."""
    memory, _ = folded(talk(("ana", SEATS), *VOTES, ("ana", SEATS)))
    assert memory.proposals[1].status == "accepted"
    assert (memory.decisions[1].born, memory.decisions[1].detected) == (6, 6)
    noes = [("bo", "-1"), ("dee", "+1"), ("eli", "+1"), ("fay", "-1")]
    memory, _ = folded(talk(("ana", SEATS), *noes, ("ana", SEATS)))
    assert not memory.decisions
