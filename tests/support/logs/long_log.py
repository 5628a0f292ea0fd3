"""A long session, the same every time: entries of all kinds around hundreds of agreements."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from parley.bus.contract.drafts import is_handle
from parley.bus.contract.wire import replace_fields
from parley.bus.entries import (
    PRIMARY,
    BallotCast,
    BallotCompleted,
    Entry,
    EntryRedacted,
    FloorGranted,
    FloorReleased,
    Message,
    SettingsChanged,
)
from tests.support.logs.mixed import CONTROL_MAKERS, made

EVERY: Final = 40  # entries from one agreement to the next: 250 in 10,000
_DELEGATES: Final = tuple(f"delegate-{k}" for k in range(7))
_VERBS: Final = ("move", "rewrite", "retire", "document", "measure", "split", "rename", "test")
_THINGS: Final = ("queue", "dashboard", "importer", "alarm", "report", "cluster", "schema")
_ENDS: Final = ("before the audit", "in the next quarter", "once the tests pass", "by hand", "now")


def agreement(k: int) -> str:
    """The words of the k-th proposal that is agreed on: no two are alike."""
    verb, thing, end = _VERBS[k % 8], _THINGS[k % 7], _ENDS[k % 5]
    return f"{verb} {thing} {k} of site {k * 37 % 101} {end}, as {k} people asked"


def long_log(count: int) -> Iterator[Entry]:
    """`count` entries to follow an opening; every fortieth begins an agreement."""
    chance, n, agreed, proposal_n = Random(7), 0, 0, 0
    for index in range(count):
        step = index % EVERY
        if step == 0:
            agreed, proposal_n = agreed + 1, n + 1
            entry: Entry = Message(
                participant=_DELEGATES[agreed % 7], content=f"I propose that we {agreement(agreed)}"
            )
        elif step in (3, 6):
            who = _DELEGATES[(agreed + step) % 7]
            entry = Message(participant=who, content="I support it.", act="support", re=proposal_n)
        else:
            entry = _any(chance, proposal_n)
        n += entry.kind in PRIMARY
        yield entry


def _any(chance: Random, proposal_n: int) -> Entry:
    """An entry of any kind that a door lets through and that leaves the settings alone.

    A ballot with consensus is about what entry `proposal_n` proposed.
    """
    while True:
        entry = made(chance.randbytes(14), CONTROL_MAKERS)
        if isinstance(entry, SettingsChanged | EntryRedacted | FloorGranted | FloorReleased):
            continue  # an epoch lands once it is the next
        if isinstance(entry, BallotCompleted) and entry.consensus:
            return entry.model_copy(update={"re": proposal_n})
        target = getattr(entry, "re", None)
        if isinstance(target, str) and not is_handle(target):
            return replace_fields(entry, re="V1" if isinstance(entry, BallotCast) else None)
        return entry
