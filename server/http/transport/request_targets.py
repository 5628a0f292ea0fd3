"""Requests that name the server in their target, as those to a proxy do."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

_ABSOLUTE: Final = re.compile(rb"https?://([^/]*)(.*)", re.IGNORECASE | re.DOTALL)


class AbsoluteTargets:
    """`GET http://host/path` is `GET /path` of that host: what `Host` says does not count then.

    A server has to take it (RFC 9112, 3.2.2); uvicorn 0.54 has all of it for the path.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if match := _ABSOLUTE.fullmatch(scope.get("raw_path", b"")):
            host, path = match[1].lower(), match[2] or b"/"
            scope["raw_path"], scope["path"] = path, unquote(path.decode("ascii"))
            others = [(name, value) for name, value in scope["headers"] if name != b"host"]
            scope["headers"] = [(b"host", host), *others]
        await self.app(scope, receive, send)
