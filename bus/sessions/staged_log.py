"""A whole log written beside its session, to be put in its place in one step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from parley.bus.connection.connections import Connections
from parley.bus.connection.server_connection import Argument

ANY: Final = "-"  # the fingerprint of an entry whose words are gone: any resend is its duplicate
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
