"""What the minutes begin with: of what talk they are, when it was, who was there. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from bus.entries import Record
from memory.items import VOICE
from memory.state import Memory
from server.output import many

Row = Mapping[str, Any]

NAMED: Final = 12  # participants that the head names
_DAY: Final = len("2026-03-02")


def span(messages: Iterable[Record], logged: bool) -> tuple[str | None, str | None]:
    """When the first and the last of them were said: RFC 3339 in UTC, or days.

    By what the messages themselves say. Where none says anything of it and they are `logged`,
    by when the log had them: what is said in a session brings no times.
    """
    said = [*messages]
    entries: list[Any] = [record.entry for record in said]
    times = [time for entry in entries if (time := _said_at(entry)) is not None]
    if not times and logged and all(entry.at_text is None for entry in entries):
        logged_at = (_logged_at(record) for record in said if record.received_ms > 0)
        times = [time for time in logged_at if time is not None]
    return (min(times), max(times)) if times else (None, None)


def present(memory: Memory) -> list[dict[str, Any]]:
    """Who spoke, the most talkative first; bots and the server's own voice are nobody."""
    spoke = [
        (-one.messages, one.name)
        for one in memory.participants.values()
        if one.messages and one.name not in memory.bots and one.name != VOICE
    ]
    return [{"participant": name, "messages": -count} for count, name in sorted(spoke)]


def title(report: Row) -> str:
    named = report["title"] or report["session"]
    return str(named or f"Minutes of {_days(report)}".removesuffix(" of "))


def head(report: Row) -> Iterator[str]:
    """Lines below the title."""
    talk = many(report["messages"], "message")
    told = f"{talk} by {many(report['participants'], 'participant')}"
    session = f"session {report['session']}" if report["session"] else ""
    closed = f"closed: {report['closed']}" if report["closed"] is not None else ""
    covers = f"up to entry {report['n']}"
    yield "; ".join(filter(None, (_when(report), f"{told}, {covers}", session, closed)))
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


def _said_at(entry: Any) -> str | None:
    """A point in time, or a day where no more is told; None for what is neither."""
    if entry.at is not None:
        return _utc(lambda: datetime.fromisoformat(entry.at))
    text = entry.at_text or ""
    try:
        return datetime.strptime(text.strip(), "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()
    except ValueError:
        return None


def _logged_at(record: Record) -> str | None:
    return _utc(lambda: datetime.fromtimestamp(record.received_ms / 1000, UTC))


def _utc(told: Callable[[], datetime]) -> str | None:
    """None of what the calendar does not have, such as the year 10000 or one before the first."""
    try:
        time = told()
        in_utc = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return in_utc.isoformat(timespec="seconds").replace("+00:00", "Z")
