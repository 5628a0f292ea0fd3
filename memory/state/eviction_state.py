"""What memory counts of the items that left it; the log has the items themselves."""

from __future__ import annotations

from typing import Final

from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.store import StateTree

UNLISTED: Final = ("candidate", "merged", "struck")  # what is not among the firm items


class Evictions(StateTree):
    """How many proposals and decisions left memory, by what they were when they left.

    Keys are the status of a firm item, else "candidate", "merged" or "struck".
    """

    proposals: dict[str, int] = {}
    decisions: dict[str, int] = {}

    def count_proposals(self) -> int:
        """How many proposals left memory."""
        return sum(self.proposals.values())

    def count_decisions(self) -> int:
        """How many decisions left memory."""
        return sum(self.decisions.values())

    def count(self, item: Proposal | Decision) -> None:
        """Count an item that leaves memory."""
        counts = self.proposals if isinstance(item, Proposal) else self.decisions
        if item.stands:
            kept_as: str = "candidate" if item.candidate else item.status
        else:
            kept_as = "struck" if item.struck else "merged"
        counts[kept_as] = counts.get(kept_as, 0) + 1
