"""Traces and metrics of a process, sent to a collector over OTLP/HTTP while the process runs."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import open_task_group, run_beside
from parley.bus.contract.tracing import trace_with
from parley.server.basics.errors import Misuse
from parley.server.basics.masked_addresses import hide_credentials
from parley.server.basics.version import version
from parley.server.settings.telemetry_settings import TelemetrySettings

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from prometheus_client.metrics_core import Metric

_SECONDS: Final = 3  # that an export may take: a stop waits for so long twice, and nobody else
_ADDRESS: Final = re.compile(r"https?://[^\s/?#]+(?:/[^\s?#]*)?")
_SDK: Final = "opentelemetry"  # what all loggers of its packages are below
_logger = EventLog("parley.telemetry")


@asynccontextmanager
async def open_telemetry(settings: TelemetrySettings, service: str) -> AsyncIterator[None]:
    """While inside, what this process does with messages is followed as `settings` say.

    Without `telemetry.url` nothing is, and nothing is loaded. Raises `Misuse` where that is no
    address, or the packages for it are missing.
    """
    if not settings.url:
        yield
        return
    if _ADDRESS.fullmatch(settings.url) is None:
        raise Misuse(
            f"--telemetry-url: {hide_credentials(settings.url)!r} is no address of a collector; "
            "write one such as http://127.0.0.1:4318, and keys into OTEL_EXPORTER_OTLP_HEADERS"
        )
    _report_failures()
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio
    except ModuleNotFoundError as missing:
        raise Misuse(
            f"--telemetry-url: {missing.name!r} is missing; install parley-deliberation[telemetry] "
            "(docs/install.md), or leave it unset"
        ) from None
    from parley.server.telemetry.message_tracer import MessageTracer, NamedIds

    resource, ids = _resource(service), NamedIds()
    spans = TracerProvider(ParentBasedTraceIdRatio(settings.ratio), resource, id_generator=ids)
    exporter = OTLPSpanExporter(f"{settings.base}/v1/traces", timeout=_SECONDS)
    spans.add_span_processor(BatchSpanProcessor(exporter))
    reader = PeriodicExportingMetricReader(
        OTLPMetricExporter(f"{settings.base}/v1/metrics", timeout=_SECONDS),
        settings.seconds * 1000,
    )
    meters = MeterProvider([reader], resource)
    trace_with(MessageTracer(spans, ids, meters.get_meter("parley"), settings.ratio))
    try:
        yield
    finally:
        trace_with(None)
        with anyio.CancelScope(shield=True):
            async with open_task_group() as group:
                for provider in (spans, meters):
                    group.start_soon(_shut_down, provider)


@asynccontextmanager
async def export_registry(
    settings: TelemetrySettings, service: str, collect: Callable[[], Awaitable[Iterable[Metric]]]
) -> AsyncIterator[None]:
    """While inside, what `collect` gives is sent every `telemetry.seconds`, and at the end."""
    if not settings.url:
        yield
        return
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

    from parley.server.telemetry.prometheus_metrics import convert_metrics

    exporter = OTLPMetricExporter(f"{settings.base}/v1/metrics", timeout=_SECONDS)
    resource, began = _resource(service), time.time_ns()

    async def send() -> None:
        data = convert_metrics(await collect(), resource, began)
        await anyio.to_thread.run_sync(exporter.export, data)  # the log says where it fails

    async def send_on() -> None:
        while True:
            await anyio.sleep(settings.seconds)
            await send()

    async with run_beside(send_on):
        yield
    with anyio.CancelScope(shield=True):
        await send()
        await anyio.to_thread.run_sync(exporter.shutdown)


async def _shut_down(provider: TracerProvider | MeterProvider) -> None:
    await anyio.to_thread.run_sync(provider.shutdown)


class _FailureReports(logging.Handler):
    """What the exporters say of themselves, as lines of the log: what fails, not each try of it."""

    def emit(self, record: logging.LogRecord) -> None:
        _logger.warning("telemetry_not_sent", reason=hide_credentials(record.getMessage()))


def _report_failures() -> None:
    sdk = logging.getLogger(_SDK)
    sdk.setLevel(logging.ERROR)
    sdk.propagate = False
    sdk.handlers = [_FailureReports()]


def _resource(service: str) -> Resource:
    """Who sends it; OTEL_RESOURCE_ATTRIBUTES adds to it."""
    from opentelemetry.sdk.resources import Resource

    return Resource.create({"service.name": service, "service.version": version()})
