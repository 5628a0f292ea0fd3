"""Whether an agent's ballot on a proposal is what its words say: its reason, and what it said of
the proposal in the talk. Pure.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from parley.bus.entries import BallotCast
from parley.memory.extraction.structure.shelves import firm_side
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote

Side = Literal["accept", "reject"]

_DOUBT: Final = (
    "{whose}, and your ballot was to {cast} it. Choose {cast} only if {unless}; else choose "
    "{kept}. Say in why whether you support or oppose {handle}.\n"
)
_SIDES: Final[dict[str, Side]] = {
    "support": "accept", "agree": "accept", "accept": "accept",
    "oppose": "reject", "reject": "reject", "dispute": "reject",
}  # fmt: skip
_TOOK: Final[dict[Side, str]] = {"accept": "supported", "reject": "opposed"}
_TAKES: Final[dict[Side, str]] = {"accept": "supports", "reject": "opposes"}
# What a reason says and no message would: "I would choose to reject it", "My vote is not to accept"
_CHOOSES: Final = re.compile(
    r"\b(?:I|my (?:vote|ballot|choice))"
    r"(?P<denies>[^.!?;\n]{0,40}\b(?:not|never)|[^.!?;\n]{0,40}n't)?"
    r"[^.!?;,\n]{0,40}\b(?P<side>accept|reject)\b",
    re.IGNORECASE,
)


def contradiction(memory: Memory, name: str, vote: Vote, ballot: BallotCast) -> str:
    """What to ask canonical `name` about a ballot that is against its own words; "" for nothing.

    First against the reason in it, then against what was said in the talk: a message that is for
    or against the proposal without an if, or that made it.
    """
    cast, proposal = _side_of(ballot), memory.proposals.get(vote.proposal or 0)
    if cast is None or proposal is None:
        return ""
    reasoned = read_side(memory, ballot.content, proposal.handle)
    spoken, n = _spoken_side(proposal, name)
    if reasoned is not None and reasoned != cast:
        kept, unless = reasoned, "it says the contrary"
        whose = f"Your reason {_TAKES[kept]} {proposal.handle}"
    elif spoken is not None and spoken != cast:
        kept, unless = spoken, "you have changed your mind"
        whose = f"You {_TOOK[kept]} {proposal.handle} in message {n}"
    else:
        return ""
    return _DOUBT.format(whose=whose, cast=cast, unless=unless, kept=kept, handle=proposal.handle)


def bears(memory: Memory, name: str, vote: Vote, ballot: BallotCast) -> bool:
    """Whether the words of a ballot that was asked for anew are for what it chooses.

    Where it still is against what was said in the talk, its reason has to say so itself.
    """
    if not contradiction(memory, name, vote, ballot):
        return True
    proposal = memory.proposals[vote.proposal or 0]
    return read_side(memory, ballot.content, proposal.handle) == _side_of(ballot)


def read_side(memory: Memory, why: str, handle: str) -> Side | None:
    """What a reason would have proposal `handle` come to; None where it says nothing or both."""
    sides = {
        _SIDES[detection.act]
        for detection in memory.reader.read(why)
        if detection.act in _SIDES and set(detection.refs) <= {handle}
    }
    for match in _CHOOSES.finditer(why):
        side: Side = "accept" if match["side"].lower() == "accept" else "reject"
        sides.add(_other(side) if match["denies"] else side)
    return sides.pop() if len(sides) == 1 else None


def _side_of(ballot: BallotCast) -> Side | None:
    """Which side it takes; None of other options than these."""
    if ballot.choice == ("accept",):
        return "accept"
    return "reject" if ballot.choice == ("reject",) else None


def _spoken_side(proposal: Proposal, name: str) -> tuple[Side | None, int]:
    """What `name` last said of it in the talk, and in which message."""
    reaction = firm_side(proposal, name)
    if reaction is None:
        return ("accept" if proposal.participant == name else None), proposal.born
    sound = reaction.counted and not reaction.conditional
    return (_SIDES.get(reaction.stance) if sound else None), reaction.origin.cites[-1].n


def _other(side: Side) -> Side:
    return "reject" if side == "accept" else "accept"
