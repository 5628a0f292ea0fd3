"""Whether a log has all its entries, and its index all their ids; an index that has not, mended.

A log only grows, and every entry up to its head is in it from its append on, with its id in
the index. So each has as many rows as the head says, or more if a stranger added some.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from parley.bus.connection.connections import Connections
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.server_connection import Argument
from parley.bus.contract import wire
from parley.bus.contract.errors import SessionDamaged
from parley.bus.contract.keys import SessionKeys

ANY: Final = "-"  # the fingerprint of an entry whose words are gone: any resend is its duplicate
_REDACTED: Final = b'"entry.redacted"'
_SLICE: Final = 500  # entries indexed by one script: below 2 ms
_SHOWN: Final = 40  # bytes of an invalid number that an error shows
_logger = EventLog(__name__)


def read_head(session: str, head: bytes | None) -> int:
    """How many entries the state of a session counts. Raises `SessionDamaged` if it is invalid."""
    try:
        return int(head or 0)
    except ValueError:
        held = (head or b"")[:_SHOWN].decode(errors="replace")
        raise SessionDamaged(session, f"its state has {held!r} for head") from None


def check_length(session: str, head: int, length: int) -> None:
    """Raises `SessionDamaged` if a log of `length` rows lacks some of `head` entries."""
    if length < head:
        raise SessionDamaged(
            session,
            f"its log has {length:,} of {head:,} entries; 'parley session export {session} "
            "--partial' saves those and says which are missing",
        )


async def mend_index(connections: Connections, session: str, keys: SessionKeys) -> bool:
    """Put the ids of all entries back into the index; returns False if no id was missing.

    The scripts append no entry until all ids are there. Raises `SessionDamaged` if entries are
    missing too.
    """
    state, ids, length = await connections.commands(
        [("HMGET", keys.meta, "incarnation", "head"), ("HLEN", keys.ids), ("XLEN", keys.log)]
    )
    incarnation, head = state[0], read_head(session, state[1])
    if incarnation is None and head:
        raise SessionDamaged(session, "its state names no incarnation")
    if ids >= head:
        return False
    check_length(session, head, length)
    wordless = {
        int(getattr(wire.decode(body), "redacted", 0))
        async for _, _, body in _rows(connections, keys)
        if _REDACTED in body
    }
    args: list[Argument] = [incarnation]
    last = 0
    async for place, name, body in _rows(connections, keys):
        n = int(place.partition(b"-")[2])
        mark = ANY if n > last and n in wordless else wire.fingerprint(body)
        args += (name, place, mark)
        last = n
        if len(args) > 3 * _SLICE:
            await connections.run("index", [keys.log, keys.meta, keys.ids], args)
            args = [incarnation]
    await connections.run("index", [keys.log, keys.meta, keys.ids], args)
    _logger.warning("index_mended", session=session, ids=int(ids), entries=head)
    return True


async def _rows(
    connections: Connections, keys: SessionKeys
) -> AsyncIterator[tuple[bytes, bytes, bytes]]:
    """The place, id and bytes of each entry."""
    start = "-"
    while page := await connections.command("XRANGE", keys.log, start, "+", "COUNT", _SLICE):
        for place, fields in page:
            row = dict(zip(fields[::2], fields[1::2], strict=True))
            yield place, row.get(b"id", b""), row.get(b"entry", b"")
        start = f"({page[-1][0].decode()}"
