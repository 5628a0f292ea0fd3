"""Signed tokens: who somebody is, for which session, what they may do, and until when. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Role = Literal["person", "agent", "observer", "operator"]
Audience = Literal["parley", "parley-ticket"]

EVERY_SESSION: Final = "*"


@dataclass(frozen=True, slots=True)
class Claims:
    """What a token says. `may` None: every act and no capability, but a person's vote."""

    name: str
    role: Role
    session: str  # an id, or EVERY_SESSION
    issued: int
    expires: int
    jti: str
    may: tuple[str, ...] | None = None


class Keyring:
    """Secrets, the first of which signs while all of them verify."""

    def __init__(self, secrets: Sequence[str]) -> None:
        """Raises `Misuse` for none, or for one shorter than `server.secret.BYTES`."""
        self._secrets = tuple(secrets)

    def sign(self, claims: Claims, audience: Audience = "parley") -> str:
        raise NotImplementedError

    def verify(self, token: str, now: float, audience: Audience = "parley") -> Claims:
        """Raises `Problem` `token-invalid` or `token-expired`."""
        raise NotImplementedError


def claims(
    name: str,
    role: Role,
    session: str,
    now: float,
    *,
    may: Sequence[str] | None = None,
    seconds: float = 12 * 3600,
) -> Claims:
    """Claims as of `now`, with a `jti` of their own. Raises `Misuse` for what no token may say."""
    raise NotImplementedError
