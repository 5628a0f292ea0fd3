"""What `say` gives: the number of the message, and what the message did."""

from __future__ import annotations

from typing import Self

from parley.memory.items.echoes import EchoRow
from parley.memory.ledger.outcome_rows import OutcomeRow, outcome_row
from parley.memory.state.memory import Memory


class Said(int):
    """The `n` of a message, usable wherever a number is, with its receipt.

    `made` and `touched` are handles of proposals and decisions; `missing` has a sentence for each
    of them that is not settled; `rule` is the rule of decision if the message rules or decides and
    settled nothing, else ""; `repeats` has a row for each proposal that was made before.
    """

    outcome: OutcomeRow

    @classmethod
    def of(cls, memory: Memory, n: int) -> Self:
        """The receipt of message `n`, which `memory` has folded."""
        said = cls(n)
        said.outcome = outcome_row(memory, n)
        return said

    @property
    def n(self) -> int:
        return int(self)

    @property
    def made(self) -> list[str]:
        return self.outcome["made"]

    @property
    def touched(self) -> list[str]:
        return self.outcome["touched"]

    @property
    def missing(self) -> list[str]:
        return self.outcome["missing"]

    @property
    def rule(self) -> str:
        return self.outcome["rule"]

    @property
    def repeats(self) -> list[EchoRow]:
        return self.outcome["repeats"]
