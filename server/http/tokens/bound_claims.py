"""Claims for one session, held to its log and to the names that it knows."""

from __future__ import annotations

from dataclasses import replace

from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import look_alike_key
from parley.server.basics.errors import Misuse
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Claims
from parley.server.runtime.backend import Backend


def find_look_alike(memory: Memory, name: str) -> str | None:
    """Another of the session, by canonical name, whom `name` may be taken for."""
    own, key = memory.named(name), look_alike_key(name)
    known = (*memory.participants, *memory.floor.seats)
    if own in known:
        return None
    return next((other for other in known if look_alike_key(other) == key), None)


def check_look_alike(memory: Memory, name: str, cure: str) -> None:
    """Raises `Misuse` where a person would take `name` for another's; `cure` is how it is forced."""
    if (other := find_look_alike(memory, name)) is not None:
        raise Misuse(f"{name!r} looks like {other!r}, who is of this session; {cure}")


async def bind_claims(backend: Backend, claims: Claims, cure: str) -> Claims:
    """`claims` for the log that their session has now; those of every session as they are.

    Raises `SessionNotFound`, and `Misuse` for a name that looks like another's: `cure` is how it is
    made all the same.
    """
    if claims.session == EVERY_SESSION:
        return claims
    info = await backend.bus.info(claims.session)
    check_look_alike(await backend.reader.current(claims.session), claims.name, cure)
    return replace(claims, log=info.lineage)
