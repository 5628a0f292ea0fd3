"""What a message did to proposals and decisions as a row: the same at every door. Pure."""

from __future__ import annotations

from typing import TypedDict

from parley.memory.items.echoes import EchoRow, echo_row
from parley.memory.ledger.message_outcome import message_outcome
from parley.memory.state.memory import Memory


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
    repeats: list[EchoRow]


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
