"""Who calls, and what a route needs of them."""
# No `annotations` from `__future__`: FastAPI reads those of `Needs.__call__` as objects.

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends
from starlette.requests import HTTPConnection

from parley.personas.persona_file import CAPABILITIES
from parley.server.http.identity.credentials import (
    caller_or_anonymous,
    charge_rate,
    client_address,
    identify_caller,
)
from parley.server.http.problems.problem_details import Problem
from parley.server.http.problems.query_parameters import check_query
from parley.server.http.state.dependencies import dependencies_of_app
from parley.server.http.state.origins import SAFE
from parley.server.http.tokens.callers import NOBODY as NOBODY
from parley.server.http.tokens.callers import Caller as Caller

_ANYWHERE: Final = frozenset({"public", "token"})  # rights that no session limits
RIGHTS: Final = frozenset({*_ANYWHERE, "read", "speak", "operator", "metrics", *CAPABILITIES})
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1"})
_HERE: Final = _LOOPBACK | {"localhost"}
_HANDED_ON: Final = frozenset({"forwarded", "via", "x-real-ip", "cf-connecting-ip"})


@dataclass(frozen=True, slots=True)
class RequiresRight:
    """The one dependency that every route has: its right. Gives the caller.

    Looks at the token, the session of the path, the origin where a cookie was sent, the
    rate and the names of parameters, in this order. `public` asks nothing, `token` any valid
    token. The session of a path is its parameter `session`; a right of a session needs one.
    """

    right: str

    def __post_init__(self) -> None:
        if self.right not in RIGHTS:
            raise ValueError(f"no right {self.right!r}")

    async def __call__(self, connection: HTTPConnection) -> Caller:
        deps = dependencies_of_app(connection)
        await deps.revocations.refresh()
        if self.right == "public" or (self.right == "metrics" and _is_here(connection)):
            return caller_or_anonymous(connection, deps)
        caller = await identify_caller(connection)
        await deps.revocations.check_log(caller)
        self._check_session(caller, connection.path_params.get("session"))
        if getattr(connection.state, "by_cookie", False):
            _check_own_page(connection)
        safe = connection.scope["type"] == "websocket" or connection.scope["method"] in SAFE
        charge_rate(deps, caller, "read" if safe or self.right in ("token", "read") else "publish")
        check_query(connection)
        return caller

    def _check_session(self, caller: Caller, session: str | None) -> None:
        if session is None and self.right not in (*_ANYWHERE, "operator", "metrics"):
            raise RuntimeError(f"a route that needs {self.right!r} has no {{session}} in its path")
        if session is not None and not caller.may_enter(session):
            raise Problem("other-session")
        if not caller.may_do(self.right, session or ""):
            raise Problem("forbidden", needs=self.right)


def _check_own_page(connection: HTTPConnection) -> None:
    """A cookie comes along with what any page asks for: only our own may change anything."""
    if connection.scope["type"] == "http" and connection.scope["method"] in SAFE:
        return
    if not dependencies_of_app(connection).origins.is_own(connection.headers.get("origin", "")):
        raise Problem("origin")


def _is_here(connection: HTTPConnection) -> bool:
    """From this machine, and not handed on by a proxy on it, as far as it tells."""
    if client_address(connection) not in _LOOPBACK or connection.url.hostname not in _HERE:
        return False
    names = connection.headers.keys()
    return not any(name in _HANDED_ON or name.startswith("x-forwarded-") for name in names)


AnyToken = Annotated[Caller, Depends(RequiresRight("token"))]
Reader = Annotated[Caller, Depends(RequiresRight("read"))]
Speaker = Annotated[Caller, Depends(RequiresRight("speak"))]
Operator = Annotated[Caller, Depends(RequiresRight("operator"))]
