"""Requests and streams counted as they pass, by the route that took them."""

from __future__ import annotations

import time

from prometheus_client import Gauge
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parley.server.http.state.metrics import METHODS, STREAM, Metrics


class MetricsMiddleware:
    """Counts what passes, by the route that took it."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        began, streams = time.perf_counter(), _Open(self.metrics.streams)

        async def sending(message: Message) -> None:
            kind = message["type"]
            if kind in ("http.response.start", "websocket.http.response.start"):
                self._count(scope, message["status"], time.perf_counter() - began)
                if (b"content-type", STREAM) in _media(message):
                    streams.count("events")
            elif kind == "websocket.accept":
                self._count(scope, 101, time.perf_counter() - began)
                streams.count("socket")
            await send(message)

        try:
            await self.app(scope, receive, sending)
        finally:
            streams.close()

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "none")
        method = scope.get("method", "GET")
        self.metrics.requests.labels(
            method if method in METHODS else "other", route, str(status)
        ).inc()
        self.metrics.seconds.labels(route).observe(seconds)


class _Open:
    """A request, and whether it is a stream that is open."""

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge
        self._kind = ""

    def count(self, kind: str) -> None:
        if not self._kind:
            self._kind = kind
            self._gauge.labels(kind).inc()

    def close(self) -> None:
        if self._kind:
            self._gauge.labels(self._kind).dec()


def _media(message: Message) -> list[tuple[bytes, bytes]]:
    return [
        (name.lower(), value.partition(b";")[0].strip())
        for name, value in message.get("headers", ())
    ]
