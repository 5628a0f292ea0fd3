"""Items that were told wrongly and those that were missed, each with its lines, to read by hand."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from benchmarks.extraction_scores import LABELS, Read, is_optional
from benchmarks.recorded import Recorded, Row

_BEFORE: Final = 6  # lines shown
_AFTER: Final = 8
_CHARS: Final = 160


class Error(NamedTuple):
    """A line that is told to be `label` and is not, or is and is not told."""

    meeting: Recorded
    label: str
    place: int  # index of the message
    missed: bool
    note: str  # the row's `how` and rule; of a missed one: what it was told to be


def errors(read: Iterable[Read], label: str) -> Iterator[Error]:
    """The errors of a label, at the exact message."""
    for prediction in read:
        answers = {row["index"]: row for row in prediction.meeting.gold() if row["label"] == label}
        predicted = {row["index"]: row for row in prediction.rows if row["label"] == label}
        for index, row in predicted.items():
            if index not in answers:
                note = f"{row['how']}: {row['rule']} ({row['confidence']})"
                yield Error(prediction.meeting, label, index, False, note)
        others = {row["index"]: row["label"] for row in prediction.rows if row["label"] in
                  (*LABELS, "candidate")}  # fmt: skip
        for index, row in answers.items():
            if index not in predicted and not is_optional(row):
                note = f"told: {others.get(index, 'nothing')}"
                yield Error(prediction.meeting, label, index, True, note)


def sampled(errors: Iterable[Error], most: int) -> list[Error]:
    """At most `most`, chosen by a hash of where they stand: the same each time."""

    def draw(error: Error) -> tuple[int, int]:
        where = f"{error.meeting.corpus}/{error.meeting.name}/{error.place}/{error.label}"
        return zlib.crc32(where.encode()), error.place

    return sorted(errors, key=draw)[:most]


def print_errors(read: Sequence[Read], most: int) -> None:
    """Print `most` of the wrong and `most` of the missed items of each corpus and label."""
    for (corpus, variant), some in groupby(read, lambda each: each.meeting[:2]):
        meetings = {each.meeting: each for each in some}
        for label in LABELS:
            every = list(errors(meetings.values(), label))
            for missed in (False, True):
                mine = [error for error in every if error.missed is missed]
                what = f"{corpus}, {variant}: {label}s {'missed' if missed else 'wrongly told'}"
                print(f"\n#### {what}: {len(mine)}")
                for error in sampled(mine, most):
                    _print(error, meetings[error.meeting])


def _print(error: Error, read: Read) -> None:
    print(f"\n== {error.meeting.name} {error.place} {error.note}")
    marks = _marks(read.meeting.gold(), "gold"), _marks(read.rows, "told")
    for row in error.meeting.rows()[1:]:
        index = row["index"]
        if error.place - _BEFORE <= index <= error.place + _AFTER:
            content = " ".join(row["content"].split())[:_CHARS]
            labels = " ".join(filter(None, (each.get(index, "") for each in marks)))
            pointer = ">" if index == error.place else " "
            print(f"{pointer} {index:4} {row['agent_id'][:14]:14} {content}  {labels}".rstrip())


def _marks(rows: Iterable[Row], by: str) -> dict[int, str]:
    marks: dict[int, str] = {}
    for row in rows:
        if row["label"] in (*LABELS, "candidate"):
            marks[row["index"]] = f"[{by} {row['label']}]"
    return marks
