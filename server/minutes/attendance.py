"""When the talk of the minutes was, and who was there. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from parley.bus.entries import Record
from parley.memory.state.memory import Memory
from parley.memory.voice import VOICE
from parley.server.rows.entry_times import in_utc, receipt_time


def talk_span(messages: Iterable[Record], logged: bool) -> tuple[str | None, str | None]:
    """When the first and the last of them were said: RFC 3339 in UTC, or days.

    By what the messages themselves say. Where none says anything of it and they are `logged`,
    by when the log had them: what is said in a session brings no times.
    """
    records = [*messages]
    entries: list[Any] = [record.entry for record in records]
    times = [time for entry in entries if (time := _said_at(entry)) is not None]
    if not times and logged and all(entry.at_text is None for entry in entries):
        times = [time for record in records if (time := receipt_time(record)) is not None]
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
        return in_utc(lambda: datetime.fromisoformat(entry.at))
    text = entry.at_text or ""
    try:
        return datetime.strptime(text.strip(), "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()
    except ValueError:
        return None
