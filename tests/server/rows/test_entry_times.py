"""The time of an item: its sender's, else its receipt's, and which of them it is."""

from __future__ import annotations

import pytest

from parley.bus.entries import Message, Record
from parley.server.rows.entry_times import time_row

TOLD = "2026-05-04T12:00:00Z"


def received(ms: int) -> Record:
    return Record(1, 1, "a", ms, Message(participant="ana", content="Hello."))


def told(at_text: str | None, id: str = "a") -> Record:
    entry = Message(participant="ana", content="Hello.", at_text=at_text)
    return Record(1, 1, id, 1_763_764_800_000, entry)


@pytest.mark.parametrize(
    ("at", "record", "shown", "whose"),
    [
        (TOLD, received(1_763_764_800_000), TOLD, "sender"),
        (TOLD, None, TOLD, "sender"),
        (None, received(1_763_764_800_123), "2025-11-21T22:40:00Z", "receipt"),
        (None, received(0), None, None),  # of a transcript: nobody received it
        (None, received(2**53 - 1), None, None),  # no calendar has that year
        (None, None, None, None),
        (None, told("2026-05-04"), "2026-05-04", "sender"),
        (None, told("2026-05-04 12:00"), "2026-05-04T12:00:00", "sender"),
        (None, told("2026-13-04T12:00"), "2025-11-21T22:40:00Z", "receipt"),
        (None, told("20260504"), "2025-11-21T22:40:00Z", "receipt"),
        (None, told(None, "line:7"), None, None),  # it was said before it was imported
        (None, told("2026-05-04", "line:7"), "2026-05-04", "sender"),
    ],
)
def test_a_time_says_whose_it_is(
    at: str | None, record: Record | None, shown: str | None, whose: str | None
) -> None:
    """The sender's comes first, also without a zone; a receipt's is never taken for it."""
    assert time_row(at, record) == {"at": shown, "at_from": whose}
