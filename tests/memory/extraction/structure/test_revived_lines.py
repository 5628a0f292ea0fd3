"""Lines with the wording of nothing that is put to people, and votes right below them."""

from __future__ import annotations

import pytest

from parley.bus.entries import EntryRedacted, ParticipantAliased
from tests.support.logs.logs import folded, talk

DULL = "bread because of the weather today"
VOTES = [(who, "+1") for who in ("bo", "cem", "dee", "eli")]
SAID = [("ana", "hello all"), ("ana", DULL), *VOTES]
AGAIN = [("ana", DULL), ("bo", "who brings the bread"), ("cem", "I can do that"), ("ana", "ok")]


def test_a_line_that_was_voted_on_and_said_again_was_put() -> None:
    """Its own line is the proposal, the line that says it again the decision."""
    memory, _ = folded(talk(*SAID, *AGAIN))
    (proposal,) = memory.proposals.values()
    (decision,) = memory.decisions.values()
    assert (proposal.text, proposal.born, decision.born) == (DULL, 2, 7)
    assert sorted(proposal.reactions) == ["bo", "cem", "dee", "eli"]
    assert decision.resolves == proposal.ref
    assert proposal.origin.cites[0].end == len(DULL)


@pytest.mark.parametrize(
    "votes", [[], VOTES[:2], [("bo", "+1 to ana"), ("cem", "+1 ana, I think")]]
)
def test_without_three_bare_votes_it_is_talk(votes: list[tuple[str, str]]) -> None:
    """Said twice or not."""
    memory, _ = folded(talk(*SAID[:2], *votes, *AGAIN))
    assert not memory.proposals
    assert not memory.structure.recalled


@pytest.mark.parametrize("above", [("ana", "q+ to speak"), ("ana", "hm"), ("ana", "[redacted 3]")])
def test_what_says_nothing_is_not_taken_back(above: tuple[str, str]) -> None:
    """A command to a bot, a sound, a blank."""
    memory, _ = folded(talk(("bo", "hello"), above, *VOTES, above))
    assert not memory.structure.lines
    assert not memory.proposals


def test_what_was_redacted_between_is_forgotten() -> None:
    """Its words are not kept for the votes that come."""
    memory, _ = folded(talk(*SAID[:4], EntryRedacted(redacted=2, reason="asked"), *SAID[4:]))
    assert not memory.structure.lines
    assert all(run.aside is None or not run.aside.text for run in memory.structure.runs)


def test_it_is_its_speakers_under_the_name_they_took() -> None:
    """As any line in the window, whether the name came before the votes or among them."""
    named = ParticipantAliased(participant="anna", alias="ana")
    for cut in (2, 4):
        memory, _ = folded(talk(*SAID[:cut], named, *SAID[cut:], *AGAIN))
        assert [proposal.participant for proposal in memory.proposals.values()] == ["anna"]
        assert memory.structure.aside is not None
        assert memory.structure.aside.who == "anna"
