"""The fit of the scorecards: what it learns, and that it learns the same every time."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fit_scorecards import OUT, Scored, threshold
from benchmarks.logistic import Rows, fit, score

FREE = float("-inf")
ROWS = st.lists(st.tuples(st.frozensets(st.integers(0, 4)), st.booleans()), min_size=1, max_size=12)


def rows(drawn: list[tuple[frozenset[int], bool]]) -> Rows:
    """Rows of equal weight."""
    features = [tuple(sorted(each)) for each, _ in drawn]
    return Rows(features, [sought for _, sought in drawn], [1.0] * len(drawn))


def test_what_goes_with_the_sought_is_weighed_up_and_what_does_not_down() -> None:
    """A feature that only the sought have comes out above 0, its opposite below."""
    made = fit(rows([(frozenset({0}), True), (frozenset({1}), False)] * 20), 1.0, [FREE, FREE])
    assert made[0] > 0.5
    assert made[1] < -0.5
    assert score(made, (0,)) > 0 > score(made, (1,))


@given(ROWS)
def test_a_floor_holds_and_the_same_rows_give_the_same_weights(
    drawn: list[tuple[frozenset[int], bool]],
) -> None:
    """No weight is below its floor; a second fit is equal to the last bit."""
    floors = [0.0, 0.0, FREE, FREE, 0.5]
    start = [0.0, 0.0, 0.0, 0.0, 0.5, 0.0]
    made = fit(rows(drawn), 1.0, floors, start)
    assert all(weight >= floor for weight, floor in zip(made, floors, strict=False))
    assert made == fit(rows(drawn), 1.0, floors, start)


@given(ROWS)
def test_a_fit_ends_where_no_small_step_is_better(
    drawn: list[tuple[frozenset[int], bool]],
) -> None:
    """At the end the slope of what is lost is nearly 0 in every direction."""
    made = fit(rows(drawn), 1.0, [FREE] * 5)
    for each in range(5):
        off = sum(
            1 / (1 + math.exp(-score(made, tuple(sorted(row))))) - sought
            for row, sought in drawn
            if each in row
        )
        assert abs(off + made[each]) < 0.2


def test_the_line_between_yes_and_no_stands_low_on_a_plateau() -> None:
    """Of thresholds that are nearly as good, one that misses less; optional lines do not count."""
    lines = [Scored("irc", 0, at, at > 0, False) for at in (-90, -60, -50, 40, 70, 80)]
    assert threshold([*lines, Scored("irc", 0, -80, True, True)]) == 40


def test_the_shipped_file_is_written_as_the_fit_writes_it() -> None:
    """Sorted keys, one to a line, a newline at its end: `--check` compares bytes."""
    text = OUT.read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=1, sort_keys=True) + "\n"
