"""What makes a proposal accepted: marks and handles by enough others, never sides read in prose."""

from __future__ import annotations

import re
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import Message
from parley.memory.fold.apply import apply
from parley.memory.state.item_state import Origin, Proposal
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, numbered, opened

PEOPLE: Final = ("ana", "bo", "cy", "dee", "eli")
PROSE: Final = (
    "I agree.", "Agreed.", "Great idea!", "Let's do it.", "I agree with ana.", "@bo, I agree",
    'I agree with "move the index to the second disk".', "I disagree.", "That won't work.",
    "We agreed to move the index to the second disk.",
    "Consensus reached: move the index to the second disk.",
    "Let's go with the second disk for the index.",
    f"Plan approved. I agree with this.\n\n{'The log shows nothing odd this week. ' * 9}\n\nYes.",
)  # fmt: skip
PROPOSED: Final = (
    "I propose that we move the index to the second disk.",
    "[PROPOSAL] Buy a second rack",
    "What if we move the backups to the other team?",
)
MARKED: Final = ("+1", "-1", "0", "+1 to P1", "I support P1.", "[SUPPORT P2]", "I oppose P2.",
                 "+1 to P3", "I accept P1.")  # fmt: skip
_HANDLE: Final = re.compile(r"\bP[1-9]\d*\b")
_VOTE: Final = re.compile(r"[+-]?[01]\b")


@st.composite
def messages(draw: st.DrawFn, marked: tuple[str, ...] = MARKED) -> Message:
    """A line of prose, a proposal, a mark, or an act, each in reply to something or not."""
    content = draw(st.sampled_from((*PROSE, *PROSE, *PROPOSED, *marked)))
    re = draw(st.sampled_from((None, None, None, 1, 2, 3)))
    act = draw(st.sampled_from(("support", "oppose", None, None, None))) if marked and re else None
    return Message(participant=draw(st.sampled_from(PEOPLE)), content=content, act=act, re=re)


def quorum_of(entries: list[Message], memory: Memory, proposal: Proposal, origin: Origin) -> int:
    """How many others than its proposer speak for it in what `origin` cites, with a mark."""
    cited = [entries[cite.n - 1] for cite in origin.cites if cite.n]
    for entry in cited:
        handle = _HANDLE.search(entry.content) is not None
        vote = entry.re is not None and _VOTE.match(entry.content) is not None
        assert handle or vote or entry.act is not None, entry
    return len({entry.participant for entry in cited} - {proposal.participant})


@given(st.lists(messages(), max_size=30))
def test_what_is_accepted_has_a_quorum_of_marks_a_vote_or_a_ruling(talk: list[Message]) -> None:
    """A quorum cites as many others as it takes, each with an act, a vote or a handle."""
    memory = Memory(PACKS)
    for record in numbered([opened(), *talk]):
        for fact in apply(memory, record):
            if fact.kind != "proposal.settled" or fact.data["status"] != "accepted":
                continue
            proposal = memory.proposals[int((fact.ref or "")[1:])]
            origin = proposal.settled
            assert origin is not None
            if origin.how == "rule":
                assert origin.rule == "ratify.quorum"
                assert quorum_of(talk, memory, proposal, origin) >= 2
            elif origin.how == "vote":
                votes = [side for side in proposal.reactions.values() if side.vote or side.counted]
                assert len([side for side in votes if side.stance == "support"]) >= 2
            else:
                assert _HANDLE.search(talk[record.n - 1].content) or talk[record.n - 1].act


@given(st.lists(messages(marked=()), max_size=30))
def test_prose_accepts_ratifies_and_adopts_nothing(talk: list[Message]) -> None:
    """Whoever agrees with whom, in reply or not: nothing is counted, and nothing binds."""
    memory = Memory(PACKS)
    for record in numbered([opened(), *talk]):
        apply(memory, record)
    statuses = {proposal.status for proposal in memory.proposals.values()}
    assert statuses <= {"active", "modified", "lapsed"}
    assert {decision.status for decision in memory.decisions.values()} <= {"claimed", "disputed"}
    for proposal in memory.proposals.values():
        assert not any(side.counted for side in proposal.reactions.values())
