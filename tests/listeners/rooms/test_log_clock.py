"""How long ago things happened, by the clock of the log."""

from __future__ import annotations

import time
from dataclasses import replace

from parley.bus.entries import (
    Entry,
    FloorBid,
    FloorGranted,
    FloorPassed,
    FloorReleased,
    Message,
    Record,
    SessionForked,
    VoteInitiated,
)
from parley.listeners.offline.virtual_loop import run_virtual
from parley.listeners.rooms.log_clock import LogClock
from parley.memory.arbitration.arbiter import next_step
from parley.memory.arbitration.steps import CountVote, ElapsedTimes, Expire
from tests.support.logs.logs import opened
from tests.support.logs.tables import Table, agent, person

DAY_MS = 86_400_000


def heard(marks: LogClock, table: Table, *entries: tuple[int, Entry]) -> ElapsedTimes:
    """Notes entries that came that many ms ago."""
    now = time.time_ns() // 1_000_000
    for ago, entry in entries:
        marks.note(Record(0, 0, "e", now - ago, entry), live=False)
    return marks.waited(table.memory)


def test_a_dead_holder_does_not_keep_the_floor_for_as_long_as_others_talk() -> None:
    """A word begins its lease anew as it begins a draft anew, and not more often."""
    table = Table(agent("ana"), agent("bo"), floor={"policy": "bid", "restarts": 1})
    table.grant("ana", lease_ms=10_000)
    marks, ago = LogClock(), 25_000
    waited = heard(
        marks, table, (DAY_MS, opened()), (ago, FloorGranted(participant="ana", epoch=1))
    )
    while ago > 4_000:
        ago -= 4_000
        waited = heard(marks, table, (ago, Message(participant="eli", content="Anybody?")))
    assert waited.epoch < 10_000
    assert next_step(table.memory, waited)[0] == Expire("ana")
    assert next_step(table.memory, replace(waited, floor=19_000)) == (None, 1_000)


def test_an_answer_of_anybody_is_progress() -> None:
    """More listeners are asked where nobody answers, not where those who do pass."""
    table = Table(agent("ana"), agent("bo"))
    freed = FloorReleased(participant="ana", epoch=2)
    marks = LogClock()
    silent = heard(marks, table, (DAY_MS, opened()), (9_000, freed))
    assert silent.answer >= 9_000
    passed = heard(marks, table, (2_000, FloorPassed(participant="bo", epoch=2)))
    assert 2_000 <= passed.answer < 9_000
    assert passed.epoch >= 9_000


def test_a_vote_that_was_called_long_ago_is_not_taken_for_one_that_is_over() -> None:
    """Whoever looks back less far than its call knows a least time alone."""
    table = Table(agent("ana"), floor={"policy": "bid"})
    table.put(VoteInitiated(participant="eli", content="Tea?", options=("tea", "coffee")))
    bid = FloorBid(participant="ana", epoch=0)
    waited = heard(LogClock(), table, (DAY_MS, opened()), (30_000, bid), (10_000, bid))
    assert 30_000 <= waited.votes[1] < 60_000


def test_each_vote_is_as_old_as_its_call() -> None:
    table = Table(agent("ana"), person("eli"), floor={"policy": "bid"})
    call = VoteInitiated(participant="eli", content="Tea?", options=("tea", "coffee"))
    table.put(call, call)
    now, marks = time.time_ns() // 1_000_000, LogClock()
    for ref, ago in ((1, 50_000), (2, 20_000)):
        n = table.memory.votes.by_ref[ref].n
        marks.note(Record(0, n, "e", now - ago, call), live=False)
    votes = marks.waited(table.memory).votes
    assert 50_000 <= votes[1] < 70_000
    assert 20_000 <= votes[2] < 40_000


def test_in_a_fork_nothing_is_older_than_the_fork() -> None:
    """A vote that ran at the moment of the past has its time anew, and so has the session."""
    table = Table(agent("ana"), agent("bo"), vote={"seconds": 600})
    table.turn("ana", "[PROPOSAL] Move the index.")
    table.vote(1, status="open", electorate={"ana": 1, "bo": 1})
    past = (DAY_MS, opened()), (DAY_MS // 2, Message(participant="ana", content="Hm."))
    before = heard(marks := LogClock(), table, *past)
    assert before.votes[1] >= DAY_MS // 2
    forked = heard(marks, table, (5_000, SessionForked(session="s", n=1)))
    assert 5_000 <= forked.votes[1] < DAY_MS // 2
    assert forked.session == forked.head == forked.votes[1]
    assert next_step(table.memory, forked)[0] != CountVote(1)


def test_time_is_that_of_the_log() -> None:
    """A process whose clock is wrong by a day ends no vote a day early."""

    async def elapsed() -> ElapsedTimes:
        table, marks, log_ms = Table(agent("ana")), LogClock(), 1_000_000
        marks.set_clock(log_ms)
        marks.note(Record(1, 0, "e", log_ms - 700, opened()), live=False)
        return marks.waited(table.memory)

    assert 700 <= run_virtual(elapsed()).session < 800
