"""Tickets: a token's claims for one use within a minute, such as opening a page."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, LEEWAY_SECONDS, Claims, Keyring

SECONDS: Final = 60.0
LINK_SECONDS: Final = 600.0  # of a link that a person copies from a terminal


class UsedTickets(Protocol):
    """Who remembers what was used: the `Bus`, for every server on its Redis."""

    async def use_once(self, name: str, seconds: float) -> bool:
        """True for whoever uses `name` first within `seconds`."""
        ...


class Tickets:
    """Made by whoever has the key; used once, at whatever server and however often it restarts."""

    def __init__(self, keyring: Keyring, clock: Callable[[], float]) -> None:
        self._keyring, self._clock = keyring, clock

    def issue(self, claims: Claims, seconds: float = SECONDS) -> str:
        """A ticket with a `jti` of its own; what comes of it has that of `claims`, and its end.

        Its rate and its streams are counted by that: many tickets give no more of them.
        """
        now = int(self._clock())
        expires = min(now + int(seconds), claims.expires)
        ticket = replace(
            claims, issued=now, expires=expires, jti=secrets.token_hex(8), until=claims.expires,
            of=claims.jti,
        )  # fmt: skip
        return self._keyring.sign(ticket, "parley-ticket")

    async def redeem(self, ticket: str, used: UsedTickets) -> Claims:
        """The claims it stands for, once. Raises `Problem` `token-invalid` or `token-expired`,
        and `Unavailable` where nobody can tell whether it was used.
        """
        now = self._clock()
        claims = self._keyring.verify(ticket, now, "parley-ticket")
        if claims.until is None or claims.of is None:
            raise Problem("token-invalid")
        if not await used.use_once(claims.jti, claims.expires + 2 * LEEWAY_SECONDS - now):
            raise Problem("token-invalid")
        return replace(claims, expires=claims.until, jti=claims.of, until=None, of=None)


def ticket_url_path(claims: Claims, ticket: str) -> str:
    """Where the page opens with `ticket`; what follows `#` is never sent nor logged."""
    page = "/" if claims.session == EVERY_SESSION else f"/s/{claims.session}"
    return f"{page}#ticket={ticket}"
