"""What a session file may not bring: the server's own words, and packs that cost others' time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import anyio.to_thread

from parley.bus.contract import wire
from parley.bus.contract.errors import BadSessionFile
from parley.bus.sessions.stored_rows import StoredRow, decode_rows
from parley.listeners.cache.loop_turns import give_way
from parley.memory.errors import PackMissing
from parley.memory.extraction.patterns.pattern_packs import measure_brought
from parley.memory.state.memory import Packs, pack_key
from parley.memory.voice import VOICE, describe_forgery

_NAME: Final = VOICE.encode()


def check_voice(rows: Iterable[StoredRow]) -> None:
    """Raises `BadSessionFile`, naming the first entry that speaks or votes as the server."""
    for row in rows:
        # the letters of the name stand as they are, or escaped: most rows need no reading
        named = _NAME in row.body.lower() or b"\\u" in row.body
        if named and (forgery := describe_forgery(wire.decode(row.body))):
            raise BadSessionFile(f"entry {row.seq} cannot be restored: {forgery}")


async def check_packs(rows: Iterable[StoredRow], packs: Packs) -> None:
    """Raises `PackMissing` for a log that is read with patterns that are neither in it nor here.

    And `BadPattern` where the packs that it brings, and that are not here, would take others'
    time to compile. They are measured on the loop, a pattern at a turn: RE2 has the lock of the
    interpreter in its hands in a thread, too.
    """
    size = 0
    for tree in await anyio.to_thread.run_sync(_list_brought, rows, packs):
        for instructions in measure_brought(tree, size):
            size = instructions
            await give_way()


def _list_brought(rows: Iterable[StoredRow], packs: Packs) -> list[dict[str, Any]]:
    """The packs of a log that are not here, once each. Raises `PackMissing`."""
    brought: dict[str, dict[str, Any]] = {}  # each is in force again after a change of settings
    for record in decode_rows([row for row in rows if b'"packs"' in row.body]):
        for ref in getattr(record.entry, "packs", None) or ():
            if ref.pack is None:
                if pack_key(ref.name, ref.hash) not in packs:
                    raise PackMissing(ref.name, ref.hash)
            elif (text := json.dumps(ref.pack)) not in brought and not _is_known(ref.pack, packs):
                brought[text] = ref.pack
    return list(brought.values())


def _is_known(tree: dict[str, Any], packs: Packs) -> bool:
    return any(tree == pack.to_json() for pack in packs.values() if pack.name == tree.get("name"))
