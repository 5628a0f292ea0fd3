"""Claims for one session, held to its log and to the names that it knows."""

from __future__ import annotations

from dataclasses import replace

from parley.server.basics.look_alikes import check_look_alike
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Claims
from parley.server.runtime.backend import Backend


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
