"""What `say` gives: the number of the message, and what the message did."""

from __future__ import annotations

from typing import Self, TypedDict

from parley.memory.ledger.message_outcome import message_outcome
from parley.memory.state.memory import Memory
from parley.server.rows.cite_rows import Row
from parley.server.rows.item_rows import echo_row


class OutcomeRow(TypedDict):
    """What a message did to proposals and decisions; empty lists for one that did nothing.

    `made` and `touched` are handles. `missing` has a sentence for each of them that is not
    settled. `rule` is the rule of decision if the message rules or decides and settled nothing,
    else "". `repeats` has an echo row for each proposal that was made before, with `says`: when,
    what became of it and why, on a line.
    """

    made: list[str]
    touched: list[str]
    missing: list[str]
    rule: str
    repeats: list[Row]


def outcome_row(memory: Memory, n: int) -> OutcomeRow:
    """What message `n` did, as `memory` has it. Pure."""
    outcome = message_outcome(memory, n)
    repeats = [
        {**echo_row(memory.proposals[repeat.ref], memory), "says": repeat.says}
        for repeat in outcome.repeats
    ]
    return OutcomeRow(
        made=list(outcome.made), touched=list(outcome.touched), missing=list(outcome.missing),
        rule=outcome.rule, repeats=repeats,
    )  # fmt: skip


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
    def repeats(self) -> list[Row]:
        return self.outcome["repeats"]
