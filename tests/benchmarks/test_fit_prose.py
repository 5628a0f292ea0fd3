"""Tables of prose: fitted the same every time, on signs that several repositories show."""

from __future__ import annotations

import random

import pytest

from benchmarks import fit_prose
from benchmarks.fit_prose import (
    FOLDS,
    OUT,
    Example,
    Scored,
    best_level,
    certainties,
    even_level,
    fit_head,
    fold_of,
    main,
)
from benchmarks.material import CORPORA
from parley.memory.extraction.writing.chosen_units import ODDS
from tests.support.logs.corpora import needs_corpora

OWNERS = ("one", "two", "three")


def examples(count: int, sought: bool, *signs: str) -> list[Example]:
    return [
        Example(frozenset(signs), sought, 1.0, OWNERS[number % len(OWNERS)])
        for number in range(count)
    ]


SEEN = [
    *examples(40, True, "+should", ".item"),
    *examples(200, False, "+done", ".item"),
    *examples(40, False, ".item"),
]


def test_the_order_of_examples_changes_nothing() -> None:
    mixed = random.Random(7).sample(SEEN, len(SEEN))
    assert fit_head(SEEN, 3.0) == fit_head(mixed, 3.0) == fit_head(list(SEEN), 3.0)


def test_weights_follow_the_examples() -> None:
    weights = fit_head(SEEN, 3.0)
    assert weights["+should"] > 100
    assert weights["+done"] < 0
    assert weights[""] < 0


def test_a_sign_of_one_repository_is_not_weighed() -> None:
    local = [Example(frozenset({"word zorb"}), True, 1.0, "one")] * 50
    assert "word zorb" not in fit_head([*SEEN, *local], 3.0)


def test_a_repository_is_always_in_the_same_part() -> None:
    parts = {fold_of(f"owner/{number}") for number in range(200)}
    assert parts == set(range(FOLDS))


def test_levels_come_of_what_was_left_out() -> None:
    """The best one ends where wrong ones outweigh; certainty is below the share that was right."""
    scored = [
        Scored(ODDS[score], right, "one")
        for score, right in [(300, True)] * 30 + [(100, True)] * 20 + [(-100, False)] * 60
    ]
    assert -100 < best_level(scored) <= 100
    levels = certainties(scored)
    assert levels[-1][1] == 1000
    assert levels[0][1] < 1000 * 50 // 110


def test_sides_are_read_from_where_they_are_right_as_often_as_not() -> None:
    scored = [
        Scored(ODDS[score], right, "one")
        for score, right in [(300, True)] * 12 + [(100, False)] * 12 + [(-100, False)] * 3
    ]
    assert -100 < even_level(scored) <= 100
    assert even_level([]) == even_level(scored[12:]) > 300


def test_nothing_is_fitted_where_there_is_no_talk(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("empty")
    monkeypatch.setattr("sys.argv", ["fit_prose", str(folder)])
    with pytest.raises(SystemExit, match="nothing fitted"):
        main()


@needs_corpora
@pytest.mark.long
def test_the_shipped_tables_are_those_of_the_talk() -> None:
    """Three minutes on two processors."""
    assert fit_prose.file_text(CORPORA) == OUT.read_text("utf-8")
