"""How well recorded meetings are read, by the scorer that lies beside them.

Every third meeting by name, and all of them in the long run. The scorecards were fitted on
these very meetings: the floors hold the product to what it does, docs/extraction.md says
what to expect elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.extraction import main, predict
from benchmarks.extraction_page import BEGIN, END, stamp, write
from benchmarks.extraction_scores import figures
from benchmarks.recorded import EXPLICIT, STRIPPED, recorded

PAGE = Path(__file__).parents[2] / "docs" / "extraction.md"
LABELS = ("proposal", "decision")
# F1 of proposals and of decisions at the exact message, and reactions off gold per 100 messages.
FLOORS = {
    ("irc", STRIPPED): (0.89, 0.95, 0.6),
    ("irc", EXPLICIT): (0.98, 0.98, 0.3),
    ("wg", STRIPPED): (0.86, 0.91, 1.6),
    ("wg", EXPLICIT): (0.97, 0.98, 0.8),
}

SLACK = 0.02  # of a third of the meetings, whose items are too few to stand for all

EVERY = [
    pytest.param(3, id="third"),
    pytest.param(1, id="all", marks=pytest.mark.long),
]  # fmt: skip
CORPUS = pytest.mark.parametrize("corpus", ["irc", "wg"])


def measured(corpora: Path, corpus: str, step: int, out: Path) -> dict[str, dict[str, Any]]:
    """The figures of every `step`th meeting of a corpus, by variant."""
    names = sorted({meeting.name for meeting in recorded(corpora / "dev" / corpus)})[::step]
    read = [predict(out, {}, meeting) for meeting in recorded(corpora / "dev" / corpus)
            if meeting.name in names]  # fmt: skip
    return {
        variant: figures([meeting for meeting in read if meeting.meeting.variant == variant])
        for variant in (STRIPPED, EXPLICIT)
    }


@CORPUS
@pytest.mark.parametrize("step", EVERY)
def test_recorded_meetings_are_read_well(
    corpora: Path, corpus: str, step: int, tmp_path: Path
) -> None:
    """Items are found at the exact message, with the marks of their minutes and without."""
    for variant, row in measured(corpora, corpus, step, tmp_path).items():
        proposals, decisions, off_gold = FLOORS[corpus, variant]
        slack = 0.0 if step == 1 else SLACK
        print(corpus, variant, row)
        assert row["proposal"]["F1"] >= proposals - slack
        assert row["decision"]["F1"] >= decisions - slack
        assert row["reaction"]["off_gold_per_100"] <= off_gold
        both = 0.99 if variant == EXPLICIT else 0.92 - slack
        assert row["reaction"]["right_both"] >= both
        assert row["decision_link_accuracy"]["acc"] >= 0.98


def block() -> str:
    """What stands between the comment lines of docs/extraction.md."""
    return PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]


def rows(text: str, head: str) -> list[list[str]]:
    """The cells of the table whose heading has `head`."""
    for table in text.split("\n\n"):
        lines = [line.strip("| ").split(" | ") for line in table.splitlines() if "|" in line]
        if lines and head in table.splitlines()[0]:
            return lines[2:]
    return []


def test_the_page_states_figures_that_follow_from_its_counts() -> None:
    """Command and commit are there, and precision, recall and F1 are those of the counts."""
    assert "`python -m benchmarks.extraction --cross-validate`" in block()
    figures = rows(block(), "F1 by part")
    assert {(row[0], row[3]) for row in figures} == {
        (name, label)
        for name in (
            "irc, stripped",
            "irc, explicit",
            "wg, stripped",
            "wg, explicit",
        )
        for label in LABELS
    }
    for row in figures:
        right, wrong, missed = (int(cell) for cell in row[4:7])
        precision, recall, f1 = (float(cell) for cell in row[7:10])
        assert precision == pytest.approx(right / (right + wrong), abs=0.001)
        assert recall == pytest.approx(right / (right + missed), abs=0.001)
        assert f1 == pytest.approx(2 * right / (2 * right + wrong + missed), abs=0.001)
        low, high = (float(cell) for cell in row[10].split("–"))
        assert low <= f1 <= high


def test_figures_go_between_the_lines_that_are_theirs(tmp_path: Path) -> None:
    """What is around them stays."""
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n{BEGIN}\nleft over\n{END}\nafter\n", "utf-8")
    write(page, {**stamp(cross_validated=True), "corpora": {}})
    head, _, rest = page.read_text("utf-8").partition(BEGIN)
    filled, _, tail = rest.partition(END)
    assert (head, tail) == ("# Page\n", "\nafter\n")
    assert "--cross-validate`, commit" in filled
    assert "left over" not in filled


def test_a_page_without_the_lines_is_left_as_it_is(tmp_path: Path) -> None:
    """Nothing is written, and the message names the line that lacks."""
    page = tmp_path / "page.md"
    page.write_text("# Page\n", "utf-8")
    with pytest.raises(SystemExit, match="figures of the cross-validated scorecards"):
        write(page, {**stamp(cross_validated=True), "corpora": {}})
    assert page.read_text("utf-8") == "# Page\n"


def test_a_page_shows_no_figures_of_what_was_fitted_on_the_talk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["extraction", "--write", "page.md"])
    with pytest.raises(SystemExit):
        main()
    assert "--write goes with --cross-validate" in capsys.readouterr().err


def test_without_corpora_the_benchmark_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, and no failure: they are not part of the project."""
    monkeypatch.setattr("benchmarks.extraction.CORPORA", tmp_path / "none")
    monkeypatch.setattr("sys.argv", ["extraction"])
    main()
    assert "nothing measured; set PARLEY_CORPORA" in capsys.readouterr().out


def test_a_folder_without_answers_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is named and holds no meetings with answers is a mistake of the caller."""
    monkeypatch.setattr("sys.argv", ["extraction", str(tmp_path)])
    with pytest.raises(SystemExit, match="no meetings with answers"):
        main()
