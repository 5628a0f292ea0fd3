"""Where the primary entries of a session stand in its log, and the entries themselves."""

from __future__ import annotations

from parley.bus import Bus
from parley.bus.contract.errors import SessionNotFound
from parley.bus.entries import PRIMARY, Record, Unknown
from parley.listeners.history.course import Checkpoint, Course
from parley.listeners.history.course_builder import Other, pages


async def learn(bus: Bus, course: Course) -> None:
    """Learn where the primary entries stand that came since."""
    async for records in pages(bus, course, course.placed):
        for record in records:
            if record.n == len(course.places):
                course.places.append(record.seq)
        last = records[-1]
        if last.seq > course.placed.seq:
            course.placed = Checkpoint(last.n, last.seq, last.identity)


async def standing(bus: Bus, course: Course, numbers: list[int]) -> dict[int, Record]:
    """The entries at their places: a run of neighbours as one range."""
    if not numbers:
        return {}
    seqs = [course.places[n] for n in numbers]
    close = seqs[-1] - seqs[0] < 2 * len(seqs) + 16
    starts, count = ([seqs[0]], seqs[-1] - seqs[0] + 1) if close else (seqs, 1)
    wanted = [(course.session, seq - 1) for seq in starts]
    found: dict[int, Record] = {}
    for stretch in await bus.read_many(wanted, count=count):
        if stretch is None:
            raise SessionNotFound(course.session)
        if stretch.incarnation != course.incarnation:
            raise Other
        found.update((record.seq, record) for record in stretch.records)
    try:
        placed = {n: found[seq] for n, seq in zip(numbers, seqs, strict=True)}
    except KeyError:  # the log went back
        raise Other from None
    if not all(_stands(record, n) for n, record in placed.items()):
        raise Other
    return placed


def _stands(record: Record, n: int) -> bool:
    """Whether `record` may be the `n`-th primary entry, or for 0 the opening."""
    kind = record.entry.kind
    return record.n == n and (not n or kind in PRIMARY or isinstance(record.entry, Unknown))
