"""What `re` of a draft names: a client's own id, until the entry's number takes its place. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from parley.bus.contract import wire
from parley.bus.contract.drafts import Draft, is_handle
from parley.bus.contract.errors import UnknownReference

if TYPE_CHECKING:
    from parley.bus.entries import Entry


def referenced_id(draft: Draft) -> str | None:
    """The client id that `re` names; None for a number, a handle, or no `re`."""
    target = getattr(draft.entry, "re", None)
    return target if isinstance(target, str) and not is_handle(target) else None


def resolve_reference(session: str, draft: Draft, numbers: Mapping[str, int]) -> Entry:
    """The entry of `draft` with the number of the entry that its `re` names by id.

    `numbers` has the n of every entry that is named so. Raises `UnknownReference`.
    """
    name = referenced_id(draft)
    if name is None:
        return draft.entry
    if name not in numbers:
        raise UnknownReference(session, name)
    return wire.replace_fields(draft.entry, re=numbers[name])
