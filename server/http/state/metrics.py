"""Counts and times of this process, as Prometheus reads them.

No label says which session or whose: what is watched here is the server.
"""

from __future__ import annotations

from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from parley.bus.contract.keys import LANES
from parley.server.http.state.server_health import HealthFinding

MEDIA: Final = "text/plain; version=0.0.4; charset=utf-8"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
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
            buckets=_BUCKETS, registry=own,
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

        self.due = Gauge(
            "parley_due", "Sessions or effects due, in hand or backing off", ["lane"], registry=own
        )
        for lane in LANES:
            self.due.labels(lane)
        self.repaired = Gauge(
            "parley_repaired", "What was not due that should have been, since ever", registry=own
        )
        self.healed = Counter(
            "parley_healed", "Entries given back to a log that had lost them", registry=own
        )
        self._healed = 0  # of them counted

    def observe(self, connections: int, finding: HealthFinding) -> None:
        """How it stands now, for what is no count.

        What is due and was put right stays as it was known last where Redis does not answer: a
        fall to nothing would look as if all was done, and a rise from it as if something was amiss.
        """
        self.connections.set(connections)
        self.redis.set(finding.answered)
        self.workers.set(finding.workers)
        self.fold_lag.set(finding.oldest_fold_ms / 1000)
        if finding.answered:
            self.repaired.set(finding.repaired)
            self.healed.inc(finding.healed - self._healed)
            self._healed = finding.healed
        for lane, count in finding.due.items():
            self.due.labels(lane).set(count)

    def render(self) -> bytes:
        return generate_latest(self.registry)
