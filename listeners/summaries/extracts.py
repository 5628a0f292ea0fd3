"""The summary of a range without a model: of the range's messages and its ledger changes.

It reads no memory but what the range noted and the settings of its time, so that any
worker, on any day, online or from a file, writes the same bytes for the same range.
That is why an extract of a higher level is made from the messages, and not from the
summaries that happen to stand below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self, cast

from parley.bus.entries import Message, Record, SummaryMade
from parley.memory.state.effects import SummaryEffect
from parley.memory.state.memory import Memory
from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.extracts import extract_summary
from parley.memory.summaries.sentence_weights import Talk, read_talk
from parley.memory.summaries.talk_sentences import Line
from parley.memory.text.text_sizes import count_tokens

Lines = list[tuple[str, str]]


def message_lines(records: Sequence[Record]) -> Lines:
    """(participant, content) of the messages among `records`."""
    lines: Lines = []
    for record in records:
        if record.is_talk:
            entry = cast("Message", record.entry)
            lines.append((entry.participant, entry.content))
    return lines


@dataclass(frozen=True, slots=True)
class ExtractTerms:
    """What an extract goes by: its range's ledger changes, the settings at the end of its range.

    Not the settings of the day on which somebody gets round to it.
    """

    changes: tuple[LedgerChange, ...]
    words: int
    interval: int

    @classmethod
    def of(cls, memory: Memory, effect: SummaryEffect) -> Self:
        era = memory.era(effect.last)
        summary_range = memory.ranges.get((effect.level, effect.first))
        changes = () if summary_range is None else tuple(summary_range.changes)
        return cls(changes, era.words, era.interval)


def make_extract(effect: SummaryEffect, records: Sequence[Record], terms: ExtractTerms) -> str:
    """The extract of the messages of the range of `effect`."""
    lines = _numbered_lines(records)
    if effect.level == 0:
        return extract_summary(lines, terms.changes, terms.words)
    talks = [_interval_talk(tuple(part)) for part in _intervals(lines, terms.interval)]
    return extract_summary(lines, terms.changes, terms.words, talks)


def chapter_extracts(records: Sequence[Record], terms: ExtractTerms) -> list[str]:
    """Extracts of the successive intervals of a range of a higher level."""
    texts = []
    for part in _intervals(_numbered_lines(records), terms.interval):
        own = [change for change in terms.changes if part[0].n <= change.n <= part[-1].n]
        texts.append(extract_summary(part, own, terms.words))
    return texts


def _numbered_lines(records: Sequence[Record]) -> list[Line]:
    lines = []
    for record in records:
        if record.is_talk:
            entry = cast("Message", record.entry)
            lines.append(Line(record.n, entry.participant, entry.content))
    return lines


@lru_cache(maxsize=1024)
def _interval_talk(lines: tuple[Line, ...]) -> Talk:
    """The talk of one interval. Every level above asks for it again: 1,024 are kept."""
    return read_talk(lines)


def _intervals(lines: list[Line], interval: int) -> Iterator[list[Line]]:
    for start in range(0, len(lines), interval):
        yield lines[start : start + interval]


def summary_entry(
    effect: SummaryEffect, lines: Lines, text: str, model: str | None = None
) -> SummaryMade:
    """The entry that answers `effect`: a model's where `model` is named, else an extract.

    `lines` are what it covers, measured here so that the fold need not.
    """
    return SummaryMade(
        level=effect.level,
        first=effect.first,
        last=effect.last,
        how="model" if model else "extract",
        text=text,
        model=model,
        was=sum(count_tokens(content) for _, content in lines),
    )
