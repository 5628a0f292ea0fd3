"""What happens in a process, as events: a short constant name each, facts as keys.

structlog, with the terminal library that it loads, is imported at the first event: a
command that has nothing to report runs without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_pending: list[Callable[[], None]] = []  # the set-up that the next event runs first


def set_up_at_first_event(set_up: Callable[[], None] | None) -> None:
    """Run `set_up` before the next event; None: forget one that has not run."""
    _pending[:] = [] if set_up is None else [set_up]


def prepare_log() -> None:
    """Do now what the first event would: for a process that forks others, which log at once."""
    _structlog("")


class EventLog:
    """The events of one part of the program, under its name."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def debug(self, event: str, **facts: Any) -> None:
        _structlog(self._name).debug(event, **facts)

    def info(self, event: str, **facts: Any) -> None:
        _structlog(self._name).info(event, **facts)

    def warning(self, event: str, **facts: Any) -> None:
        _structlog(self._name).warning(event, **facts)

    def error(self, event: str, **facts: Any) -> None:
        _structlog(self._name).error(event, **facts)

    def exception(self, event: str, **facts: Any) -> None:
        """An error, with the trace of the exception that is being handled."""
        _structlog(self._name).exception(event, **facts)


def _structlog(name: str) -> Any:
    import structlog

    if _pending:
        _pending.pop()()
    return structlog.get_logger(name)
