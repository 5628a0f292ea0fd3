"""The summary of a range without a model: a pure function of the range's messages.

It reads no memory but the settings and the packs of its time, so that any worker,
on any day, online or from a file, writes the same bytes for the same range.
That is why an extract of a higher level is condensed from extracts made anew,
and not from the summaries that happen to stand below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self, cast

from parley.bus.entries import Message, Record, SummaryMade
from parley.memory.extraction.patterns.speech_acts import SpeechActReader
from parley.memory.state.effects import SummaryEffect
from parley.memory.state.memory import Memory
from parley.memory.summaries.extracts import condense_extracts, extract_summary
from parley.memory.text.text_sizes import count_tokens

Lines = list[tuple[str, str]]


def message_lines(records: Sequence[Record]) -> Lines:
    """(participant, content) of the messages among `records`."""
    lines: Lines = []
    for record in records:
        if record.is_message:
            entry = cast("Message", record.entry)
            lines.append((entry.participant, entry.content))
    return lines


@dataclass(frozen=True, slots=True)
class ExtractTerms:
    """The settings and packs of an extract: those in force at the end of its range.

    Not those of the day on which somebody gets round to it.
    """

    reader: SpeechActReader
    words: int
    interval: int

    @classmethod
    def of(cls, memory: Memory, effect: SummaryEffect) -> Self:
        era = memory.era(effect.last)
        return cls(memory.reader_of(era.packs), era.words, era.interval)


def make_extract(effect: SummaryEffect, lines: Lines, terms: ExtractTerms) -> str:
    """The extract of the messages of the range of `effect`."""
    if effect.level == 0:
        return _chapter_extract(tuple(lines), terms)
    return condense_extracts(chapter_extracts(lines, terms), terms.words)


def chapter_extracts(lines: Lines, terms: ExtractTerms) -> list[str]:
    """Extracts of the successive intervals of a range of a higher level."""
    return [_chapter_extract(tuple(part), terms) for part in _intervals(lines, terms.interval)]


@lru_cache(maxsize=1024)
def _chapter_extract(lines: tuple[tuple[str, str], ...], terms: ExtractTerms) -> str:
    """The extract of one interval. Every level above asks for it again: 1,024 are kept."""
    return extract_summary(lines, terms.reader, terms.words)


def _intervals(lines: Lines, interval: int) -> Iterator[Lines]:
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
