"""A whole log written beside its session, to be put in its place in one step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from parley.bus.connection.connections import Connections
from parley.bus.connection.server_connection import Argument
from parley.bus.contract import wire
from parley.bus.entries import PRIMARY, Record, Unknown
from parley.bus.log.wholeness import ANY
from parley.bus.sessions.stored_rows import redacted_numbers

if TYPE_CHECKING:
    from parley.bus.entries import Entry

_AT_ONCE: Final = 500
_BYTES: Final = 4_194_304


async def stage_log(
    connections: Connections, keys: tuple[str, str], lines: Iterable[tuple[Argument, ...]]
) -> None:
    """Writes `lines` (place, id, time, fingerprint, body each, ascending) under `keys`."""
    args: list[Argument] = []
    size = count = 0
    for line in lines:
        args += line
        size, count = size + len(line[-1] if isinstance(line[-1], bytes) else b""), count + 1
        if count == _AT_ONCE or size > _BYTES:
            await connections.run("stage", list(keys), args)
            args, size, count = [], 0, 0
    if args:
        await connections.run("stage", list(keys), args)


def staged_lines(records: Sequence[Record]) -> Iterator[tuple[Argument, ...]]:
    """The records as they are staged. Of a redacted entry nothing is left to compare."""
    wordless = redacted_numbers(records)
    for record in records:
        body = _body(record.entry)
        is_redacted = record.entry.kind in PRIMARY and record.n in wordless
        mark = ANY if is_redacted else wire.fingerprint(body)
        yield f"{record.seq}-{record.n}", record.id, record.received_ms, mark, body


def _body(entry: Entry | Unknown) -> bytes:
    return entry.raw if isinstance(entry, Unknown) else wire.encode(entry)


def stored_bytes(records: Sequence[Record]) -> int:
    """The bytes of their entries as they are stored."""
    return sum(len(_body(record.entry)) for record in records)
