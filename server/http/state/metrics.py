"""Counts and times of this process, as Prometheus reads them.

No label says which session or whose: what is watched here is the server.
"""

from __future__ import annotations

import time
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA: Final = "text/plain; version=0.0.4; charset=utf-8"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
STREAM: Final = b"text/event-stream"


class Metrics:
    """One registry a server."""

    def __init__(self) -> None:
        self.registry = own = CollectorRegistry()
        ProcessCollector(registry=own)
        self.requests = Counter(
            "parley_requests", "Requests answered", ["method", "route", "status"], registry=own
        )
        self.seconds = Histogram(
            "parley_request_seconds", "Seconds until an answer began", ["route"],
            buckets=BUCKETS, registry=own,
        )  # fmt: skip
        self.streams = Gauge("parley_streams", "Live streams open", ["kind"], registry=own)
        for kind in ("events", "socket"):
            self.streams.labels(kind)
        self.connections = Gauge("parley_connections", "Connections open", registry=own)
        self.redis = Gauge("parley_redis_up", "1 where Redis answers", registry=own)
        self.workers = Gauge("parley_workers", "Workers that showed life lately", registry=own)
        self.fold_lag = Gauge(
            "parley_oldest_fold_seconds", "Age of the oldest entry not folded", registry=own
        )

    def render(self) -> bytes:
        return generate_latest(self.registry)


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
    """Of one request, whether it is a stream that is open."""

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
