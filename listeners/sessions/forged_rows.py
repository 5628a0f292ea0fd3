"""Words of a session file in the server's own name, which no door lets anybody publish."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from parley.bus.contract import wire
from parley.bus.contract.errors import BadSessionFile
from parley.bus.sessions.stored_rows import StoredRow
from parley.memory.voice import VOICE, describe_forgery

_NAME: Final = VOICE.encode()


def check_voice(rows: Iterable[StoredRow]) -> None:
    """Raises `BadSessionFile`, naming the first entry that speaks or votes as the server."""
    for row in rows:
        # the letters of the name stand as they are, or escaped: most rows need no reading
        named = _NAME in row.body.lower() or b"\\u" in row.body
        if named and (forgery := describe_forgery(wire.decode(row.body))):
            raise BadSessionFile(f"entry {row.seq} cannot be restored: {forgery}")
