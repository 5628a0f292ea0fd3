"""The name under which the server itself speaks, and who may not speak under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from parley.bus.entries import Entry, Unknown

VOICE: Final = "parley"  # takes no seat, and stands nowhere
# kinds that the server writes for nobody
_UNUSED: Final = frozenset({"message", "message.edited", "ballot.cast"})


def is_voice(name: str) -> bool:
    """Whether readers would take `name` for the server's own."""
    return name.strip().casefold() == VOICE


def describe_forgery(entry: Entry | Unknown) -> str:
    """Why `entry` is not the server's, though it bears its name; "" for any other."""
    name = getattr(entry, "participant", "") if entry.kind in _UNUSED else ""
    if not is_voice(name):
        return ""
    return (
        f"it is a {entry.kind!r} by {name!r}, the server's own voice, which says nothing of the "
        "kind; give its words to another name"
    )
