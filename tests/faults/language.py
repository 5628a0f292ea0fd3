"""English, read at once: a worker that is killed every second must also start within one."""

from __future__ import annotations

from pathlib import Path

from parley.bus.entries import PackRef, SessionOpened
from parley.memory.extraction.patterns.pattern_packs import parse_pack
from parley.memory.state.memory import Packs, pack_key

_ENGLISH = parse_pack((Path(__file__).parents[2] / "memory" / "packs" / "en@1.json").read_bytes())
PACKS: Packs = {pack_key(_ENGLISH.name, _ENGLISH.hash): _ENGLISH}


def opened() -> SessionOpened:
    """The first entry of a session that reads English."""
    return SessionOpened(packs=(PackRef(_ENGLISH.name, _ENGLISH.hash),))
