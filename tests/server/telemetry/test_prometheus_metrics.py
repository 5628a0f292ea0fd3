"""What Prometheus reads of a server is what a collector is sent of it."""

from __future__ import annotations

import time
from collections.abc import Iterable

from opentelemetry.sdk.resources import Resource
from prometheus_client.metrics_core import Metric as Family

from parley.server.http.state.metrics import Metrics
from parley.server.http.state.server_health import HealthFinding
from parley.server.settings.telemetry_settings import TelemetrySettings
from parley.server.telemetry.otlp_export import export_registry
from parley.server.telemetry.prometheus_metrics import convert_metrics
from tests.support.servers.otlp_receiver import OtlpReceiver, attributes


def filled() -> Metrics:
    metrics = Metrics()
    metrics.requests.labels("GET", "/healthz", "200").inc(3)
    for seconds in (0.0005, 0.003, 0.2, 20.0):
        metrics.seconds.labels("/healthz").observe(seconds)
    metrics.observe(7, HealthFinding(answered=True, workers=2, oldest_fold_ms=1500))
    return metrics


async def test_the_metrics_of_a_server_arrive_with_their_labels() -> None:
    metrics = filled()

    async def collect() -> Iterable[Family]:
        return metrics.registry.collect()

    with OtlpReceiver() as receiver:
        settings = TelemetrySettings(url=receiver.url + "/", seconds=3600)
        async with export_registry(settings, "parley-server", collect):
            pass
    assert receiver.services == {"parley-server"}
    sent = {metric.name: metric for metric in receiver.metrics}
    (requests,) = sent["parley_requests"].sum.data_points
    assert requests.as_double == 3
    assert attributes(requests) == {"method": "GET", "route": "/healthz", "status": "200"}
    assert sent["parley_requests"].sum.is_monotonic
    assert sent["parley_workers"].gauge.data_points[0].as_double == 2
    assert sent["parley_oldest_fold_seconds"].gauge.data_points[0].as_double == 1.5
    (seconds,) = sent["parley_request_seconds"].histogram.data_points
    assert (seconds.count, round(seconds.sum, 4)) == (4, 20.2035)
    assert sum(seconds.bucket_counts) == 4
    assert len(seconds.bucket_counts) == len(seconds.explicit_bounds) + 1
    by_bound = dict(zip(seconds.explicit_bounds, seconds.bucket_counts, strict=False))
    assert (by_bound[0.001], by_bound[0.005], by_bound[0.25]) == (1, 1, 1)
    assert seconds.bucket_counts[-1] == 1  # beyond ten seconds


def test_every_family_that_prometheus_reads_is_converted() -> None:
    """Process metrics among them."""
    families = list(filled().registry.collect())
    data = convert_metrics(families, Resource({}), time.time_ns())
    (scope,) = data.resource_metrics[0].scope_metrics
    assert {metric.name for metric in scope.metrics} == {
        family.name for family in families if family.samples
    }
