"""The ledger of a long session: every binding decision stands in the context."""

from __future__ import annotations

import re

import pytest

from parley.memory.context.context import Context, Request, assemble
from parley.memory.context.prefix import LEDGER
from parley.memory.settings.presets import PRESETS
from parley.memory.state.memory import Memory
from tests.support.logs.answers import Talk
from tests.support.logs.long_log import long_log
from tests.support.logs.mixed import opening


def long_session(preset: str, count: int = 10_000) -> Talk:
    """The long log folded, with what it makes due answered now and then."""
    talk = Talk()
    for index, entry in enumerate([opening(preset, {}), *long_log(count)]):
        talk.publish(entry)
        if index % 60 == 0:
            talk.settle()
    talk.settle()
    return talk


def bound(memory: Memory) -> list[int]:
    """The refs of the decisions that are ratified and stand, oldest first."""
    return [
        decision.ref
        for decision in memory.decisions.values()
        if decision.status == "ratified" and memory.decision(decision.ref) is decision
    ]


# The same in each: the long form looks at all.
LONG_TALKS = [
    pytest.param(name, marks=() if name == "deliberation" else pytest.mark.long) for name in PRESETS
]


@pytest.mark.parametrize("preset", LONG_TALKS)
def test_every_ratified_decision_is_in_the_ledger_after_10000_entries(preset: str) -> None:
    """In full or as handle and topic, older ones shorter, within the budget of every day."""
    memory = long_session(preset).memory
    refs = bound(memory)
    assert len(refs) >= 200
    context = assemble(memory, Request("ana"))
    assert context.size <= memory.settings.context.budget_tokens == 4000
    for ref in refs:
        topic = memory.decisions[ref].topic
        line = _line(context, ref)
        assert topic[:6] in line  # twelve characters of it, to a whole word
    _check_ages(context)


def _line(context: Context, ref: int) -> str:
    ledger = next(block.text for block in context.blocks if block.name == LEDGER)
    return next(line for line in ledger.splitlines() if re.match(rf"- D{ref}\b", line))


def _check_ages(context: Context) -> None:
    """Older ones shrink first, and the text says how many are in short."""
    fates = {choice.what: choice.fate for choice in context.choices if choice.block == LEDGER}
    by_age = [fates[what] for what in sorted(fates, key=lambda what: int(what[1:]))]
    assert by_age == sorted(by_age, key=("left out", "short", "whole").index)
    short = context.shortened.get(LEDGER, 0)
    assert short == by_age.count("short")
    assert f"{short} of {LEDGER}" in context.text
