"""When the talk of the minutes was, and who was there. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from parley.bus.entries import Record
from parley.memory.state.memory import Memory
from parley.memory.voice import VOICE
from parley.server.minutes.words.people import other_names
from parley.server.rows.entry_times import in_utc, is_imported, local_time, receipt_time


def talk_span(messages: Iterable[Record], logged: bool) -> tuple[str | None, str | None]:
    """When the first and the last of them were said: RFC 3339 in UTC, or without a zone, or days.

    By what the messages themselves say. Where none says anything of it and they are `logged`,
    by when the log had them: what is said in a session brings no times. What was imported was
    said before.
    """
    records = [*messages]
    entries: list[Any] = [record.entry for record in records]
    times = [time for record in records if (time := _said_at(record)) is not None]
    if not times and logged and all(entry.at_text is None for entry in entries):
        live = (record for record in records if not is_imported(record))
        times = [time for record in live if (time := receipt_time(record)) is not None]
    return (min(times), max(times)) if times else (None, None)


def import_day(messages: Iterable[Record]) -> str | None:
    """The day on which messages of a file came into the log; None where they did not."""
    times = (receipt_time(record) for record in messages if is_imported(record))
    first = next((time for time in times if time is not None), None)
    return first[:10] if first else None


def present_participants(memory: Memory) -> list[dict[str, Any]]:
    """Who spoke, took a seat or voted, the most talkative first.

    `also` has the other names that are plainly theirs.

    Bots and the server's own voice are nobody.
    """
    spoken = {person.name: person.messages for person in memory.participants.values()}
    seated = (name for name, seat in memory.floor.seats.items() if seat.role != "observer")
    voted = (name for vote in memory.votes.by_ref.values() for name in vote.ballots)
    names = {*seated, *voted, *(name for name, count in spoken.items() if count)}
    counts = {name: spoken.get(name, 0) for name in names - memory.bots - {VOICE}}
    also: dict[str, list[str]] = {}
    others = other_names(counts)
    for nick in others:
        name = others[nick]
        name = others.get(name, name)
        counts[name] += counts.pop(nick)
        also.setdefault(name, []).append(nick)
    spoke = sorted((-count, name) for name, count in counts.items())
    return [
        {"participant": name, "messages": -count, "also": sorted(also.get(name, ()))}
        for count, name in spoke
    ]


def _said_at(record: Record) -> str | None:
    """A point in time, or a day where no more is told; None for what is neither."""
    at = getattr(record.entry, "at", None)
    if at is not None:
        return in_utc(lambda: datetime.fromisoformat(at))
    return local_time(record)
