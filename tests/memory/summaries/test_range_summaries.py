"""Which ranges fall due, which summary stands, what is let go."""

from __future__ import annotations

from itertools import pairwise

import pytest

from parley.bus.entries import Entry, ItemCorrected, Message, SummaryMade
from parley.memory.fold.apply import apply
from parley.memory.state.effects import SummaryEffect
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import (
    list_due_summaries,
    list_summary_upgrades,
    uncovered_summaries,
)
from tests.support.logs.logs import PACKS, answer, numbered, opened


class Session:
    """A log under construction and its memory."""

    def __init__(self, **settings: object) -> None:
        self.memory = Memory(PACKS)
        self.seq = self.n = 0
        self.add(opened(**settings))

    def add(self, entry: Entry) -> None:
        (record,) = numbered([entry], self.seq, self.n)
        self.seq, self.n = record.seq, record.n
        apply(self.memory, record)

    def say(self, count: int) -> None:
        for _ in range(count):
            self.add(Message(participant="ana", content=f"Line {self.n + 1}."))

    def answer_all(self, how: str = "extract") -> list[SummaryEffect]:
        done = []
        while effects := list_due_summaries(self.memory):
            for effect in effects:
                self.add(answer(effect, how))
                done.append(effect)
        return done


def test_a_range_is_exactly_the_next_interval_whatever_the_batch() -> None:
    """Thirty messages at once owe the same two ranges as one by one."""
    session = Session()
    session.say(30)
    assert list_due_summaries(session.memory) == (SummaryEffect(0, 1, 12), SummaryEffect(0, 13, 24))


def test_other_primary_entries_are_covered_but_not_counted() -> None:
    """An interval counts messages; a range is closed in n."""
    session = Session(summary={"interval": 3})
    session.say(2)
    session.add(ItemCorrected(ref="P9", by="ana", op="retract"))
    session.say(1)
    assert list_due_summaries(session.memory) == (SummaryEffect(0, 1, 4),)


def test_what_failed_stays_due() -> None:
    """Due-ness is a function of state: no answer, no progress, no gap."""
    session = Session(summary={"interval": 2})
    session.say(4)
    session.add(answer(SummaryEffect(0, 3, 4)))
    session.say(1)
    assert list_due_summaries(session.memory) == (SummaryEffect(0, 1, 2),)


def test_a_level_is_due_once_all_below_it_stand() -> None:
    """Six summaries of level 0 owe one of level 1."""
    session = Session(summary={"interval": 2})
    session.say(12)
    for effect in list_due_summaries(session.memory)[:5]:
        session.add(answer(effect))
    assert [effect.level for effect in list_due_summaries(session.memory)] == [0]
    session.add(answer(list_due_summaries(session.memory)[0]))
    assert list_due_summaries(session.memory) == (SummaryEffect(1, 1, 12),)


def test_one_summary_stands_a_range_and_a_model_s_outranks() -> None:
    """The first of a kind stands; an extract never replaces a model's."""
    session = Session(summary={"interval": 2, "how": "model"})
    session.say(2)
    session.add(answer(SummaryEffect(0, 1, 2)))
    session.add(answer(SummaryEffect(0, 1, 2), "model"))
    session.add(SummaryMade(level=0, first=1, last=2, how="extract", text="late"))
    (standing,) = session.memory.summaries.values()
    assert standing.how == "model"


def test_a_summary_of_an_unknown_range_is_ignored() -> None:
    """What fits no range cannot stand."""
    session = Session(summary={"interval": 2})
    session.say(2)
    session.add(SummaryMade(level=0, first=1, last=3, how="extract", text="too far"))
    session.add(SummaryMade(level=4, first=1, last=2, how="extract", text="too high"))
    assert session.memory.summaries == {}


def test_extracts_are_offered_to_a_model_only_where_one_is_wanted() -> None:
    """And a higher level waits for the models' summaries below it."""
    plain = Session(summary={"interval": 2})
    plain.say(4)
    plain.answer_all()
    assert list_summary_upgrades(plain.memory) == ()
    session = Session(summary={"interval": 2, "fanout": 2, "how": "model", "keep": 0})
    session.say(4)
    session.answer_all()
    assert list_summary_upgrades(session.memory) == (SummaryEffect(0, 1, 2), SummaryEffect(0, 3, 4))
    session.add(answer(SummaryEffect(0, 1, 2), "model"))
    session.add(answer(SummaryEffect(0, 3, 4), "model"))
    assert list_summary_upgrades(session.memory) == (SummaryEffect(1, 1, 4),)
    session.add(answer(SummaryEffect(1, 1, 4), "model"))
    assert list_summary_upgrades(session.memory) == ()
    assert [summary.level for summary in session.memory.summaries.values()] == [1]


def test_auto_offers_the_extracts_that_stand_and_lets_the_covered_go() -> None:
    """A model that answers later words what is still shown; without one memory stays as small."""
    auto, plain = (
        Session(summary={"interval": 2, "fanout": 2, "how": how, "keep": 1})
        for how in ("auto", "extract")
    )
    for session in (auto, plain):
        session.say(12)
        session.answer_all()
    assert auto.memory.summaries.keys() == plain.memory.summaries.keys()
    assert auto.memory.ranges.keys() == plain.memory.ranges.keys()
    assert list_summary_upgrades(plain.memory) == ()
    while upgrades := list_summary_upgrades(auto.memory):
        auto.add(answer(upgrades[0], "model"))
    assert {summary.how for summary in auto.memory.summaries.values()} == {"model"}
    assert auto.memory.summaries.keys() == plain.memory.summaries.keys()


@pytest.mark.parametrize("how", ["extract", "auto"])
def test_memory_keeps_the_frontier_and_the_newest(how: str) -> None:
    """Ten thousand messages leave a handful of summaries that cover them all."""
    session = Session(summary={"how": how})
    for _ in range(100):
        session.say(100)
        session.answer_all()
    covered = uncovered_summaries(session.memory)
    assert covered[0].first == 1
    for before, after in pairwise(covered):
        assert after.first == before.last + 1
    assert len(session.memory.summaries) <= 20 + 3
    assert len(session.memory.ranges) <= 20 + 3 + 1


def test_a_crowd_of_ranges_is_covered_early() -> None:
    """`caps.summaries` holds by covering more, never by forgetting the middle."""
    session = Session(summary={"interval": 1, "fanout": 100, "keep": 0}, caps={"summaries": 4})
    for _ in range(50):
        session.say(1)
        session.answer_all()
    assert len(uncovered_summaries(session.memory)) <= 4
    assert uncovered_summaries(session.memory)[0].first == 1
