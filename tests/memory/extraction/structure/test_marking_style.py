"""How a session puts things: what a mere wording is worth where people vote on talk."""

from __future__ import annotations

from tests.support.logs.logs import folded, talk

IDEA = "I propose that we move the archive to the second rack."
REMARK = "it was cold in there this morning"


def test_where_talk_is_voted_on_wording_alone_makes_a_candidate() -> None:
    """Three votes with nothing there to vote on hold back what is suggested, before or after."""
    stray = [("bob", "+1 to that"), ("cem", "+1"), ("dee", "+1 bob")]
    for lines in ([("ann", IDEA)], [("bob", "+1 to that"), ("ann", IDEA)]):
        memory, _ = folded(talk(("eli", REMARK), *lines, link={"window": 5}))
        assert not memory.proposals[1].candidate
    memory, _ = folded(talk(("eli", REMARK), *stray, ("ann", IDEA)))
    assert memory.proposals[1].candidate
    chatter = [("eli", REMARK)] * 6
    memory, facts = folded(talk(("ann", IDEA), *chatter, *stray, link={"window": 5}))
    assert memory.proposals[1].candidate
    assert [fact.kind for fact in facts].count("item.candidate") == 1


def test_votes_on_a_suggestion_do_not_hold_it_back() -> None:
    """They have something to be on."""
    votes = [(who, "+1") for who in ("bob", "cem", "dee", "eli", "fay")]
    memory, _ = folded(talk(("ann", IDEA), *votes))
    assert not memory.proposals[1].candidate
    assert sorted(memory.proposals[1].reactions) == ["bob", "cem", "dee", "eli", "fay"]


def test_what_somebody_took_up_by_name_stays() -> None:
    """A counted reaction is worth more than the manner."""
    stray = [(who, "+1 to that") for who in ("bob", "cem", "dee")]
    memory, _ = folded(talk(
        ("ann", IDEA), ("bob", "I agree with P1"), *[("eli", REMARK)] * 6, *stray,
        link={"window": 5},
    ))  # fmt: skip
    assert not memory.proposals[1].candidate


PUT = "Move the archive to the second rack"
OTHER = "Close the side door at night"
VOTES = [("bob", "+1"), ("cem", "+1"), ("ann", "+1"), ("dee", "0")]


def test_a_mark_among_unmarked_ones_is_no_manner() -> None:
    """Unmarked lines need no more where what was put there before was not marked either."""
    marked = ("ann", "[PROPOSAL] Rebuild the index before Friday")
    put, other = [("ann", PUT), *VOTES], [("ann", OTHER), *VOTES]
    chatter = [("eli", REMARK)] * 31
    memory, _ = folded(talk(marked, *chatter, *other))
    assert len(memory.proposals) == 1
    memory, _ = folded(talk(*put, *chatter, marked, *chatter, *other))
    assert [proposal.text for proposal in memory.proposals.values()] == [PUT, marked[1][11:], OTHER]
