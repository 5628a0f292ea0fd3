"""Tickets: a token's claims for one use within a minute, such as opening a page."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, LEEWAY_SECONDS, Claims, Keyring

SECONDS: Final = 60.0
LINK_SECONDS: Final = 600.0  # of a link that a person copies from a terminal
KEPT: Final = 10_000  # used ones remembered


class Tickets:
    """Those used are remembered in this process until they expire."""

    def __init__(self, keyring: Keyring, clock: Callable[[], float]) -> None:
        self._keyring, self._clock = keyring, clock
        self._used: OrderedDict[str, int] = OrderedDict()  # jti: when it expires

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

    def redeem(self, ticket: str) -> Claims:
        """The claims it stands for, once. Raises `Problem` `token-invalid` or `token-expired`."""
        now = self._clock()
        claims = self._keyring.verify(ticket, now, "parley-ticket")
        if claims.until is None or claims.of is None or claims.jti in self._used:
            raise Problem("token-invalid")
        self._forget(now)
        self._used[claims.jti] = claims.expires
        return replace(claims, expires=claims.until, jti=claims.of, until=None, of=None)

    def _forget(self, now: float) -> None:
        """Those that have expired; the oldest too, where there are too many."""
        for jti, expires in list(self._used.items()):
            if now <= expires + LEEWAY_SECONDS and len(self._used) < KEPT:
                break
            del self._used[jti]


def ticket_url_path(claims: Claims, ticket: str) -> str:
    """Where the page opens with `ticket`; what follows `#` is never sent nor logged."""
    page = "/" if claims.session == EVERY_SESSION else f"/s/{claims.session}"
    return f"{page}#ticket={ticket}"
