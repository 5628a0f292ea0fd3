"""What an agent has done in one process: every state that is not in the log is counted here."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from parley.listeners.agents.model_caller import Ending


@dataclass(slots=True)
class AgentTally:
    """`gated` counts, by reason, the messages that took no call of the model."""

    gated: Counter[str] = field(default_factory=Counter)
    evaluations: int = 0
    bids: int = 0
    passes: int = 0
    drafts: int = 0
    commits: int = 0
    silent: int = 0
    stale: int = 0  # drafts that came too late for their epoch
    ballots: int = 0
    endings: Counter[str] = field(default_factory=Counter)  # of calls, by how they ended

    def count_ending(self, ending: Ending) -> None:
        self.endings[ending] += 1

    def plain(self) -> dict[str, object]:
        """As JSON-ready data."""
        return {
            "gated": dict(sorted(self.gated.items())),
            "evaluations": self.evaluations,
            "bids": self.bids,
            "passes": self.passes,
            "drafts": self.drafts,
            "commits": self.commits,
            "silent": self.silent,
            "stale": self.stale,
            "ballots": self.ballots,
            "endings": dict(sorted(self.endings.items())),
        }
