"""A log that is at hand in full: whether it is one, what it set aside, its epoch. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from parley.bus.contract.drafts import epoch_of
from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries import PRIMARY, Record, Unknown

if TYPE_CHECKING:
    from parley.bus.entries import Entry

_LAST_EPOCH: Final = 2**52  # the scripts' numbers are whole up to twice that


def check_log(session: str, records: Sequence[Record]) -> str:
    """The status of a session with `records`. Raises `InvalidEntry` where they are no log."""
    status, n = "open", 0
    ids: set[str] = set()
    for seq, record in enumerate(records, 1):
        kind = record.entry.kind
        n += kind in PRIMARY
        if record.seq != seq or record.n != n:
            raise InvalidEntry(
                f"{session!r}: entry {record.seq}-{record.n} stands where {seq}-{n} belongs; "
                "a log has no gap"
            )
        if record.id in ids:
            raise InvalidEntry(f"{session!r}: id {record.id!r} is there twice")
        if (seq == 1) != (kind == "session.opened"):
            raise InvalidEntry(f"{session!r}: entry {seq} is {kind!r}; session.opened comes first")
        ids.add(record.id)
        if kind in ("session.closed", "session.forked"):
            status = "closed" if kind == "session.closed" else "open"
    if not ids:
        raise InvalidEntry(f"{session!r}: a log without entries cannot be restored")
    if (epoch := last_epoch(records)) > _LAST_EPOCH:
        raise InvalidEntry(f"{session!r}: no floor comes to epoch {epoch}")
    return status


def set_aside_in(records: Sequence[Record]) -> tuple[int, ...]:
    """The seqs of the entries that `records` set aside, ascending."""
    skips = {
        record.entry.seq
        for record in records
        if not isinstance(record.entry, Unknown) and record.entry.kind == "entry.set_aside"
    }
    return tuple(sorted(skips))


def last_epoch(log: Iterable[Record]) -> int:
    """The epoch of the floor after `log`: the largest that any entry of it begins, or began."""
    return max((epoch_after(record.entry) for record in log), default=0)


def epoch_after(entry: Entry | Unknown) -> int:
    """The epoch that `entry` begins, or that what it sets aside began; 0 for any other."""
    if not isinstance(entry, Unknown) and entry.kind == "entry.set_aside":
        return entry.epoch
    return epoch_of(entry) or 0
