"""Law 12: folding costs the same per message, however long the log."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec
import pytest

from benchmarks.material import written_talk
from parley.bus.entries import (
    Entry,
    EntryRedacted,
    FloorBid,
    FloorGranted,
    FloorPassed,
    FloorReleased,
    Message,
    ParticipantJoined,
    Record,
    SettingsChanged,
    SpendReserved,
    SpendSettled,
)
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump
from parley.memory.fold.replay import fold_records
from parley.memory.settings.presets import PRESETS
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import list_due_summaries
from tests.support.logs.costs import calls_made, growth
from tests.support.logs.logs import PACKS, answer, numbered, opened
from tests.support.logs.long_log import long_log
from tests.support.logs.mixed import opening

LINES = (
    "The shard that holds the old orders was slow again this morning.",
    "I propose that we move queue {} to the second cluster.",
    "+1",
    "I agree with that.",
    "Let me look at the graph of worker {} before we go on.",
    "We have decided to keep report {} as it is.",
    "-1, pager {} went off twice.",
    "Who owns dashboard {}?",
)


def chatter(count: int) -> list[Entry]:
    """A deliberation that never settles down: a proposal in every eighth message."""
    return [
        Message(participant=f"agent-{k % 40}", content=LINES[k % len(LINES)].format(k))
        for k in range(count)
    ]


LINES_OF_TWICE = 2.2  # times the lines of Python run for twice the log: counted, so exact
SECONDS_OF_A_LINE = 1.5  # times the time of a line in a log far longer: 0.95 to 1.05 where measured


def assert_law_12(log: Sequence[Record], start: int, half: int) -> None:
    """Were each entry to scan the log, both figures would grow with it."""
    cost = growth(log, start, half, SECONDS_OF_A_LINE)
    assert cost.lines <= LINES_OF_TWICE
    assert cost.seconds <= SECONDS_OF_A_LINE


def test_law_12_twice_the_log_takes_at_most_2_2_times_the_work() -> None:
    """Proposals, reactions and owed summaries pile up without slowing the fold."""
    assert_law_12(numbered([opened(), *chatter(6000)]), start=1000, half=2000)


def written(messages: int) -> list[Record]:
    """Documents as agents write them, of which each proposes, answers or reports."""
    return numbered([opened(), *written_talk(messages)])


@pytest.mark.long
def test_law_12_holds_for_written_talk() -> None:
    """Where two and a half proposals a message are entered, and each is compared."""
    assert_law_12(written(9000), start=1000, half=3000)


CALLS_OF_A_THOUSAND_CHARACTERS = 8000  # of written talk: 7,706 where measured
CALLS_OF_A_LATER_MESSAGE = 1.1  # times those of an early one


def test_written_talk_takes_few_calls_and_no_more_later() -> None:
    """Counted, so exact: no feature is looked for twice, and no regular expression where a word
    tells that it cannot match.
    """
    log = written(900)
    memory = fold_records(Memory(PACKS), log[:201])  # what is compiled and learnt once is by then
    early, late = log[201:301], log[-100:]
    near = calls_made(memory, early)
    fold_records(memory, log[301:-100])
    far = calls_made(memory, late)
    assert near / _thousands(early) <= CALLS_OF_A_THOUSAND_CHARACTERS
    assert far / _thousands(late) <= CALLS_OF_A_LATER_MESSAGE * near / _thousands(early)


def _thousands(records: Sequence[Record]) -> float:
    """Thousands of characters of what was said."""
    return sum(len(getattr(record.entry, "content", "")) for record in records) / 1000


def test_a_settled_memory_stays_small() -> None:
    """Ten times the talk is not ten times the memory: only rows of items are added."""
    memory, seq, n = Memory(PACKS), 0, 0
    sizes = []
    for entry in [opened(), *chatter(6000)]:
        (record,) = numbered([entry], seq, n)
        seq, n = record.seq, record.n
        apply(memory, record)
        for effect in list_due_summaries(memory) if n % 12 == 0 else ():
            (record,) = numbered([answer(effect)], seq, n)
            seq = record.seq
            apply(memory, record)
        if n in (600, 6000):
            sizes.append(len(dump(memory)))
    rows = len(memory.proposals) + len(memory.decisions)
    assert sizes[1] - sizes[0] < rows * 600


@cache
def mixed_entries() -> list[Record]:
    """Entries of every kind, to follow an opening."""
    return numbered(long_log(16_000), seq=1)


ALL_LAYERS = [  # the fullest preset here, the others in the long form
    pytest.param(name, marks=[] if name == "analyst" else pytest.mark.long) for name in PRESETS
]


@pytest.mark.parametrize("preset", ALL_LAYERS)
def test_law_12_holds_with_every_layer_in_use(preset: str) -> None:
    """Notebooks, episodes, exchanges, results and steps pile up without slowing the fold."""
    log = [*numbered([opening(preset, {})]), *mixed_entries()]
    assert_law_12(log, start=4000, half=3000)  # where most bounded look-ups are at their bound


def debate(count: int) -> list[Entry]:
    """Eight agents: bids and passes, spending, turns, echoes, now and then a person's word."""
    names = [f"agent-{k}" for k in range(8)]
    log: list[Entry] = [ParticipantJoined(participant=name, role="agent") for name in names]
    for k in range(count):
        who, epoch = names[k * 5 % 8], 2 * k
        log += [
            FloorBid(participant=who, epoch=epoch, heard=10**6),
            FloorPassed(participant=names[k * 3 % 8], epoch=epoch, heard=10**6),
            FloorGranted(participant=who, epoch=epoch + 1),
            SpendReserved(participant=who, call=f"k{k}", purpose="draft", tokens=90),
            Message(participant=who, content=LINES[k % 8].format(k) + " @agent-3"),
            SpendSettled(participant=who, call=f"k{k}", input_tokens=60),
            FloorReleased(participant=who, epoch=epoch + 2),
        ]
        if k % 9 == 0:
            log.append(Message(participant="eli", content="Go on."))
    return log


def test_law_12_holds_with_the_floor_in_use() -> None:
    """Turns and calls pile up without slowing the fold, and leave no more than who took them."""
    records = numbered([opened(floor={"policy": "bid"}), *debate(2000)])
    assert_law_12(records, start=1500, half=4000)
    memory = fold_records(Memory(PACKS), records)
    assert memory.floor.turns == 2000
    assert memory.ledger.calls == {}
    assert len(msgspec.json.encode(memory.floor)) < 4000


def test_settings_that_models_do_not_go_by_leave_no_trace() -> None:
    """A thousand changes of them are no thousand eras; one that counts begins one."""
    budgets = [SettingsChanged(settings={"context": {"budget_tokens": k}}) for k in (900, 800)]
    log: list[Entry] = []
    for k, message in enumerate(chatter(1000)):
        log += [message, budgets[k % 2]]
    memory = fold_records(Memory(PACKS), numbered([opened(), *log]))
    assert len(memory.eras) == 1
    words = SettingsChanged(settings={"summary": {"words": 50}})
    fold_records(memory, numbered([words], memory.seq, memory.n))
    assert [era.after for era in memory.eras] == [0, 1000]


def test_law_12_holds_for_redactions() -> None:
    """The ten thousandth costs what the first did."""
    tombs: list[Entry] = [EntryRedacted(redacted=k + 1, reason="private") for k in range(16_000)]
    assert_law_12(numbered([opened(), *tombs]), start=1000, half=3500)
