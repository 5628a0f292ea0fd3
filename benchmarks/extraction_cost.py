"""Microseconds a message that the fold takes, and how much of that finding items is."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from benchmarks.recorded import STRIPPED, recorded
from parley.bus.entries import Record
from parley.bus.log.local_log import LocalLog
from parley.memory.extraction.structure.scorecards import Scorecard, Scorecards, use_scorecards
from parley.memory.fold.apply import apply
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory, Packs
from parley.server.records.session_opening import opening_of_transcript, transcript_drafts
from parley.server.runtime.packs import read_packs
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript

Log = list[Record]
Figures = dict[str, Any]

_BLIND: Final = Scorecards(
    {}, -1, Scorecard(-1, {}, {}, 0), Scorecard(-1, {}, {}, 0)
)  # nothing passes


def costs(corpora: Iterable[Path], runs: int) -> dict[str, Figures]:
    """The figures of each corpus, markers cut, in microseconds of processor time a message.

    A process of its own for each, so that what one has warmed does not help the next.
    """
    by_corpus = {}
    for corpus in corpora:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            by_corpus[corpus.name] = alone.submit(cost, corpus, runs).result()
    return by_corpus


def cost(corpus: Path, runs: int) -> Figures:
    """`first` is the first reading of these texts, the others are medians of later ones.

    RE2 builds its automata as texts ask for them, so a text read before is
    read faster: a live session is between the two.
    """
    packs = read_packs().known
    logs = _logs(corpus)
    messages = sum(len(log) - 1 for log in logs)

    def total(some: Sequence[Log]) -> float:
        return _timed(lambda: [fold_records(Memory(packs), log) for log in some]) / messages

    first = total(logs)
    row: Figures = {"messages": messages, "first": first}
    row["again"] = statistics.median(total(logs) for _ in range(runs))
    with use_scorecards(_BLIND):
        for name, some in (("blind", logs), ("bare", _logs(corpus, packs=()))):
            row[name] = statistics.median(total(some) for _ in range(runs))
    gc.disable()
    kinds = [_by_kind(logs, packs) for _ in range(runs)]
    gc.enable()
    for kind in kinds[0]:
        row[kind] = statistics.median(each[kind] for each in kinds)
    return {name: round(value, 1) for name, value in row.items()}


def _logs(corpus: Path, **changed: Any) -> list[Log]:
    """Each meeting's log as the product opens and writes it; `changed` of the opening, for all."""
    settings, packs = resolve_defaults({}, {}), read_packs()
    logs = []
    for meeting in recorded(corpus):
        if meeting.variant == STRIPPED:
            transcript = parse_transcript(meeting.transcript())
            opened = opening_of_transcript(transcript, settings, packs)
            log = LocalLog()
            log.open(opened.model_copy(update=changed))
            log.publish(transcript_drafts(transcript))
            logs.append(log.read(0, count=log.info().head))
    return logs


def _timed(work: Callable[[], object]) -> float:
    """Microseconds of processor time, without the collector's share."""
    gc.collect()
    gc.disable()
    started = time.process_time_ns()
    work()
    took = time.process_time_ns() - started
    gc.enable()
    return took / 1000


def _by_kind(logs: Iterable[Log], packs: Packs) -> dict[str, float]:
    """Mean of votes, of lines that get a place in the window, and of all other messages."""
    spent: dict[str, list[int]] = {"on_votes": [0, 0], "on_candidates": [0, 0], "on_others": [0, 0]}
    for log in logs:
        memory = Memory(packs)
        for record in log:
            voted = memory.structure.voted
            started = time.thread_time_ns()
            apply(memory, record)
            took = time.thread_time_ns() - started
            if record.n:
                structure = memory.structure
                placed = bool(structure.lines) and structure.lines[-1].n == record.n
                kind = "votes" if structure.voted > voted else "candidates" if placed else "others"
                spent[f"on_{kind}"][0] += took
                spent[f"on_{kind}"][1] += 1
    return {kind: took / 1000 / max(1, count) for kind, (took, count) in spent.items()}
