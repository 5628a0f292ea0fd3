"""Weights of written talk: fitted the same every time, held to priors where data is silent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import fit_writing
from benchmarks.fit_writing import OUT, Seen, file_with, fit_weights, main, priors
from tests.support.logs.corpora import ROOT, needs_corpora


def units(count: int, sought: bool, *features: str) -> list[Seen]:
    names = ("one", "two", "three")
    return [
        Seen(frozenset(features), sought, 1.0, names[number % len(names)])
        for number in range(count)
    ]


SEEN = [*units(40, True, "please", ".s"), *units(200, False, "was", ".s"), *units(40, False, ".s")]


def test_the_same_units_give_the_same_weights() -> None:
    assert fit_weights(SEEN, {"please": 50}) == fit_weights(list(SEEN), {"please": 50})


def test_data_moves_a_weight_from_its_prior_and_silence_does_not() -> None:
    _, weights = fit_weights(SEEN, {"please": 50, "kindly": 70})
    assert weights["please"] > 60
    assert weights["kindly"] == 70
    assert weights["was"] < 0


def test_a_word_of_one_repository_is_not_weighed() -> None:
    local = [Seen(frozenset({"zorb"}), True, 1.0, "repository 1")] * 50
    assert "zorb" not in fit_weights([*SEEN, *local], {})[1]


def test_a_file_is_the_shipped_one_with_other_weights() -> None:
    tree = json.loads(file_with(-10, {"b": 2, "a": 1}))
    assert (tree["bias"], tree["weights"]) == (-10, {"a": 1, "b": 2})
    assert tree["rules"] == json.loads(OUT.read_text("utf-8"))["rules"]


def test_priors_are_small_whole_numbers() -> None:
    assert all(abs(weight) <= 300 for weight in priors().values())


@needs_corpora
def test_the_shipped_weights_are_what_the_talk_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["fit_writing", str(ROOT), "--check"])
    main()


@needs_corpora
def test_a_changed_weight_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    changed = tmp_path / "english.json"
    changed.write_text(file_with(0, {}), "utf-8")
    monkeypatch.setattr(fit_writing, "OUT", changed)
    monkeypatch.setattr("sys.argv", ["fit_writing", str(ROOT), "--check"])
    with pytest.raises(SystemExit, match="not what the talk of agents fits"):
        main()
