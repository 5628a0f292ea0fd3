"""The hot path inside one process: fold, growth, assemble, snapshot, load, Markdown blocks.

python -m benchmarks.fold [--runs 5] [--json]
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.material import (
    OPENED,
    PACKS,
    agent_talk,
    agent_texts,
    long_session,
    meetings,
    numbered,
    talk,
    written_talk,
)
from parley.bus.entries import Record, SummaryMade
from parley.memory.context.context import Request, assemble
from parley.memory.extraction.writing.cards import shipped_cards
from parley.memory.extraction.writing.units import split_units
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import list_due_summaries
from parley.memory.text.markdown_blocks import split_blocks
from parley.memory.text.plain_text import to_plain


def spread(figures: list[float]) -> dict[str, float]:
    """Median, lowest and highest of several runs."""
    return {
        "median": round(statistics.median(figures), 3),
        "min": round(min(figures), 3),
        "max": round(max(figures), 3),
    }


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor time that `work` takes, without the collector's share."""
    gc.collect()
    gc.disable()
    started = time.process_time()
    work()
    took = time.process_time() - started
    gc.enable()
    return took


def fold_us(sessions: list[list[Record]], runs: int) -> dict[str, float]:
    """Microseconds a message of folding whole sessions, extraction included."""
    messages = sum(len(records) - 1 for records in sessions)
    fold_records(Memory(PACKS), sessions[0])
    figures = [
        timed(lambda: [fold_records(Memory(PACKS), records) for records in sessions])
        / messages
        * 1e6
        for _ in range(runs)
    ]
    return {**spread(figures), "messages": messages}


def growth(session: list[Record], runs: int) -> dict[str, Any]:
    """The same 1,000 messages onto an empty memory and onto the whole long one, interleaved."""
    sample = talk(1000, chars=70, seed=7, acts=0.1)
    empty = dump(fold_records(Memory(PACKS), numbered([OPENED])))
    whole = dump(_with_summaries(session))
    last = session[-1]
    ratios, small, large = [], [], []
    for _ in range(runs):
        small.append(_thousand(empty, sample, 1, 0))
        large.append(_thousand(whole, sample, last.seq + 10_000, last.n))
        ratios.append(large[-1] / small[-1])
    return {
        "ratio": spread(ratios),
        "empty_us": spread(small),
        "long_us": spread(large),
        "snapshot_bytes": len(whole),
    }


def _thousand(state: bytes, sample: list[Any], seq: int, n: int) -> float:
    memory = load(state, PACKS, seq)
    records = [
        Record(seq + k, n + k, record.id, 0, record.entry)
        for k, record in enumerate(numbered(sample), 1)
    ]
    return timed(lambda: fold_records(memory, records)) / len(records) * 1e6


def _with_summaries(session: Iterable[Record]) -> Memory:
    """The memory of a settled session: every due summary answered as it falls due."""
    memory, shift = Memory(PACKS), 0
    for record in session:
        apply(memory, Record(record.seq + shift, record.n, record.id, 0, record.entry))
        while memory.owed and (effects := list_due_summaries(memory)):
            for effect in effects:
                shift += 1
                made = SummaryMade(
                    level=effect.level,
                    first=effect.first,
                    last=effect.last,
                    how="extract",
                    text="What they said, in two hundred words. " * 30,
                )
                apply(memory, Record(record.seq + shift, record.n, effect.id, 0, made))
    return memory


def assemble_ms(session: list[Record], calls: int = 400) -> dict[str, float]:
    """Milliseconds of a full context at the end of a session, by percentile."""
    memory = _with_summaries(session)
    names = sorted(memory.participants)
    figures = []
    for call in range(calls):
        request = Request(names[call % len(names)], "full", None, session[-15:])
        started = time.perf_counter()
        assemble(memory, request)
        figures.append((time.perf_counter() - started) * 1e3)
    figures.sort()
    return {
        "p50": round(figures[len(figures) // 2], 3),
        "p99": round(figures[len(figures) * 99 // 100], 3),
    }


def cold_ms(session: list[Record], tail: int = 1000) -> float:
    """Milliseconds to load the snapshot before the last `tail` records and fold them."""
    before = dump(_with_summaries(session[:-tail]))
    seq = session[-tail].seq + 10_000
    records = [
        Record(seq + k, record.n, record.id, 0, record.entry)
        for k, record in enumerate(session[-tail:])
    ]
    return round(timed(lambda: fold_records(load(before, PACKS, seq - 1), records)) * 1e3, 1)


def blocks_us(texts: list[str], runs: int) -> dict[str, float]:
    """Microseconds of processor time to split texts into Markdown blocks, a 1,000 characters."""
    chars = sum(map(len, texts))
    figures = [timed(lambda: list(map(split_blocks, texts))) / chars * 1e9 for _ in range(runs)]
    return {**spread(figures), "texts": len(texts)}


def reading_us(texts: list[str], runs: int) -> dict[str, float]:
    """Microseconds of processor time, a message, of what reading one as a document cannot leave
    out: its blocks and units, their words, what these weigh, one look for wordings at a place.
    """
    cards, plain = shipped_cards(), [to_plain(text) for text in texts]
    messages = [WrittenMessage(text, frozenset(), cards) for text in plain]
    parts: list[tuple[str, Callable[[], object]]] = [
        ("units", lambda: [split_units(text) for text in plain]),
        ("units, words and labels", lambda: [WrittenMessage(t, (), cards) for t in plain]),
        ("weights", lambda: [message.scores() for message in messages]),
        ("wordings", lambda: [cards.gate.hits(text.lower().encode()) for text in plain]),
    ]
    return {
        name: round(min(timed(work) for _ in range(runs)) / len(texts) * 1e6, 1)
        for name, work in parts
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: dict[str, Any] = {
        "fold, plain talk of 480 characters, us": fold_us(
            [numbered([OPENED, *talk(5000)])], options.runs
        ),
        "fold, written talk of 700 characters, us": fold_us(
            [numbered([OPENED, *written_talk(1000)])], options.runs
        ),
    }
    if texts := agent_texts():
        figures["Markdown blocks of agents' talk, us a 1,000 characters"] = blocks_us(
            texts, options.runs * 5
        )
        figures["of it to read, least, us a message"] = reading_us(texts, options.runs)
    if transcripts := agent_talk():
        figures["fold, agents' talk, us"] = fold_us(transcripts, options.runs)
    if irc := meetings():
        figures["fold, irc corpus, us"] = fold_us(irc, options.runs)
    if session := long_session():
        figures["growth over the long session"] = growth(session, max(7, options.runs))
        figures["assemble, full, end of the long session, ms"] = assemble_ms(session)
        figures["load and a tail of 1,000, ms"] = cold_ms(session)
    else:
        figures["not measured"] = (
            "the corpora are not here: blocks, agents, irc, growth, assemble, load"
        )
    if options.json:
        print(json.dumps(figures))
    else:
        for name, figure in figures.items():
            print(f"{name:45} {figure}")


if __name__ == "__main__":
    main()
