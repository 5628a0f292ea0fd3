"""The rows of a log as they are stored, and the records in them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from parley.bus.contract import wire
from parley.bus.contract.drafts import epoch_of
from parley.bus.entries import Record, Unknown

if TYPE_CHECKING:
    from parley.bus.entries import Entry


class StoredRow(Struct, frozen=True):
    """One row of a log as it is stored: `body` is the entry's bytes, unread."""

    seq: int
    n: int
    id: str
    received_ms: int
    body: bytes


def decode_rows(rows: Iterable[StoredRow]) -> list[Record]:
    """The records of stored rows, their bodies decoded."""
    return list(iterate_records(rows))


def iterate_records(rows: Iterable[StoredRow]) -> Iterator[Record]:
    """The records of stored rows, each decoded when its turn comes: none is kept."""
    return (Record(r.seq, r.n, r.id, r.received_ms, wire.decode(r.body)) for r in rows)


def redacted_numbers(log: Sequence[Record]) -> frozenset[int]:
    """The n of the entries that were redacted."""
    redactions = (record.entry for record in log if record.entry.kind == "entry.redacted")
    return frozenset(int(getattr(entry, "redacted", 0)) for entry in redactions)


def records_to_restore(rows: Sequence[StoredRow]) -> list[Record]:
    """Records that a restore writes back byte for byte.

    Read are those alone that it goes by, and not where their bytes are other than the
    canonical ones of what they say, as of one that a newer version wrote.
    """
    return [
        Record(row.seq, row.n, row.id, row.received_ms, _kept(wire.decode(row.body), row.body))
        for row in rows
    ]


_GONE_BY: Final = frozenset({"session.forked", "entry.set_aside", "entry.redacted"})


def _kept(entry: Entry | Unknown, body: bytes) -> Entry | Unknown:
    read = entry.kind in _GONE_BY or epoch_of(entry) is not None
    if read and not isinstance(entry, Unknown) and wire.encode(entry) == body:
        return entry
    return Unknown(entry.kind, body)
