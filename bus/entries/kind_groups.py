"""The kinds of entries that count as messages do, that begin an epoch, that workers derive.

All others are control entries. Names alone: who asks what a kind is loads no model of it.
"""

from __future__ import annotations

from typing import Final

PRIMARY: Final = frozenset({
    "message", "message.edited", "vote.initiated", "vote.confirmed", "ballot.cast",
    "ballot.completed", "results.final", "tool.called", "tool.returned", "context.injected",
    "episode.opened", "episode.closed", "step", "note.written", "item.corrected",
})  # fmt: skip
EPOCHS: Final = frozenset({"floor.granted", "floor.released"})  # each begins the next epoch
DERIVED: Final = frozenset({
    "summary.made", "text.condensed", "note.revised", "note.refused", "items.extracted",
    "lesson.imported", "similarity.found",
})  # fmt: skip
