"""When the talk of the minutes was, and who was there. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from parley.bus.entries import Record
from parley.memory.state.item_state import VOICE
from parley.memory.state.memory import Memory


def talk_span(messages: Iterable[Record], logged: bool) -> tuple[str | None, str | None]:
    """When the first and the last of them were said: RFC 3339 in UTC, or days.

    By what the messages themselves say. Where none says anything of it and they are `logged`,
    by when the log had them: what is said in a session brings no times.
    """
    records = [*messages]
    entries: list[Any] = [record.entry for record in records]
    times = [time for entry in entries if (time := _said_at(entry)) is not None]
    if not times and logged and all(entry.at_text is None for entry in entries):
        logged_at = (_logged_at(record) for record in records if record.received_ms > 0)
        times = [time for time in logged_at if time is not None]
    return (min(times), max(times)) if times else (None, None)


def present_participants(memory: Memory) -> list[dict[str, Any]]:
    """Who spoke, the most talkative first; bots and the server's own voice are nobody."""
    spoke = [
        (-participant.messages, participant.name)
        for participant in memory.participants.values()
        if participant.messages
        and participant.name not in memory.bots
        and participant.name != VOICE
    ]
    return [{"participant": name, "messages": -count} for count, name in sorted(spoke)]


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


def _utc(read_time: Callable[[], datetime]) -> str | None:
    """None of what the calendar does not have, such as the year 10000 or one before the first."""
    try:
        time = read_time()
        in_utc = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return in_utc.isoformat(timespec="seconds").replace("+00:00", "Z")
