"""Which units of a written message propose, by what they weigh."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parley.memory.extraction.writing.chosen_units import (
    WIDEST,
    choose_units,
    propose_together,
    propose_without,
)
from parley.memory.extraction.writing.units import Unit, split_units

SCORED = st.lists(
    st.tuples(
        st.integers(-1300, 300),
        st.booleans(),
        st.sampled_from(["sentence", "heading"]),
    ),
    min_size=1,
    max_size=30,
)


def unit(kind: str, place: int) -> Unit:
    return split_units("# Heading" if kind == "heading" else "A sentence.")[0]._replace(
        start=place, end=place + 1, block=place
    )


@given(SCORED)
def test_units_are_asked_only_as_far_as_it_decides(scored: list[tuple[int, bool, str]]) -> None:
    """The same as of all that put nothing forward, counted for nothing, however few are asked."""
    scores = [score for score, _, _ in scored]
    without = [-WIDEST if unsaid and score > -450 else score for score, unsaid, _ in scored]
    enough = propose_without(scores, lambda index: scored[index][1])
    assert enough is propose_without(without, lambda _: False)
    if enough:
        units = [unit(kind, place) for place, (_, _, kind) in enumerate(scored)]
        chosen = choose_units(units, scores, lambda index: scored[index][1])
        assert chosen == choose_units(units, without)
        assert not any(scored[index][1] for index in chosen)


def test_few_units_are_asked() -> None:
    """The likeliest tell; what is behind them by far is not looked at."""
    asked: set[int] = set()

    def is_unsaid(index: int) -> bool:
        asked.add(index)
        return index == 1

    scores, units = [100, 200, *[-300] * 50], [unit("sentence", place) for place in range(52)]
    assert propose_without(scores, is_unsaid)
    assert choose_units(units, scores, is_unsaid) == [0]
    assert asked == {0, 1}


def test_many_faint_units_do_not_make_a_proposal() -> None:
    """The eight likeliest count, however long the message is."""
    assert not propose_together([-400] * 10_000)
    assert propose_together([-400, 0])
    assert not propose_together([])


def test_the_likeliest_unit_is_chosen_where_none_is_likely() -> None:
    units = split_units("One thing.\n\nAnother thing.")
    assert choose_units(units, [-300, -200]) == [1]
