"""Messages by their words, out of memory: what a look through the log would give, as it is now."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Message, SessionOpened
from parley.listeners.history import message_words
from parley.listeners.history.moments import History
from parley.listeners.sessions.redaction import redact
from tests.support.logs.logs import PACKS

TALK = [
    ("Ana", "A heat pump for the boat house."),
    ("Ben", "The Straße floods; PUMP it dry."),
    ("Ana", "No pump, please."),
    ("Cid", "Words of no weight. \u00e9\u00e9"),
]


@pytest.fixture
async def moments(bus: Bus) -> AsyncIterator[History]:
    await bus.open("a", SessionOpened())
    await bus.publish("a", drafts(TALK))
    moments = History(bus, PACKS)
    yield moments
    await moments.aclose()


def drafts(lines: list[tuple[str, str]]) -> list[Draft]:
    return [
        Draft(f"{name}-{len(text)}", Message(participant=name, content=text))
        for name, text in lines
    ]


async def matches(moments: History, words: str, by: str | None = None, most: int = 9) -> list[int]:
    records = await moments.find("a", range(4, 0, -1), words.split(), by, most)
    assert records is not None
    return [record.n for record in records]


async def test_all_the_words_are_there_whatever_their_case(moments: History) -> None:
    """In the order that is asked for, as many as are wanted, of one author or of all."""
    assert await matches(moments, "pump") == [3, 2, 1]
    assert await matches(moments, "Pump", most=2) == [3, 2]
    assert await matches(moments, "PUMP the") == [2, 1]
    assert await matches(moments, "strasse") == [2]
    assert await matches(moments, "pump", by="Ana") == [3, 1]
    assert await matches(moments, "", by="Cid") == [4]
    assert await matches(moments, "É") == [4]
    assert await matches(moments, "zebra") == []


def test_accents_match_however_they_are_written() -> None:
    """`é` is one character here and two there."""
    assert message_words.fold_case("CAFE\u0301") == message_words.fold_case("caf\u00e9")


async def test_what_was_said_or_taken_out_since_counts(bus: Bus, moments: History) -> None:
    """Words that come are found; those that were redacted are found no more."""
    assert await matches(moments, "pump") == [3, 2, 1]
    await redact(bus, PACKS, "a", 2, reason="a slip")
    assert await matches(moments, "pump") == [3, 1]
    await bus.publish("a", drafts([("Dan", "One pump more.")]))
    later = await moments.find("a", range(1, 6), ["pump"], None, 9)
    assert [record.n for record in later or ()] == [1, 3, 5]


async def test_words_of_a_course_that_was_folded_are_there_already(
    bus: Bus, moments: History
) -> None:
    """The same where the timeline was made before; numbers that are not there yet find nothing."""
    await moments.timeline("a")
    assert await matches(moments, "pump") == [3, 2, 1]
    beyond = await moments.find("a", range(1, 99), ["pump"], None, 9)
    assert [record.n for record in beyond or ()] == [1, 2, 3]


async def test_more_than_there_is_room_for_is_not_kept(
    moments: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it says so, and the log is what can be read."""
    monkeypatch.setattr(message_words, "ROOM", 200)
    assert await moments.find("a", range(1, 5), ["pump"], None, 9) is None
    assert not moments._courses["a"].words.is_whole
