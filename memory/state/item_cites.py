"""Which items cite an entry: found by its number, without a look at every item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from parley.memory.state.item_state import Decision, Origin, Proposal

_FIRST_REBUILD: Final = 512  # notes; below that a rebuild would cost more than it saves


class ItemCites:
    """The handles of the items whose origins cite an entry, by its n.

    An item that stopped citing an entry, because a side was taken again, may be listed until the
    next rebuild; none that cites it is missing. It is rebuilt once the notes have doubled, so it
    takes room in proportion to the items, and a note costs constant time on average.
    """

    __slots__ = ("_by_n", "_limit", "_notes")

    def __init__(self) -> None:
        self._by_n: dict[int, list[str]] = {}
        self._notes = 0
        self._limit = _FIRST_REBUILD

    def handles(self, n: int) -> list[str]:
        """The handles of items that may cite entry `n`; some of them may have left memory."""
        return self._by_n.get(n, [])

    def note(self, item: Proposal | Decision, origin: Origin) -> None:
        """Note that `origin` is now among the origins of `item`."""
        handle = item.handle
        for cite in origin.cites:
            handles = self._by_n.setdefault(cite.n, [])
            if handle not in handles:
                handles.append(handle)
                self._notes += 1

    @property
    def is_overgrown(self) -> bool:
        """True if so many notes were made that a rebuild is worth its time."""
        return self._notes > self._limit

    def rebuild(self, items: Iterable[Proposal | Decision]) -> None:
        """List what `items`, all that memory holds, cite, and nothing else."""
        self._by_n, self._notes = {}, 0
        for item in items:
            for origin in list_origins(item):
                self.note(item, origin)
        self._limit = max(_FIRST_REBUILD, 2 * self._notes)


def list_origins(item: Proposal | Decision) -> Iterator[Origin]:
    """Where `item`, its sides and its changes come from."""
    yield item.origin
    changes: tuple[Origin | None, ...]
    if isinstance(item, Proposal):
        yield from (reaction.origin for reaction in item.reactions.values())
        changes = (item.settled,)
    else:
        for side in (item.supporters, item.dissenters, item.abstainers):
            yield from side.values()
        changes = (item.ratified, item.disputed)
    yield from (origin for origin in changes if origin is not None)
