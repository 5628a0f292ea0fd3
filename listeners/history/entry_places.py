"""Where the primary entries of a session stand in its log, and the entries themselves."""

from __future__ import annotations

from parley.bus import Bus
from parley.bus.contract.errors import SessionNotFound
from parley.bus.entries import PRIMARY, Record, Unknown
from parley.listeners.history.course import Course
from parley.listeners.history.course_builder import LogChanged, read_course_pages


async def learn_places(bus: Bus, course: Course) -> None:
    """Note the seqs of the primary entries that were published since the last look."""
    async for records in read_course_pages(bus, course, course.last_place):
        course.note_places(records)


async def read_primary_entries(bus: Bus, course: Course, numbers: list[int]) -> dict[int, Record]:
    """Primary entries by n; a run of neighbours is read as one range. Raises `LogChanged`."""
    if not numbers:
        return {}
    seqs = [course.places[n] for n in numbers]
    close = seqs[-1] - seqs[0] < 2 * len(seqs) + 16
    starts, count = ([seqs[0]], seqs[-1] - seqs[0] + 1) if close else (seqs, 1)
    requests = [(course.session, seq - 1) for seq in starts]
    records: dict[int, Record] = {}
    for stretch in await bus.read_many(requests, count=count):
        if stretch is None:
            raise SessionNotFound(course.session)
        if stretch.incarnation != course.incarnation:
            raise LogChanged
        records.update((record.seq, record) for record in stretch.records)
    try:
        entries = {n: records[seq] for n, seq in zip(numbers, seqs, strict=True)}
    except KeyError:  # the log went back
        raise LogChanged from None
    if not all(_is_primary(record, n) for n, record in entries.items()):
        raise LogChanged
    return entries


def _is_primary(record: Record, n: int) -> bool:
    """Whether `record` may be the `n`-th primary entry, or for 0 the opening."""
    kind = record.entry.kind
    return record.n == n and (not n or kind in PRIMARY or isinstance(record.entry, Unknown))
