"""Spans of time as people write and read them."""

from __future__ import annotations

import pytest

from parley.server.basics.durations import duration_text, parse_duration
from parley.server.basics.errors import Misuse


@pytest.mark.parametrize(("text", "seconds"), [
    ("90", 90), ("90s", 90), ("30m", 1_800), ("2h", 7_200), (" 1D ", 86_400), ("1w", 604_800),
    ("1h30m", 5_400), ("1d 12h", 129_600),
])  # fmt: skip
def test_a_time_is_read(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5h", "soon", "h", "1y", "\u0661h", "1h 30"])
def test_what_is_no_time_is_refused_with_what_is(text: str) -> None:
    with pytest.raises(Misuse, match="write 90s, 30m, 2h, 1d or 1h30m"):
        parse_duration(text)


@pytest.mark.parametrize(("seconds", "words"), [
    (1, "1 second"), (90, "1 minute 30 seconds"), (7_200, "2 hours"), (90_061, "1 day 1 hour"),
    (0, "0 seconds"),
])  # fmt: skip
def test_a_time_is_said_in_its_two_largest_units(seconds: int, words: str) -> None:
    assert duration_text(seconds) == words
