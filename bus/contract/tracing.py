"""Who follows messages through a process: nobody, or the tracer that it was given.

Each step says itself where it is done. A tracer knows a message by its session and id, so
nothing has to travel with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, Protocol


class Named(Protocol):
    """A draft or a record."""

    @property
    def id(self) -> str: ...


class ModelCall(Protocol):
    """One question to a model, as long as it lasts."""

    def answered(self, model: str, input_tokens: int, output_tokens: int, *, cut: bool) -> None:
        """The answer came from `model`; 0 tokens were not counted."""
        ...


class Tracer(Protocol):
    """Each method gives a context that lasts as long as the step; what it raises is noted."""

    def publishing(
        self, session: str, drafts: Sequence[Named]
    ) -> AbstractContextManager[object]: ...

    def folding(self, session: str, records: Sequence[Named]) -> AbstractContextManager[object]: ...

    def answering(
        self, session: str, effect: str, records: Sequence[Named]
    ) -> AbstractContextManager[object]:
        """An effect that the last of `records` made due, and that reads all of them."""
        ...

    def asking(
        self, model: str, address: str, max_tokens: int
    ) -> AbstractContextManager[ModelCall]: ...

    def serving(self, traceparent: str) -> AbstractContextManager[object]:
        """A request of somebody who follows it: W3C `traceparent`, '' where nobody does."""
        ...

    def current(self) -> Mapping[str, str]:
        """`trace_id` and `span_id` of the step that is being done; empty outside of any."""
        ...


class _Nobody:
    """Follows nothing; a step costs a call."""

    def publishing(self, session: str, drafts: object) -> AbstractContextManager[object]:
        return _NOTHING

    folding = publishing

    def answering(
        self, session: str, effect: str, records: object
    ) -> AbstractContextManager[object]:
        return _NOTHING

    def asking(
        self, model: str, address: str, max_tokens: int
    ) -> AbstractContextManager[ModelCall]:
        return _UNCOUNTED

    def serving(self, traceparent: str) -> AbstractContextManager[object]:
        return _NOTHING

    def current(self) -> Mapping[str, str]:
        return {}


class _Uncounted:
    def answered(self, *counts: Any, cut: bool) -> None: ...


_NOTHING: Final = nullcontext()
_UNCOUNTED: Final[AbstractContextManager[ModelCall]] = nullcontext(_Uncounted())
_NOBODY: Final = _Nobody()
_tracer: Tracer = _NOBODY


def tracer() -> Tracer:
    """The one of this process."""
    return _tracer


def trace_with(given: Tracer | None) -> None:
    """From here on `given` follows the messages of this process; None: nobody."""
    global _tracer
    _tracer = given or _NOBODY
