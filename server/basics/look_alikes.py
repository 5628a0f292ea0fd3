"""Names that a person takes for another's of the session, refused at the doors that make names."""

from __future__ import annotations

from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import look_alike_key
from parley.server.basics.errors import Misuse


def find_look_alike(memory: Memory, name: str) -> str | None:
    """Another of the session, by canonical name, whom `name` may be taken for."""
    own, key = memory.named(name), look_alike_key(name)
    known = (*memory.participants, *memory.floor.seats)
    if own in known:
        return None
    return next((other for other in known if look_alike_key(other) == key), None)


def check_look_alike(memory: Memory, name: str, cure: str) -> None:
    """Raises `Misuse` for a `name` that looks like another's; `cure` says how it is forced."""
    if (other := find_look_alike(memory, name)) is not None:
        raise Misuse(f"{name!r} looks like {other!r}, who is of this session; {cure}")
