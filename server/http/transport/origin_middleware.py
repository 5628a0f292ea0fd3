"""Requests of foreign hosts and origins refused, and answers shared with the origins allowed."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parley.server.http.problems.problem_details import Problem, send_problem
from parley.server.http.state.origins import CACHED_SECONDS, MCP, SAFE, SHOWN, OriginRules


class OriginMiddleware:
    """421 for a foreign `Host`, 403 for a foreign `Origin`; CORS for `serve.origins`."""

    def __init__(self, app: ASGIApp, origins: OriginRules) -> None:
        self.app, self.origins = app, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if problem := self._refusal(scope, headers, origin):
            await send_problem(problem, scope, receive, send)
        elif origin is None or self.origins.is_own(origin) or not self.origins.is_allowed(origin):
            await self.app(scope, receive, send)
        elif scope.get("method") == "OPTIONS" and "access-control-request-method" in headers:
            await _preflight(origin)(scope, receive, send)
        else:
            await self.app(scope, receive, _sharing(send, origin))

    def _refusal(self, scope: Scope, headers: Headers, origin: str | None) -> Problem | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.origins.is_host(hosts[0]):
            return Problem("host")
        matters = (
            scope["type"] == "websocket" or scope["method"] not in SAFE or scope["path"] == MCP
        )
        if origin is not None and matters and not self.origins.is_allowed(origin):
            return Problem("origin")
        return None


def _preflight(origin: str) -> Response:
    return Response(status_code=204, headers={
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
        "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, "
        "Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id",
        "Access-Control-Max-Age": str(CACHED_SECONDS),
        "Vary": "Origin",
    })  # fmt: skip


def _sharing(send: Send, origin: str) -> Send:
    """Let the page of `origin` read the answer; without cookies, which it never gets to send."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = SHOWN
            headers.add_vary_header("Origin")
        await send(message)

    return sending
