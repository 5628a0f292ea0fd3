"""Law 12: folding costs the same per message, however long the log."""

from __future__ import annotations

import time

import msgspec
import pytest

from bus.entries import (
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
from memory.canonical import dump, load
from memory.fold import apply, fold
from memory.presets import PRESETS
from memory.state import Memory
from memory.summaries import due
from tests.logs import PACKS, answer, numbered, opened
from tests.long_log import long_log
from tests.mixed import opening

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


MOST = 2.2  # times the time for twice the log


def growth(state: bytes, records: list[Record]) -> float:
    """How many times the processor time of their first half all `records` take onto `state`.

    Of the best of at least three turns each, taken by turns, and of up to
    fifteen where that is too much: a machine that is busy blurs the figure.
    """
    whole, half = [], []
    for turn in range(15):
        half.append(_cost(state, records[: len(records) // 2]))
        whole.append(_cost(state, records))
        if turn >= 2 and min(whole) <= MOST * min(half):
            break
    return min(whole) / min(half)


def _cost(state: bytes, records: list[Record]) -> float:
    memory = load(state, PACKS)
    started = time.process_time()
    fold(memory, records)
    return time.process_time() - started


def test_law_12_twice_the_log_takes_at_most_2_2_times_the_time() -> None:
    """Proposals, reactions and owed summaries pile up without slowing the fold."""
    empty = dump(Memory(PACKS))
    records = numbered([opened(), *chatter(8000)])
    assert growth(empty, records) <= MOST


def test_a_settled_memory_stays_small() -> None:
    """Ten times the talk is not ten times the memory: only rows of items are added."""
    memory, seq, n = Memory(PACKS), 0, 0
    sizes = []
    for entry in [opened(), *chatter(6000)]:
        (record,) = numbered([entry], seq, n)
        seq, n = record.seq, record.n
        apply(memory, record)
        for effect in due(memory) if n % 12 == 0 else ():
            (record,) = numbered([answer(effect)], seq, n)
            seq = record.seq
            apply(memory, record)
        if n in (600, 6000):
            sizes.append(len(dump(memory)))
    rows = len(memory.proposals) + len(memory.decisions)
    assert sizes[1] - sizes[0] < rows * 600


@pytest.mark.parametrize("preset", PRESETS)
def test_law_12_holds_with_every_layer_in_use(preset: str) -> None:
    """Notebooks, episodes, exchanges, results and steps pile up without slowing the fold."""
    records = numbered([opening(preset, {}), *long_log(10_000)])
    full = dump(fold(Memory(PACKS), records[:4000]))  # every bounded look-up is at its bound
    assert growth(full, records[4000:]) <= MOST


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
    empty = dump(Memory(PACKS))
    records = numbered([opened(floor={"policy": "bid"}), *debate(2000)])
    assert growth(empty, records) <= MOST
    memory = fold(Memory(PACKS), records)
    assert memory.floor.turns == 2000
    assert memory.ledger.calls == {}
    assert len(msgspec.json.encode(memory.floor)) < 4000


def test_settings_that_models_do_not_go_by_leave_no_trace() -> None:
    """A thousand changes of them are no thousand eras; one that counts begins one."""
    budgets = [SettingsChanged(settings={"context": {"budget_tokens": k}}) for k in (900, 800)]
    log: list[Entry] = []
    for k, said in enumerate(chatter(1000)):
        log += [said, budgets[k % 2]]
    memory = fold(Memory(PACKS), numbered([opened(), *log]))
    assert len(memory.eras) == 1
    words = SettingsChanged(settings={"summary": {"words": 50}})
    fold(memory, numbered([words], memory.seq, memory.n))
    assert [era.after for era in memory.eras] == [0, 1000]


def test_law_12_holds_for_redactions() -> None:
    """The ten thousandth costs what the first did."""
    empty = dump(fold(Memory(PACKS), numbered([opened()])))
    tombs: list[Entry] = [EntryRedacted(redacted=k + 1, reason="private") for k in range(8000)]
    assert growth(empty, numbered([opened(), *tombs])) <= MOST
