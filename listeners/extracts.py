"""The summary of a range without a model: a pure function of the range's messages.

It reads no memory but the settings and the packs in force, so that any worker,
on any day, online or from a file, writes the same bytes for the same range.
That is why an extract of a higher level is condensed from extracts made anew,
and not from the summaries that happen to stand below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from bus.entries import Message, Record, SummaryMade
from memory.acts import Reader
from memory.extract import condense, extract
from memory.items import Effect
from memory.settings import SummarySettings

Lines = list[tuple[str, str]]


def lines_of(records: Sequence[Record]) -> Lines:
    """(participant, content) of the messages among `records`."""
    lines: Lines = []
    for record in records:
        if record.entry.kind == "message":
            entry = cast("Message", record.entry)
            lines.append((entry.participant, entry.content))
    return lines


def extracted(effect: Effect, lines: Lines, reader: Reader, summary: SummarySettings) -> str:
    """The extract of the messages of the range of `effect`, in at most `summary.words` words."""
    if effect.level == 0:
        return extract(lines, reader, summary.words)
    return condense(chapters(lines, reader, summary), summary.words)


def chapters(lines: Lines, reader: Reader, summary: SummarySettings) -> list[str]:
    """Extracts of the successive intervals of a range of a higher level."""
    return [extract(part, reader, summary.words) for part in _intervals(lines, summary.interval)]


def _intervals(lines: Lines, interval: int) -> Iterator[Lines]:
    for start in range(0, len(lines), interval):
        yield lines[start : start + interval]


def summary_made(effect: Effect, text: str, model: str | None = None) -> SummaryMade:
    """The entry that answers `effect`: a model's where `model` is named, else an extract."""
    return SummaryMade(
        level=effect.level,
        first=effect.first,
        last=effect.last,
        how="model" if model else "extract",
        text=text,
        model=model,
    )
