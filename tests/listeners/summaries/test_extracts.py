"""What the extract of a range is made from, and what it costs: a constant, whatever it covers."""

from __future__ import annotations

import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import pytest

from parley.bus.contract.drafts import Draft
from parley.bus.entries import Message, Record
from parley.bus.log.local_log import LocalLog
from parley.listeners.cache.ranges import EntryRange
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.summariser import Summariser, SummaryOrder
from parley.listeners.offline import local_effects
from parley.listeners.summaries.extracts import STRETCHES, ExtractTerms, make_extract
from parley.memory.fold.apply import apply
from parley.memory.state.effects import SummaryEffect
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import list_due_summaries
from tests.support.logs.logs import PACKS, answer, numbered, opened

CALL_SECONDS = 0.010  # of processor time that one summary may take
# Times as much on a machine that others use; a single call as often again, for collections.
NOISE = 12
NAMES = ("Kim", "Ben (architect)", "user")
THINGS = (
    "sluice", "pump", "ledger", "drain", "mill", "fence", "valve", "archive", "lamp", "kettle",
)  # fmt: skip


def turn(k: int) -> Message:
    """What an agent says in its turn `k`: a report of some 1,300 characters."""
    thing, other = THINGS[k % 10], THINGS[(k // 10) % 10]
    items = "\n".join(
        f"- **{each.title()} {k + place}:** replace the {each} of yard {place} before day {k % 30}"
        for place, each in enumerate((thing, other, "gate"))
    )
    prose = " ".join(
        f"The {thing} of yard {number} was measured {number + k % 7} times and held in all of them."
        for number in range(8)
    )
    return Message(
        participant=NAMES[k % 3],
        content=f"## Report {k} on the {thing}\n\nWe should move the {other} {k} to yard {k % 9}, "
        f"since the {thing} fails below {k % 40} degrees.\n\n{prose}\n\nNext steps:\n\n{items}\n\n"
        f"I disagree with the plan of the {other}: it costs {k} euros more. Who pays for that?",
    )


def folded(count: int, **settings: object) -> tuple[Memory, list[Record]]:
    """A session of `count` turns of which no summary was made."""
    memory = Memory(PACKS)
    records = numbered([opened(**settings), *map(turn, range(count))])
    for record in records:
        apply(memory, record)
    return memory, records[1:]


@pytest.mark.parametrize(
    ("turns", "top"),
    [(300, 1), pytest.param(20_000, 4, marks=[pytest.mark.long, pytest.mark.timeout(1800)])],
)
def test_no_summary_takes_longer_than_a_turn_of_the_loop(
    turns: int, top: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the default interval, at any level."""
    took: defaultdict[int, list[float]] = defaultdict(list)

    def timed(effect: SummaryEffect, records: Sequence[Record], terms: ExtractTerms) -> str:
        began = time.process_time()
        text = make_extract(effect, records, terms)
        took[effect.level].append(time.process_time() - began)
        return text

    monkeypatch.setattr(local_effects, "make_extract", timed)
    log, memory = LocalLog(), Memory(PACKS)
    log.open(opened())
    for start in range(0, turns, 12):
        log.publish([Draft(f"m{k}", turn(k)) for k in range(start, start + 12)])
        local_effects.settle_log(log, memory)
    assert max(took) == top
    for level, seconds in took.items():
        assert statistics.median(seconds) <= CALL_SECONDS * NOISE, level
        assert max(seconds) <= CALL_SECONDS * NOISE**2, level


def test_a_higher_level_reads_no_messages() -> None:
    """Its material are the summaries that stand below it."""
    memory, _ = folded(24, summary={"interval": 4})
    seq, n = memory.seq, memory.n
    for effect in list_due_summaries(memory):
        (record,) = numbered([answer(effect)], seq, n)
        seq = record.seq
        apply(memory, record)
    (effect,) = list_due_summaries(memory)
    terms = ExtractTerms.of(memory, effect)
    assert (effect.level, terms.spans) == (1, ())
    assert [(part.first, part.last) for part in terms.below] == [
        (first, first + 3) for first in range(1, 25, 4)
    ]


def test_what_is_gone_from_below_is_stood_in_for_by_a_few_stretches() -> None:
    """All of it at the first level above messages; of more, six stretches, evenly parted."""
    memory, records = folded(24, summary={"interval": 4})
    first = SummaryEffect(1, 1, 24)
    terms = ExtractTerms.of(memory, first)
    assert terms.spans == tuple((at, at + 3) for at in range(1, 25, 4))
    assert make_extract(first, records, terms)
    far = ExtractTerms.of(memory, SummaryEffect(3, 1, 864)).spans
    assert len(far) == STRETCHES
    assert far[0] == (1, 4)
    assert {after[0] - before[0] for before, after in pairwise(far)} == {144}


async def test_much_talk_is_summed_up_off_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that whoever else is served by it does not wait."""
    threads: list[threading.Thread] = []

    def watched(effect: SummaryEffect, records: Sequence[Record], terms: ExtractTerms) -> str:
        threads.append(threading.current_thread())
        return make_extract(effect, records, terms)

    monkeypatch.setattr("parley.listeners.effects.summariser.make_extract", watched)
    memory, records = folded(60, summary={"interval": 60})
    (effect,) = list_due_summaries(memory)
    order = SummaryOrder.of(memory, effect)
    entries = EntryRange(records, records[-1].identity)
    made = await Summariser(None, EffectPace()).summary("s", order, entries)
    assert made is not None
    assert made.text
    assert threads != [threading.main_thread()]
