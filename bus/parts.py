"""How many drafts of a batch land in one step. Pure.

A step lands whole or not at all. It is bounded, so that one script stays short,
and ends before a draft whose `re` names an entry that the step itself appends:
that entry has no number yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bus import wire
from bus.drafts import Draft, Sealed, is_handle, sealed
from bus.errors import UnknownReference

PART: Final = 500  # one script stays below 2 ms
PART_BYTES: Final = 4_194_304


def named(draft: Draft) -> str | None:
    """The client id that `re` names; None for a number, a handle, or no `re`."""
    target = getattr(draft.entry, "re", None)
    return target if isinstance(target, str) and not is_handle(target) else None


def first_part(session: str, drafts: Sequence[Draft], numbers: Mapping[str, int]) -> list[Sealed]:
    """The longest part of `drafts` that can be sealed now, at least one draft.

    `numbers` has the n of every entry in the log that some `re` names. Raises
    `UnknownReference` and `InvalidEntry`.
    """
    seals: list[Sealed] = []
    ahead: set[str] = set()
    size = 0
    for draft in drafts[:PART]:
        name = named(draft)
        if name is not None and name not in numbers:
            if name in ahead:
                break
            raise UnknownReference(session, name)
        entry = draft.entry if name is None else wire.replaced(draft.entry, re=numbers[name])
        seal = sealed(draft.id, entry)
        size += len(seal.body)
        if seals and size > PART_BYTES:
            break
        seals.append(seal)
        ahead.add(draft.id)
    return seals
