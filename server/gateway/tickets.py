"""Tickets: a token's claims for one use within a minute, such as opening a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from server.gateway.keys import Claims, Keyring

SECONDS: Final = 60.0
LINK_SECONDS: Final = 600.0  # of a link that a person copies from a terminal
KEPT: Final = 10_000  # used ones remembered


class Tickets:
    """Those used are remembered in this process until they expire."""

    def __init__(self, keyring: Keyring, clock: Callable[[], float]) -> None:
        self._keyring, self._clock = keyring, clock

    def made(self, claims: Claims, seconds: float = SECONDS) -> str:
        """A ticket with a `jti` of its own; what comes of it lasts as long as `claims`."""
        raise NotImplementedError

    def used(self, ticket: str) -> Claims:
        """The claims it stands for, once. Raises `Problem` `token-invalid` or `token-expired`."""
        raise NotImplementedError
