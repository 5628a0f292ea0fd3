"""Who calls, and what a route needs of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from server.gateway.keys import Role


@dataclass(frozen=True, slots=True)
class Caller:
    """A verified caller. `name` is who speaks; `operator` may stand beside another's name."""

    name: str
    role: Role
    session: str
    may: tuple[str, ...] | None
    operator: bool
    jti: str
    expires: int

    def may_do(self, right: str, session: str) -> bool:
        """Whether the token gives `right` in `session`; the fold may still refuse."""
        raise NotImplementedError

    def speaker(self, named: str | None) -> str:
        """In whose name an entry goes: its own, or for an operator `named`.

        Raises `Problem` `not-your-name` where another is named, and `forbidden` for an
        operator that names nobody.
        """
        raise NotImplementedError


async def who(connection: HTTPConnection) -> Caller:
    """The caller by header, cookie or a WebSocket's ticket. Raises `Problem` `token-…`."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Needs:
    """The one dependency that every route has: its right. Gives the caller.

    Looks at the token, the session of the path, the origin where a cookie was sent, and
    the rate, in this order. `public` asks nothing, `token` any valid token.
    """

    right: str

    async def __call__(self, connection: HTTPConnection) -> Caller:
        raise NotImplementedError


AnyToken = Annotated[Caller, Depends(Needs("token"))]
Reader = Annotated[Caller, Depends(Needs("read"))]
Speaker = Annotated[Caller, Depends(Needs("speak"))]
Operator = Annotated[Caller, Depends(Needs("operator"))]
