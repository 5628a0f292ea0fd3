"""The pattern packs that Parley ships: what nearly every session reads its talk with."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from importlib import resources
from typing import TYPE_CHECKING, Any

from parley.bus.entries import PackRef
from parley.memory.errors import PackMissing
from parley.memory.extraction.patterns.pattern_packs import (
    Pack,
    measure_brought,
    parse_shipped_pack,
)
from parley.memory.state.memory import Packs, pack_key

if TYPE_CHECKING:
    from parley.bus.sessions.stored_rows import StoredRow


@functools.cache
def shipped_packs() -> tuple[Pack, ...]:
    """Every shipped pack, older versions too: a session opened with one is read with it."""
    folder = resources.files("parley.memory") / "packs"
    files: Iterable[str] = sorted(
        file.name for file in folder.iterdir() if file.name.endswith(".json")
    )
    return tuple(parse_shipped_pack((folder / name).read_bytes()) for name in files)


def known_packs(*packs: Pack) -> Packs:
    """The shipped packs and `packs`, as memory looks them up."""
    return {pack_key(pack.name, pack.hash): pack for pack in (*shipped_packs(), *packs)}


def newest_packs(*packs: Pack) -> tuple[PackRef, ...]:
    """What a new session opens with: the newest shipped pack of each name, and `packs`.

    `packs` in full, so that the log can be read without them.
    """
    by_name = {pack.name.partition("@")[0]: pack for pack in sorted(shipped_packs(), key=_version)}
    return (
        *(PackRef(pack.name, pack.hash) for pack in by_name.values()),
        *(PackRef(pack.name, pack.hash, pack.to_json()) for pack in packs),
    )


def check_packs(rows: Iterable[StoredRow], packs: Packs) -> None:
    """Raises `PackMissing` for a log that is read with patterns that are neither in it nor here.

    And `BadPattern` where the packs that it brings, and that are not here, would take others'
    time to compile.
    """
    from parley.bus.sessions.stored_rows import decode_rows  # who only reads a file needs no rows

    size = 0
    measured: set[str] = set()  # a pack is in force again after each change of the settings
    for record in decode_rows([row for row in rows if b'"packs"' in row.body]):
        for ref in getattr(record.entry, "packs", None) or ():
            if ref.pack is None:
                if pack_key(ref.name, ref.hash) not in packs:
                    raise PackMissing(ref.name, ref.hash)
            elif (text := json.dumps(ref.pack)) not in measured and not _is_known(ref.pack, packs):
                measured.add(text)
                size = measure_brought(ref.pack, size)


def _is_known(tree: dict[str, Any], packs: Packs) -> bool:
    return any(tree == pack.to_json() for pack in packs.values() if pack.name == tree.get("name"))


def _version(pack: Pack) -> int:
    version = pack.name.partition("@")[2]
    return int(version) if version.isdigit() else 0
