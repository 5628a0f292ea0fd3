"""Spans of what a process does with messages: published, folded, answered, a model asked.

The spans of one message are one trace. An effect belongs to the trace of the message that made
it due, and has a link to each other that it reads; a publication has one to the trace of whoever
asked for it over HTTP.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.metrics import Meter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from parley.bus.contract.tracing import ModelCall, Named
from parley.server.telemetry import semantic_names as names
from parley.server.telemetry.span_ids import Step, is_followed, span_id, trace_id

_PARLEY: Final = "parley"
_MOST_LINKS: Final = 32
_SAMPLED, _UNSAMPLED = TraceFlags(TraceFlags.SAMPLED), TraceFlags(TraceFlags.DEFAULT)
_caller: ContextVar[SpanContext | None] = ContextVar("parley_caller", default=None)


class NamedIds(IdGenerator):
    """Ids by chance, but for the next span where those of it are given."""

    def __init__(self) -> None:
        self._chance = RandomIdGenerator()
        self.next_trace: int | None = None
        self.next_span: int | None = None

    def generate_trace_id(self) -> int:
        given, self.next_trace = self.next_trace, None
        return self._chance.generate_trace_id() if given is None else given

    def generate_span_id(self) -> int:
        given, self.next_span = self.next_span, None
        return self._chance.generate_span_id() if given is None else given


class MessageTracer:
    """Makes the spans of the share `ratio` of messages, and counts all of them on `meter`."""

    def __init__(self, provider: TracerProvider, ids: NamedIds, meter: Meter, ratio: float) -> None:
        self._tracer = provider.get_tracer(_PARLEY)
        self._ids, self._ratio = ids, ratio
        self._sent = meter.create_counter(names.SENT, "{message}", "Messages published")
        self._consumed = meter.create_counter(names.CONSUMED, "{message}", "Messages folded")
        self._seconds = meter.create_histogram(names.CALL_SECONDS, "s", "Calls of a model")
        self._tokens = meter.create_histogram(names.CALL_TOKENS, "{token}", "Tokens of calls")

    @contextmanager
    def publishing(self, session: str, drafts: Sequence[Named]) -> Iterator[None]:
        caller = _caller.get()
        links = [] if caller is None else [Link(caller)]
        spans = [
            self._begin(session, draft.id, "publish", len(drafts), links)
            for draft in drafts
            if self._follows(session, draft.id)
        ]
        with _ended(spans):
            yield
        self._sent.add(len(drafts))

    @contextmanager
    def folding(self, session: str, records: Sequence[Named]) -> Iterator[None]:
        spans = [
            self._begin(session, record.id, "fold", len(records), [])
            for record in records
            if self._follows(session, record.id)
        ]
        with _ended(spans):
            yield
        self._consumed.add(len(records))

    @contextmanager
    def answering(self, session: str, effect: str, records: Sequence[Named]) -> Iterator[None]:
        if not records:
            yield
            return
        *others, cause = (record.id for record in records)
        context = _within(session, cause, "fold", followed=self._follows(session, cause))
        links = [
            Link(_context_of(session, other, "publish", _SAMPLED))
            for other in others[-_MOST_LINKS:]
            if self._follows(session, other)
        ]
        span = self._tracer.start_span(
            f"answer {effect.partition(':')[0]}", context, SpanKind.CONSUMER,
            {
                names.CONVERSATION: session, names.OPERATION: names.UPSERT_MEMORY,
                names.EFFECT: effect, names.BATCH: len(records),
            },
            links,
        )  # fmt: skip
        with _ended([span]):
            yield

    def asking(
        self, model: str, address: str, max_tokens: int
    ) -> AbstractContextManager[ModelCall]:
        return self._ask(model, address, max_tokens)

    @contextmanager
    def _ask(self, model: str, address: str, max_tokens: int) -> Iterator[ModelCall]:
        about: dict[str, AttributeValue] = {
            names.OPERATION: names.CHAT, names.PROVIDER: names.OPENAI, names.REQUEST_MODEL: model,
        }  # fmt: skip
        more: dict[str, AttributeValue] = {
            names.REQUEST_MOST: max_tokens, names.SERVER_ADDRESS: address,
        }  # fmt: skip
        span = self._tracer.start_span(
            f"{names.CHAT} {model}", kind=SpanKind.CLIENT, attributes={**about, **more}
        )
        call, began = _Call(span), time.perf_counter()
        try:
            yield call
        except BaseException as error:
            about[names.ERROR_TYPE] = _kind(error)
            _fail(span, error)
            raise
        finally:
            self._seconds.record(time.perf_counter() - began, about)
            for kind, count in call.tokens.items():
                self._tokens.record(count, {**about, names.KIND_OF_TOKENS: kind})
            span.end()

    @contextmanager
    def serving(self, traceparent: str) -> Iterator[None]:
        context = TraceContextTextMapPropagator().extract({"traceparent": traceparent}, Context())
        caller = trace.get_current_span(context).get_span_context()
        token = _caller.set(caller if caller.is_valid else None)
        try:
            yield
        finally:
            _caller.reset(token)

    def current(self) -> Mapping[str, str]:
        context = trace.get_current_span().get_span_context()
        if not context.is_valid or not context.trace_flags.sampled:
            return {}
        return {
            "trace_id": trace.format_trace_id(context.trace_id),
            "span_id": trace.format_span_id(context.span_id),
        }

    def _follows(self, session: str, id: str) -> bool:
        return is_followed(trace_id(session, id), self._ratio)

    def _begin(self, session: str, id: str, step: Step, batch: int, links: Sequence[Link]) -> Span:
        """The span of that step, the same whoever does it."""
        is_first = step == "publish"
        self._ids.next_trace = trace_id(session, id)
        self._ids.next_span = span_id(session, id, step)
        context = Context() if is_first else _within(session, id, "publish", followed=True)
        span = self._tracer.start_span(
            step, context, SpanKind.PRODUCER if is_first else SpanKind.CONSUMER,
            {
                names.SYSTEM: _PARLEY, names.DESTINATION: session, names.MESSAGE_ID: id,
                names.STEP: step, names.STEP_TYPE: "send" if is_first else "process",
                names.CONVERSATION: session, names.BATCH: batch,
            },
            links,
        )  # fmt: skip
        self._ids.next_trace = self._ids.next_span = None
        return span


class _Call:
    def __init__(self, span: Span) -> None:
        self._span = span
        self.tokens: dict[str, int] = {}

    def answered(self, model: str, input_tokens: int, output_tokens: int, *, cut: bool) -> None:
        self._span.set_attributes(
            {names.RESPONSE_MODEL: model, names.FINISH_REASONS: ["length" if cut else "stop"]}
        )
        if input_tokens or output_tokens:
            self.tokens = {"input": input_tokens, "output": output_tokens}
            self._span.set_attributes(
                {names.INPUT_TOKENS: input_tokens, names.OUTPUT_TOKENS: output_tokens}
            )


@contextmanager
def _ended(spans: Sequence[Span]) -> Iterator[None]:
    """The last of `spans` is the current one inside; all end with the body, and with its fault."""
    if not spans:
        yield
        return
    try:
        with trace.use_span(spans[-1], record_exception=False, set_status_on_exception=False):
            yield
    except BaseException as error:
        for span in spans:
            _fail(span, error)
        raise
    finally:
        for span in spans:
            span.end()


def _fail(span: Span, error: BaseException) -> None:
    """Names what went wrong by its type: its words may be somebody's."""
    span.set_attribute(names.ERROR_TYPE, _kind(error))
    span.set_status(Status(StatusCode.ERROR))


def _kind(error: BaseException) -> str:
    return type(error).__name__ if isinstance(error, Exception) else "cancelled"


def _within(session: str, id: str, step: Step, *, followed: bool) -> Context:
    """Inside that step of a message; what is not followed hides what is done in it, too."""
    flags = _SAMPLED if followed else _UNSAMPLED
    return trace.set_span_in_context(NonRecordingSpan(_context_of(session, id, step, flags)))


def _context_of(session: str, id: str, step: Step, flags: TraceFlags) -> SpanContext:
    return SpanContext(trace_id(session, id), span_id(session, id, step), True, flags)
