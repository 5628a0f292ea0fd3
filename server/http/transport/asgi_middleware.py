"""What every request passes, as plain ASGI: its id, its size, its answer's headers; and HEAD."""

from __future__ import annotations

import re
import secrets
from typing import Final

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parley.bus.connection.event_log import EventLog
from parley.bus.contract.tracing import tracer
from parley.server.http.bodies.value_count import ValueCount
from parley.server.http.identity.credentials import charge_rate, known_caller
from parley.server.http.problems.problem_details import (
    RETRY_SECONDS,
    Problem,
    problem_from_exception,
    send_problem,
)
from parley.server.http.state.dependencies import dependencies_of_app
from parley.server.http.tokens.callers import Caller

_QUERY_BYTES: Final = 8192
STRANGERS_BYTES: Final = 16 << 10  # of a body; more takes a good token, which pays for them
LAST_WORD_SECONDS: Final = 5.0  # for who asked what is cut off to be told so
_IMPORT: Final = re.compile(r"/v1/sessions/[^/]+/import")
_STARTS: Final = frozenset(
    {"http.response.start", "websocket.accept", "websocket.http.response.start"}
)
FOR_DATA: Final = "default-src 'none'; frame-ancestors 'none'"
FOR_PAGES: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OF_PAGES: Final = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

_logger = EventLog(__name__)


def _traceparent(scope: Scope) -> str:
    """The trace that whoever asks is in, if they say so."""
    return next(
        (value.decode("latin-1") for name, value in scope["headers"] if name == b"traceparent"), ""
    )


class RequestIds:
    """`scope["state"]["request_id"]`, and `X-Request-Id` on the answer.

    What nothing inside answers is answered here, as a fault of ours, and logged by that id.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        began = False

        async def sending(message: Message) -> None:
            nonlocal began
            if message["type"] in _STARTS:
                began = True
                MutableHeaders(scope=_headed(message))["X-Request-Id"] = request_id
            await send(message)

        try:
            with tracer().serving(_traceparent(scope)):
                await self.app(scope, receive, sending)
        except anyio.get_cancelled_exc_class():  # the server ends, and this took too long
            if not began:
                problem = Problem("unavailable", retry_after=RETRY_SECONDS)
                with anyio.move_on_after(LAST_WORD_SECONDS, shield=True):
                    await send_problem(problem, scope, receive, sending)
            raise
        except ClientDisconnect:  # nobody is there to be answered
            _logger.debug("client_left", request=request_id)
        except Exception as error:
            problem = problem_from_exception(error)
            if problem.slug == "internal":
                _logger.error("request_failed", request=request_id, exc_info=error)
            if began:
                raise
            await send_problem(problem, scope, receive, sending)


class SecureHeaders:
    """The headers that every answer has; a route may set its own policy and caching."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] in _STARTS and message["type"] != "websocket.accept":
                add_security_headers(MutableHeaders(scope=_headed(message)))
            await send(message)

        await self.app(scope, receive, sending)


class BodyLimit:
    """413 for a longer body, declared or not, or one of too many values: before it is read.

    The import route takes `import_bytes`, of any number of values. Whoever brings no good
    token is told so before much of a body is taken in; of a token its bytes are charged.
    """

    def __init__(self, app: ASGIApp, body_bytes: int, import_bytes: int) -> None:
        self.app, self.body_bytes, self.import_bytes = app, body_bytes, import_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(scope.get("query_string", b"")) > _QUERY_BYTES:
            await send_problem(Problem("query-too-long", limit=_QUERY_BYTES), scope, receive, send)
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        imports = scope["method"] == "PUT" and _IMPORT.fullmatch(scope["path"]) is not None
        limit = self.import_bytes if imports else self.body_bytes
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdigit() and int(declared) > limit:
            await send_problem(Problem("too-large", limit=limit), scope, receive, send)
        else:
            await self.app(scope, _counted(scope, receive, limit, imports), send)


class HeadMethod:
    """HEAD, which every server answers: what GET would say, without its body.

    Of a live stream that is its beginning; nothing is waited for.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        asked = {**scope, "method": "GET"}

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                if "route" in asked:  # by which it is counted
                    scope["route"] = asked["route"]
                await send(message)
                await send({"type": "http.response.body"})

        await self.app(asked, receive, sending)


def _counted(scope: Scope, receive: Receive, limit: int, imports: bool) -> Receive:
    """`receive`, until more than may came: whoever reads the body meets the problem."""
    came, paid = 0, STRANGERS_BYTES
    caller: Caller | None = None
    values = ValueCount()

    async def receiving() -> Message:
        nonlocal came, paid, caller
        message = await receive()
        if message["type"] == "http.request":
            piece = message.get("body", b"")
            came += len(piece)
            if came > limit:
                raise Problem("too-large", limit=limit)
            if came > paid:
                connection = HTTPConnection(scope)
                caller = caller or known_caller(connection)
                if not imports:
                    charge_rate(dependencies_of_app(connection), caller, "bytes", came - paid)
                paid = came
            if not imports:
                values.add(piece)
        return message

    return receiving


def add_security_headers(headers: MutableHeaders) -> None:
    """Add the headers that every answer has."""
    is_page = headers.get("content-type", "").startswith("text/html")
    for name, value in (_ALWAYS | OF_PAGES if is_page else _ALWAYS).items():
        headers[name] = value
    headers.setdefault("Content-Security-Policy", FOR_PAGES if is_page else FOR_DATA)
    headers.setdefault("Cache-Control", "no-store")


def _headed(message: Message) -> Message:
    message["headers"] = list(message.get("headers", ()))
    return message
