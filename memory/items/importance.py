"""How much an item matters, as one integer: what is kept in full, shown or taught goes by it.

Kind and status, the people who spoke to it, how they stood, less its age in
windows of `link.window`. What binds or is still open is pinned: it ranks before
all that is not, however old it is.
"""

from __future__ import annotations

from typing import Final

from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory

# Statuses are far apart, so that only many voices or much time make up for one.
_STATUS: Final = {
    "ratified": 1000, "active": 1000, "disputed": 500, "accepted": 300, "adopted": 300,
    "claimed": 100,
}  # fmt: skip
_DECISION: Final = 300
_PROPOSAL: Final = 200
_VOICE: Final = 10
_STANCE: Final = 2

Weighed = Proposal | Decision


def item_weight(memory: Memory, item: Weighed) -> int:
    """Kind + status + distinct voices + how they stood − age."""
    support, oppose, neutral = item.tally
    kind = _PROPOSAL if isinstance(item, Proposal) else _DECISION
    voices = _VOICE * (support + oppose + neutral) + _STANCE * (support - oppose)
    return kind + _STATUS.get(item.status, 0) + voices - _age(memory, item)


def is_pinned(item: Weighed) -> bool:
    """True for what binds, and for what is still open; for no candidate."""
    return item.status in ("ratified", "active") and not item.candidate


def importance_rank(memory: Memory, item: Weighed) -> tuple[bool, int]:
    """Sorts the least important first, pinned ones last."""
    return is_pinned(item), item_weight(memory, item)


def _age(memory: Memory, item: Proposal | Decision) -> int:
    if isinstance(item, Proposal):
        return age_in_windows(memory, memory.messages - item.mentioned)
    return age_in_windows(memory, memory.n - item.detected)


def age_in_windows(memory: Memory, distance: int) -> int:
    """How many times `link.window` fits into `distance` entries or messages: an age."""
    return max(0, distance) // memory.window
