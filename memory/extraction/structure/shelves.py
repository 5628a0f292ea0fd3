"""The two shelves: which items and sides are firm, and which are candidates.

Firm ones are shown everywhere and counted in tallies. Candidates are listed apart, for people
who ask for them; they are in no context, count or vote. Whatever participants mark (an act, a
tag, a vote, a handle) or a person confirms is firm. What rules read in prose is firm if rules of
its family are right at least 85 times in 100 on talk that their authors have not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from parley.memory.state.item_state import How, LinkedBy, Origin, Proposal, Reaction

Shelf = Literal["firm", "candidate", "denied"]
Kind = Literal["proposal", "decision", "side"]

FIRM: Final = 850  # per mille of precision on talk that was left out

# Precision per mille by kind and family of rules, with the talk and the number of cases it is of:
# `python -m benchmarks.shelves` measures it. A family that is not here is not firm.
PRECISION: Final[Mapping[tuple[Kind, str], int]] = {
    ("proposal", "writing"): 915,  # agents' talk that nobody had read, 153
    ("proposal", "structure"): 908,  # channels, by scorecards fitted without them, 488
    ("proposal", "chat"): 886,  # spoken meetings, 44; keys of channels know marked lines alone
    ("decision", "writing"): 600,  # agents' talk that nobody had read, 25
    ("decision", "structure"): 973,  # channels, by scorecards fitted without them, 441
    ("decision", "chat"): 176,  # spoken meetings, 17
    ("side", "writing"): 708,  # agents' talk that nobody had read, 48
    ("side", "chat"): 0,  # spoken meetings, 9; keys of channels know votes alone
}
_MARKED: Final[frozenset[How]] = frozenset({"act", "tag", "vote", "rule", "person"})
_POINTED: Final[frozenset[LinkedBy]] = frozenset({"handle", "reply"})
_VOTE: Final = "vote/"  # how the rules of bare votes begin


def is_marked(origin: Origin) -> bool:
    """True if a participant marked it, or a person confirmed it: no reading of prose is needed."""
    return origin.how in _MARKED or origin.link == "handle"


def may_count(origin: Origin) -> bool:
    """True for a side that counts toward a quorum, if nothing else speaks against that.

    Prose has to name its item by the handle. A vote may reply to its message instead; an act or a
    tag may quote its words as well.
    """
    if origin.how not in _MARKED:
        return origin.link == "handle"
    if (origin.rule or "").startswith(_VOTE):
        return origin.link in _POINTED
    return origin.link in ("", "handle", "reply", "quote")


def family_of(origin: Origin) -> str:
    """The family of the rule that read it: `writing` (documents, by wordings), `prose` (documents,
    by fitted tables alone), `structure`, or `chat`.
    """
    if origin.how == "structure":
        return "structure"
    family = (origin.rule or "").partition("/")[0]
    return family if family in ("writing", "prose") else "chat"


def is_sure(kind: Kind, origin: Origin) -> bool:
    """True if an item, or a side, of that origin is firm as it is found.

    A side in reply (`re`) says itself which item it is on.
    """
    marked = is_marked(origin) or origin.link == "reply"
    return marked or PRECISION.get((kind, family_of(origin)), 0) >= FIRM


def is_firm_side(reaction: Reaction) -> bool:
    """True for a side that is counted, marked, or read by a family that is sure enough."""
    return reaction.counted or is_sure("side", reaction.origin)


def firm_side(proposal: Proposal, name: str) -> Reaction | None:
    """The side that canonical `name` has on `proposal`; None for a candidate side, or none."""
    reaction = proposal.reactions.get(name)
    return reaction if reaction is not None and is_firm_side(reaction) else None
