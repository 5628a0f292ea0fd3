"""Logging: one event a line on stderr, facts as keys, never a local variable in a trace."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from parley.bus.connection.event_log import set_up_at_first_event
from parley.bus.contract.tracing import tracer

if TYPE_CHECKING:
    from structlog.typing import EventDict, WrappedLogger

WORDS = frozenset({"content", "text", "entry"})  # keys that carry what people said


def configure_logging(level: str, as_json: bool) -> None:
    """Put the log of this process in force from its next event on; may be called again."""
    set_up_at_first_event(partial(_set_up, level, as_json))


def _set_up(level: str, as_json: bool) -> None:
    import logging

    import structlog

    number = getattr(logging, level.upper())
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _with_trace,
            *([] if number <= logging.DEBUG else [_without_words]),
            *_rendering(as_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _with_trace(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """`trace_id` and `span_id` of what is being done, where it is followed."""
    return {**event, **tracer().current()}


def _without_words(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    return {key: value for key, value in event.items() if key not in WORDS}


def _rendering(as_json: bool) -> list[Any]:
    import structlog

    if as_json:
        trace = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        return [
            structlog.processors.ExceptionRenderer(trace),
            structlog.processors.JSONRenderer(sort_keys=True),
        ]
    return [
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    ]
