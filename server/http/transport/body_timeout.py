"""How long a body may take to come: who sends half of one holds nothing for ever."""

from __future__ import annotations

import time
from typing import Final

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parley.server.http.problems.problem_details import Problem, send_problem

BYTES_A_SECOND: Final = 1024  # less than any line gives; what comes slower is no sender

ONCE: Final = ("Idempotency-Key", "Authorization", "Origin")  # headers that there is one of
_PACKED: Final = "Send the body as it is: no Content-Encoding is read."


class TimeBudget:
    """Seconds that a sender is still waited for: `most` at first, and never more."""

    __slots__ = ("_most", "left")

    def __init__(self, most: float) -> None:
        self._most = self.left = most

    def spend(self, seconds: float, came: int) -> None:
        """Charge `seconds` of waiting; the `came` bytes earn time for those to come."""
        self.left = min(self._most, self.left - seconds + came / BYTES_A_SECOND)


class BodyTimeout:
    """408 for a body that does not come, 415 for one that is packed; 400 for a head that tells
    one thing in two ways."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self.app, self.seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if problem := _refusal(Headers(scope=scope)):
            await send_problem(problem, scope, receive, _closing(send))
            return
        arriving = _TimedReceive(receive, send, TimeBudget(self.seconds))
        await self.app(scope, arriving.receive, arriving.send)


def _refusal(headers: Headers) -> Problem | None:
    if detail := _told_twice(headers):
        return Problem("malformed", detail=detail)
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        return Problem("media-type", detail=_PACKED)
    return None


def _told_twice(headers: Headers) -> str:
    """What nobody could tell which of two to go by; "" where there is nothing of the kind."""
    if "transfer-encoding" in headers and "content-length" in headers:
        return "The length of the body is told in two ways."
    twice = (name for name in ONCE if len(headers.getlist(name)) > 1)
    return next((f"The header {name} is there twice." for name in twice), "")


class _TimedReceive:
    """The body of one request, for as long as nothing was answered."""

    def __init__(self, receive: Receive, send: Send, budget: TimeBudget) -> None:
        self._receive, self._send, self._budget = receive, send, budget
        self._waited_for = True  # by somebody who has not answered yet

    async def receive(self) -> Message:
        if not self._waited_for:
            return await self._receive()
        began = time.monotonic()
        try:
            with anyio.fail_after(self._budget.left):
                message = await self._receive()
        except TimeoutError:
            raise Problem("too-slow") from None
        self._budget.spend(time.monotonic() - began, len(message.get("body", b"")))
        if not message.get("more_body", False):
            self._waited_for = False
        return message

    async def send(self, message: Message) -> None:
        self._waited_for = False
        await self._send(message)


def _closing(send: Send) -> Send:
    """`send`, of an answer after which nothing on the connection is read."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
        await send(message)

    return sending
