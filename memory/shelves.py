"""The two shelves: which items and sides are firm, and which are candidates.

Firm ones are shown everywhere and counted in tallies. Candidates are listed apart, for people
who ask for them; they are in no context, count or vote. Whatever participants mark (an act, a
tag, a vote, a handle) or a person confirms is firm. What rules read in prose is firm if rules of
its family are right at least 85 times in 100 on talk that their authors have not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from parley.memory.state.item_state import How, Origin, Reaction

Shelf = Literal["firm", "candidate", "denied"]
Kind = Literal["proposal", "decision", "side"]

FIRM: Final = 850  # per mille of precision on talk that was left out

# Precision per mille by kind and family of rules. `python -m benchmarks.shelves` measures it.
PRECISION: Final[Mapping[tuple[Kind, str], int]] = {
    ("proposal", "writing"): 920,
    ("decision", "writing"): 630,
    ("side", "writing"): 590,
}
_MARKED: Final[frozenset[How]] = frozenset({"act", "tag", "vote", "rule", "person"})


def is_marked(origin: Origin) -> bool:
    """True if a participant marked it, or a person confirmed it: no reading of prose is needed."""
    return origin.how in _MARKED


def family_of(origin: Origin) -> str:
    """The family of the rule that read it: `writing` (documents), `structure`, or `chat`."""
    if origin.how == "structure":
        return "structure"
    return "writing" if (origin.rule or "").startswith("writing/") else "chat"


def is_sure(kind: Kind, origin: Origin) -> bool:
    """True if an item of that origin is firm as it is found."""
    return is_marked(origin) or PRECISION.get((kind, family_of(origin)), FIRM) >= FIRM


def is_firm_side(reaction: Reaction) -> bool:
    """True for a side that is counted, cast as a vote, or read by a family that is sure enough."""
    return reaction.counted or reaction.vote or is_sure("side", reaction.origin)
