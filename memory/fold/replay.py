"""A log folded into a memory, entry by entry, without the entries that were set aside. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import cast

from parley.bus.entries import EntrySetAside, Record, Unknown
from parley.memory.fold.apply import apply
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory


def replay(
    memory: Memory, records: Iterable[Record], skips: Container[int] = ()
) -> Iterator[tuple[Record, list[Fact]]]:
    """Each of `records`, in order, with the facts it gave once it is folded into `memory`.

    One whose seq is in `skips` was set aside: it is not folded, and gives none.
    """
    for record in records:
        yield record, [] if record.seq in skips else apply(memory, record)


def fold_records(memory: Memory, records: Iterable[Record], skips: Container[int] = ()) -> Memory:
    """`memory` with `records` replayed into it, for those who need no facts."""
    for _ in replay(memory, records, skips):
        pass
    return memory


def list_set_aside(records: Iterable[Record]) -> frozenset[int]:
    """The seqs of the entries that `records` set aside: the `skips` of a log read whole."""
    return frozenset(
        cast("EntrySetAside", record.entry).seq
        for record in records
        if record.entry.kind == "entry.set_aside" and not isinstance(record.entry, Unknown)
    )
