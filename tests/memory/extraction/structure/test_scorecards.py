"""Scorecards that stand in for the shipped ones while something is measured."""

from __future__ import annotations

import pytest

from benchmarks.material import OPENED, PACKS, numbered
from parley.bus.entries import Message
from parley.memory.extraction.structure.scorecards import (
    Scorecard,
    Scorecards,
    current_scorecards,
    use_scorecards,
)
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory

NONE = Scorecard(-1, {}, {}, 0)
BLIND = Scorecards({}, -1, NONE, NONE)
TALK = (
    ("ann", "Move the weekly call to Thursday afternoons and publish the agenda."),
    ("bob", "+1"), ("cem", "+1"), ("dia", "+1"), ("eve", "+1"),
)  # fmt: skip


def proposals() -> int:
    messages = [Message(participant=who, content=text) for who, text in TALK]
    return len(fold_records(Memory(PACKS), numbered([OPENED, *messages])).proposals)


def test_other_scorecards_judge_within_their_block_alone() -> None:
    """Cards that say no find nothing; after it the shipped one finds the same again."""
    before = proposals()
    with use_scorecards(BLIND):
        assert proposals() == 0
    assert proposals() == before == 1


def fail_within() -> None:
    with use_scorecards(BLIND):
        assert current_scorecards() is BLIND
        raise ZeroDivisionError


def test_an_error_within_the_block_leaves_the_shipped_scorecards() -> None:
    """Whatever ends the block, nothing of it stays behind."""
    shipped = current_scorecards()
    with pytest.raises(ZeroDivisionError):
        fail_within()
    assert current_scorecards() == shipped
