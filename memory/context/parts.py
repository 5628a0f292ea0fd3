"""The parts of a context, of which a reader may choose. Pure.

A framework that keeps the transcript itself needs the ledger alone: what it would show beside
it stands in the prompt already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, get_args

from parley.memory.context import prefix, shared_decisions, tail
from parley.memory.errors import UnknownPart

Part = Literal["ledger", "summary", "recent", "own"]

PARTS: Final[tuple[Part, ...]] = get_args(Part)

_BLOCKS: Final[dict[Part, tuple[str, ...]]] = {
    "ledger": (
        prefix.LEDGER, shared_decisions.BLOCK, tail.STAGE, tail.VOTES, tail.DECIDED, tail.OPEN,
        tail.UNSETTLED, tail.WORK, tail.LEARNT,
    ),
    "summary": (
        prefix.FAR, prefix.PAST, prefix.LESSONS, prefix.NEAR, prefix.RUNNING, tail.HISTORY,
        tail.EXCHANGES,
    ),
    "recent": (tail.RECENT,),
    "own": (prefix.NOTE, tail.OWN, tail.SINCE, tail.SHOWN, tail.TOOLS),
}  # fmt: skip


def read_parts(names: Iterable[str]) -> tuple[Part, ...]:
    """The parts of those names, each once, in the order of `PARTS`; () for all of them.

    Raises `UnknownPart`.
    """
    asked = set(names)
    if unknown := sorted(asked.difference(PARTS)):
        raise UnknownPart(unknown[0], PARTS)
    return tuple(part for part in PARTS if part in asked)


def blocks_of(parts: Sequence[Part]) -> frozenset[str] | None:
    """The names of the blocks of `parts`; None, for every block, if there are none."""
    return frozenset(name for part in parts for name in _BLOCKS[part]) if parts else None
