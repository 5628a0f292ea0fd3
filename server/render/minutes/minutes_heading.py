"""What the minutes begin with: of what talk they are, when it was, who was there. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from parley.server.basics.output import count_of

Row = Mapping[str, Any]

NAMED: Final = 12  # participants that the head names
_DAY: Final = len("2026-03-02")


def title(report: Row) -> str:
    named = report["title"] or report["session"]
    return str(named or f"Minutes of {_days(report)}".removesuffix(" of "))


def heading_lines(report: Row) -> Iterator[str]:
    """Lines below the title."""
    talk = count_of(report["messages"], "message")
    summary = f"{talk} by {count_of(report['participants'], 'participant')}"
    session = f"session {report['session']}" if report["session"] else ""
    closed = f"closed: {report['closed']}" if report["closed"] is not None else ""
    covers = f"up to entry {report['n']}"
    yield "; ".join(filter(None, (_when(report), f"{summary}, {covers}", session, closed)))
    if report["present"]:
        names = [row["participant"] for row in report["present"]]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        yield f"Present: {', '.join(names[:NAMED])}{more}"


def _days(report: Row) -> str:
    began, ended = ((report[name] or "")[:_DAY] for name in ("began", "ended"))
    return began if began == ended else f"{began} to {ended}"


def _when(report: Row) -> str:
    """From when to when, and for how long where that is less than a day."""
    began, ended = report["began"], report["ended"]
    if not began:
        return ""
    if began[:_DAY] != ended[:_DAY] or len(began) == _DAY:
        return _days(report)
    first, last = began[_DAY + 1 : _DAY + 6], ended[_DAY + 1 : _DAY + 6]
    if first == last:
        return f"{began[:_DAY]} {first} UTC"
    lasted = datetime.fromisoformat(ended) - datetime.fromisoformat(began)
    return f"{began[:_DAY]} {first} to {last} UTC ({_lasted(lasted)})"


def _lasted(time: timedelta) -> str:
    hours, minutes = divmod(round(time.total_seconds() / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{max(minutes, 1)} min"
