"""What a Prometheus registry holds, as OTLP carries it: counters, gauges and histograms."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from prometheus_client.metrics_core import Metric as Family

_CUMULATIVE: Final = AggregationTemporality.CUMULATIVE
_BOUND: Final = "le"


def convert_metrics(families: Iterable[Family], resource: Resource, began_ns: int) -> MetricsData:
    """`families` as one export; counts are those since `began_ns`."""
    now = time.time_ns()
    metrics = [metric for family in families for metric in _convert(family, began_ns, now)]
    scope = ScopeMetrics(InstrumentationScope("parley"), metrics, "")
    return MetricsData([ResourceMetrics(resource, [scope], "")])


def _convert(family: Family, began: int, now: int) -> Iterator[Metric]:
    if family.type == "histogram":
        points = list(_histogram_points(family, began, now))
        data: Sum | Gauge | Histogram = Histogram(points, _CUMULATIVE)
    else:
        suffix = "_total" if family.type == "counter" else ""
        numbers = [
            NumberDataPoint(dict(sample.labels), began, now, sample.value)
            for sample in family.samples
            if sample.name == family.name + suffix
        ]
        is_count = family.type == "counter"
        data = Sum(numbers, _CUMULATIVE, is_monotonic=True) if is_count else Gauge(numbers)
    if data.data_points:
        yield Metric(family.name, family.documentation, family.unit, data)


def _histogram_points(family: Family, began: int, now: int) -> Iterator[HistogramDataPoint]:
    """One for each set of labels. Prometheus counts what is below a bound, OTLP what is between."""
    below: dict[tuple[tuple[str, str], ...], dict[float, float]] = defaultdict(dict)
    sums: dict[tuple[tuple[str, str], ...], float] = {}
    for sample in family.samples:
        labels = tuple((key, text) for key, text in sample.labels.items() if key != _BOUND)
        if sample.name == f"{family.name}_bucket":
            below[labels][float(sample.labels[_BOUND])] = sample.value
        elif sample.name == f"{family.name}_sum":
            sums[labels] = sample.value
    for labels, counts in below.items():
        bounds = sorted(counts)
        totals = [int(counts[bound]) for bound in bounds]
        between = [total - before for before, total in zip([0, *totals], totals, strict=False)]
        yield HistogramDataPoint(
            dict(labels), began, now, totals[-1], sums.get(labels, 0.0), between,
            [bound for bound in bounds if bound != math.inf], math.nan, math.nan,
        )  # fmt: skip
