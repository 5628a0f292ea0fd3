"""How long a call may take, by the setting and by what was measured."""

from __future__ import annotations

from parley.listeners.models.patience import MEASURED, REMEMBERED, Patience


def test_until_an_endpoint_is_known_a_call_has_all_the_time_there_is() -> None:
    patience = Patience(60)
    for _ in range(MEASURED - 1):
        patience.record("evaluate", 1.0)
    assert patience.seconds("evaluate", 6) == 60


def test_what_was_measured_shortens_the_wait_but_never_below_what_the_session_gives() -> None:
    """Each purpose by its own answers, and by the slowest of the last few."""
    patience = Patience(60)
    for seconds in (1.0, 3.0, 2.0):
        patience.record("evaluate", seconds)
    assert patience.seconds("evaluate", 6) == 12
    assert patience.seconds("evaluate", 20) == 20
    assert patience.seconds("draft", 6) == 60
    patience.record("evaluate", 50.0)
    assert patience.seconds("evaluate", 6) == 60
    for _ in range(REMEMBERED):
        patience.record("evaluate", 1.0)
    assert patience.seconds("evaluate", 2) == 4


def test_after_a_late_call_the_next_has_all_the_time_again() -> None:
    patience = Patience(60)
    for _ in range(MEASURED):
        patience.record("evaluate", 1.0)
    patience.record_late("evaluate")
    assert patience.seconds("evaluate", 2) == 60


def test_a_session_that_gives_more_than_the_patience_is_obeyed() -> None:
    assert Patience(2).seconds("ballot", 30) == 30


def test_a_seat_says_no_more_than_a_seat_may() -> None:
    assert Patience(60).answer_ms == 66_000
    assert Patience(3600).answer_ms == 3_600_000
