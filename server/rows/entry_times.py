"""When something was said, in rows: by its sender, else by when the log received it. Pure.

Memory knows the sender's time alone, and goes by none; the receipt's is looked up in the record.
What was imported was said at another time than it was received: without its own it has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from parley.bus.entries import Record
from parley.server.rows.item_shapes import Time

_LOCAL: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]|$)")
_DAY: Final = len("2026-03-02")


def time_row(at: str | None, record: Record | None) -> Time:
    """`at`, and by whom it is in `at_from`: the sender, or the receipt of `record`.

    Both None where neither is known: of an entry that is not at hand, or of a transcript without
    times, which nobody received as it was said.
    """
    at = at or (None if record is None else local_time(record))
    if at is not None:
        return {"at": at, "at_from": "sender"}
    received = None if record is None or is_imported(record) else receipt_time(record)
    return {"at": received, "at_from": "receipt" if received else None}


def local_time(record: Record) -> str | None:
    """The time that its sender gave without a zone, or the day; None where that is neither."""
    text = (getattr(record.entry, "at_text", None) or "").strip()
    if not _LOCAL.match(text):
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time.date().isoformat() if len(text) == _DAY else time.isoformat(timespec="seconds")


def is_imported(record: Record) -> bool:
    """Whether it came with a file: its id is the line that it stood on there."""
    return record.id.startswith("line:")


def receipt_time(record: Record) -> str | None:
    """When the log received it, RFC 3339 in UTC; None where no clock was there."""
    if record.received_ms <= 0:
        return None
    return in_utc(lambda: datetime.fromtimestamp(record.received_ms / 1000, UTC))


def in_utc(read_time: Callable[[], datetime]) -> str | None:
    """None of what the calendar does not have, such as the year 10000 or one before the first."""
    try:
        time = read_time()
        time = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")
