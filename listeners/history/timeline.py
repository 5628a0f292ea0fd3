"""The whole course of a session, small enough to be drawn: thinned, however long it is."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from parley.listeners.history.chronicle import SERIES, WIDTH, Chronicle, Mark, Stance

_POINTS: Final = 600  # of a series at most: no plot is wider
MARKS: Final = 5_000  # at most, and as many stances


@dataclass(frozen=True, slots=True)
class Timeline:
    """A column a series, `n` first; every `every`-th row, and the last one.

    `done` permille of it while it is being made; it is made up to entry `seq`.
    """

    n: int
    every: int
    series: dict[str, list[int]]
    marks: tuple[Mark, ...]
    stances: tuple[Stance, ...]
    thinned: bool
    done: int
    seq: int


def make_timeline(stretches: Sequence[Chronicle], n: int, seq: int, head: int) -> Timeline:
    """The timeline of `stretches`, one after the other, up to the `n`-th primary entry and `seq`.

    `head` is where the log ends.
    """
    rows = array("q")
    for stretch in stretches:
        rows.extend(stretch.rows)
    marks = [mark for stretch in stretches for mark in stretch.marks]
    stances = [stood for stretch in stretches for stood in stretch.stances]
    step = 1
    while len(rows) // WIDTH > _POINTS * step:
        step *= 2
    places = _places(len(rows) // WIDTH, step)
    columns = ("n", *SERIES)
    return Timeline(
        n=n,
        every=step,
        series={name: [rows[WIDTH * p + k] for p in places] for k, name in enumerate(columns)},
        marks=thin_marks(marks),
        stances=tuple(stances[-MARKS:]),
        thinned=max(len(marks), len(stances)) > MARKS,
        seq=seq,
        done=1000 if seq >= head else min(999, seq * 1000 // head),
    )


def _places(count: int, step: int) -> list[int]:
    """Every `step`-th, and always the last."""
    places = list(range(0, count, step))
    return places if not count or places[-1] == count - 1 else [*places, count - 1]


def thin_marks(marks: Sequence[Mark], limit: int = MARKS) -> tuple[Mark, ...]:
    """At most so many, the rare kinds whole and the common ones evenly thinned."""
    if len(marks) <= limit:
        return tuple(marks)
    counts = sorted(
        Counter(mark.kind for mark in marks).items(), key=lambda item: (item[1], item[0])
    )
    shares: dict[str, tuple[int, int]] = {}
    left = limit
    for k, (kind, count) in enumerate(counts):
        share = min(count, left // (len(counts) - k))
        shares[kind] = share, count
        left -= share
    seen: Counter[str] = Counter()
    thinned: list[Mark] = []
    for mark in marks:
        share, count = shares[mark.kind]
        place = seen[mark.kind]
        seen[mark.kind] += 1
        if (place + 1) * share // count > place * share // count:
            thinned.append(mark)
    return tuple(thinned)
