"""The pattern packs that Parley ships: what nearly every session reads its talk with."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from importlib import resources

from parley.bus.entries import PackRef
from parley.memory.extraction.patterns.pattern_packs import (
    Pack,
    parse_shipped_pack,
)
from parley.memory.state.memory import Packs, pack_key


@functools.cache
def shipped_packs() -> tuple[Pack, ...]:
    """Every shipped pack. One that was released stays, for a session is read with its own."""
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


def _version(pack: Pack) -> int:
    version = pack.name.partition("@")[2]
    return int(version) if version.isdigit() else 0
