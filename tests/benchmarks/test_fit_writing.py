"""Weights of written talk: fitted the same every time, held to priors where data is silent."""

from __future__ import annotations

import json
import random
from pathlib import Path
from shutil import copyfile

import pytest

from benchmarks import fit_writing
from benchmarks.fit_writing import (
    OUT,
    Seen,
    file_with,
    fit_weights,
    main,
    priors,
    seen_units,
)
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


def test_the_order_of_units_changes_nothing() -> None:
    """The search ends nearer to the optimum than sums in another order differ."""
    mixed = random.Random(7).sample(SEEN, len(SEEN))
    assert fit_weights(SEEN, {"please": 50}) == fit_weights(mixed, {"please": 50})


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


# -- made-up talk ------------------------------------------------------------------

PLAN = "Please cache the tokens for an hour."
OTHER = "Ada will wait for the mason."


@pytest.fixture
def talk(corpora: Path, tmp_path: Path) -> Path:
    """Three repositories, a transcript each: a plan, an optional one, a report, a plan again."""
    copyfile(corpora / "score.py", tmp_path / "score.py")
    folder = tmp_path / "agents" / "dev"
    folder.mkdir(parents=True)
    contents = [f"{PLAN}\n\n{OTHER}", f"{OTHER}\n\n{PLAN}", OTHER, f"{PLAN}\n\n{OTHER}"]
    gold: list[dict[str, object]] = [
        {"index": 0, "label": "proposal", "texts": ["Cache the tokens for an hour"]},
        {"index": 1, "label": "proposal", "texts": ["Cache the tokens"], "optional": True},
        {"index": 3, "label": "proposal", "texts": ["Paint the fence"]},
    ]
    for name in ("one", "two", "three"):
        rows: list[dict[str, object]] = [{"repository": f"owner/{name}"}]
        rows += [
            {"index": index, "agent_id": "ada", "timestamp": None, "content": content}
            for index, content in enumerate(contents)
        ]
        for file, lines in {f"{name}.jsonl": rows, f"{name}.gold.jsonl": gold}.items():
            (folder / file).write_text("".join(json.dumps(row) + "\n" for row in lines), "utf-8")
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    monkeypatch.setattr("sys.argv", ["fit_writing", *options])
    main()


def test_units_are_sought_that_say_a_text_of_the_key(talk: Path) -> None:
    """Others weigh half beside a firm one, nothing beside an optional one, 1 elsewhere."""
    seen = [(*each[1:3], each.repository) for each in seen_units(talk / "agents" / "dev")]
    of_a_file = [(True, 1.0), (False, 0.5), (True, 0.5), (False, 1.0), (False, 0.5), (False, 0.5)]
    names = ("owner/one", "owner/three", "owner/two")
    assert seen == [(*each, name) for name in names for each in of_a_file]


def test_units_that_put_nothing_forward_are_not_weighed(talk: Path) -> None:
    for file in (talk / "agents" / "dev").glob("*.jsonl"):
        file.write_text(file.read_text("utf-8").replace(OTHER, "The build was green."), "utf-8")
    seen = seen_units(talk / "agents" / "dev")
    assert [each.sought for each in seen] == [True, True, False] * 3


def test_what_is_written_is_checked(
    talk: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """To the hundredth; the same bytes when fitted again."""
    file = tmp_path / "english.json"
    copyfile(OUT, file)
    monkeypatch.setattr(fit_writing, "OUT", file)
    run(monkeypatch, str(talk))
    written = file.read_bytes()
    run(monkeypatch, str(talk))
    assert file.read_bytes() == written
    run(monkeypatch, str(talk), "--check")
    tree = json.loads(written)
    tree["weights"]["please"] += 1
    file.write_text(file_with(tree["bias"], tree["weights"]), "utf-8")
    with pytest.raises(SystemExit, match="not what the talk of agents fits"):
        run(monkeypatch, str(talk), "--check")


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
