"""The summary of a range without a model: of its messages, or of the summaries below it.

One of level 0 is made from the messages of its range; one of a higher level from the standing
summaries that it covers, so that its cost does not grow with the talk. Where some of those are
gone, six stretches of messages at most, evenly parted over what they covered, stand in for them.
Ledger changes and settings are those of the range, whenever somebody gets round to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self, cast

from parley.bus.entries import Message, Record, SummaryMade
from parley.memory.state.effects import SummaryEffect
from parley.memory.state.memory import Memory
from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.extracts import (
    LowerSummary,
    condense_summaries,
    extract_summary,
    ledger_notes,
)
from parley.memory.summaries.range_summaries import covered_ranges
from parley.memory.summaries.talk_units import Line
from parley.memory.text.text_sizes import count_tokens

STRETCHES: Final = 6  # of messages that stand in for summaries: the ranges of a usual next level
Lines = list[tuple[str, str]]
Span = tuple[int, int]  # n of the first and the last entry


def message_lines(records: Sequence[Record]) -> Lines:
    """(participant, content) of the messages among `records`."""
    return [(line.participant, line.content) for line in _numbered_lines(records)]


def _numbered_lines(records: Sequence[Record]) -> list[Line]:
    lines = []
    for record in records:
        if record.is_talk:
            entry = cast("Message", record.entry)
            lines.append(Line(record.n, entry.participant, entry.content))
    return lines


@dataclass(frozen=True, slots=True)
class ExtractTerms:
    """What an extract goes by, as memory has it when the effect is taken.

    `spans` are the entries to be read for it: its range, or what stands in for summaries that
    are gone from below it; `tokens` those that the standing ones cover.
    """

    changes: tuple[LedgerChange, ...]
    words: int
    below: tuple[LowerSummary, ...]
    spans: tuple[Span, ...]
    tokens: int

    @classmethod
    def of(cls, memory: Memory, effect: SummaryEffect) -> Self:
        era = memory.era(effect.last)
        summary_range = memory.ranges.get((effect.level, effect.first))
        changes = () if summary_range is None else tuple(summary_range.changes)
        if effect.level == 0:
            return cls(changes, era.words, (), ((effect.first, effect.last),), 0)
        standing = [
            summary
            for part in covered_ranges(memory, effect.level, effect.first)
            if (summary := memory.summaries.get(part.key)) is not None
        ]
        below = [LowerSummary(s.first, s.last, s.text, s.how == "model") for s in standing]
        spans = tuple(_stand_ins(list(_gaps(effect, below)), era.interval))
        return cls(changes, era.words, tuple(below), spans, sum(s.was for s in standing))

    def texts(self, records: Sequence[Record]) -> list[LowerSummary]:
        """The summaries below, oldest first, with extracts of the spans that stand in for some."""
        lines = _numbered_lines(records)
        made = []
        for first, last in self.spans:
            part = [line for line in lines if first <= line.n <= last]
            own = [change for change in self.changes if first <= change.n <= last]
            made.append(LowerSummary(first, last, extract_summary(part, own, self.words), False))
        return sorted((*self.below, *made))

    def notes(self, records: Sequence[Record]) -> str:
        """What the range of `records` did to the ledger, for a model that sums them up."""
        return ledger_notes(_numbered_lines(records), self.changes)


def _gaps(effect: SummaryEffect, below: Sequence[LowerSummary]) -> Iterator[Span]:
    """What of a range no standing summary of the level below covers."""
    start = effect.first
    for each in below:
        if each.first > start:
            yield start, each.first - 1
        start = each.last + 1
    if start <= effect.last:
        yield start, effect.last


def _stand_ins(gaps: Sequence[Span], interval: int) -> Iterator[Span]:
    """Stretches of `interval` entries of `gaps`: all there are, else some, evenly parted."""
    places = [
        (at, min(at + interval - 1, last))
        for first, last in gaps
        for at in range(first, last + 1, interval)
    ]
    most = min(STRETCHES, len(places))
    yield from (places[k * len(places) // most] for k in range(most))


def make_extract(effect: SummaryEffect, records: Sequence[Record], terms: ExtractTerms) -> str:
    """The extract that answers `effect`; `records` are those of the spans of its terms."""
    if effect.level == 0:
        return extract_summary(_numbered_lines(records), terms.changes, terms.words)
    return condense_summaries(terms.texts(records), terms.changes, terms.words)


def summary_entry(
    effect: SummaryEffect,
    records: Sequence[Record],
    terms: ExtractTerms,
    text: str,
    model: str | None = None,
) -> SummaryMade:
    """The entry that answers `effect`: a model's where `model` is named, else an extract.

    What it covers is measured here so that the fold need not; of what was not read, by what was.
    """
    own = [each for each in records if any(a <= each.n <= b for a, b in terms.spans)]
    tokens = sum(count_tokens(content) for _, content in message_lines(own))
    covered = sum(each.last - each.first + 1 for each in terms.below)
    missing = effect.last - effect.first + 1 - covered
    read = sum(last - first + 1 for first, last in terms.spans)
    return SummaryMade(
        level=effect.level,
        first=effect.first,
        last=effect.last,
        how="model" if model else "extract",
        text=text,
        model=model,
        was=terms.tokens + (tokens * missing // read if read else 0),
    )
