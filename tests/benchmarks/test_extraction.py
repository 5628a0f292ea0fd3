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
from benchmarks.extraction_page import (
    BEGIN_AGENTS,
    CROSS_VALIDATED,
    END,
    SHIPPED,
    begin,
    stamp,
    write,
)
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


def blocks() -> dict[str, str]:
    """What stands between the comment lines of docs/extraction.md."""
    text = PAGE.read_text("utf-8")
    return {
        cards: text.partition(begin(cards))[2].partition(END)[0]
        for cards in (CROSS_VALIDATED, SHIPPED)
    }


def rows(block: str, head: str) -> list[list[str]]:
    """The cells of the table whose heading has `head`."""
    for table in block.split("\n\n"):
        lines = [line.strip("| ").split(" | ") for line in table.splitlines() if "|" in line]
        if lines and head in table.splitlines()[0]:
            return lines[2:]
    return []


@pytest.mark.parametrize("cards", [CROSS_VALIDATED, SHIPPED])
def test_the_page_states_figures_that_follow_from_its_counts(cards: str) -> None:
    """Command and commit are there, and precision, recall and F1 are those of the counts."""
    block = blocks()[cards]
    assert "`python -m benchmarks.extraction" in block
    assert ("--cross-validate" in block) is (cards == CROSS_VALIDATED)
    figures = rows(block, "F1 by part")
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
    """The block of the one kind of scorecards is filled, what is around it stays."""
    page = tmp_path / "page.md"
    parts = [
        "# Page",
        begin(CROSS_VALIDATED),
        "left over",
        END,
        "between",
        begin(SHIPPED),
        END,
        "after",
    ]
    page.write_text("\n".join(parts), "utf-8")
    write(page, {**stamp(cross_validated=True), "corpora": {}})
    head, _, rest = page.read_text("utf-8").partition(begin(CROSS_VALIDATED))
    filled, _, tail = rest.partition(END)
    assert head == "# Page\n"
    assert "--cross-validate`, commit" in filled
    assert "left over" not in filled
    assert tail == "\n" + "\n".join(parts[4:])


def test_agents_talk_has_a_place_of_its_own_in_a_page(tmp_path: Path) -> None:
    """Cross-validated alone; the figures of meetings stay as they are."""
    page = tmp_path / "page.md"
    text = f"{BEGIN_AGENTS}\n{END}\n{begin(CROSS_VALIDATED)}\nleft over\n{END}\n"
    page.write_text(text, "utf-8")
    items = {"tp": 1, "fp": 0, "fn": 0, "P": 1.0, "R": 1.0, "F1": 1.0}
    row = {
        "messages": 3, "proposal": items, "decision": items,
        "single_proposals": {"right": 1, "texts": 1, "P": 1.0, "R": 1.0},
        "repeats": {"hit": 0, "gold": 0, "P": None, "R": None}, "invented_votes": {"per_200": 0},
    }  # fmt: skip
    talk = {"corpora": {}, "agents": {"all": row, "owner/name": row}}
    write(page, {**stamp(cross_validated=False, agents=True), **talk})
    assert page.read_text("utf-8") == text
    write(page, {**stamp(cross_validated=True, agents=True), **talk})
    agents, _, meetings = page.read_text("utf-8").partition(END)
    assert "--agents --cross-validate`, commit" in agents
    assert "| all | 3 | 1 (1) |" in agents
    assert "owner" not in agents
    assert meetings == text.partition(END)[2]


def test_a_page_without_the_lines_is_left_as_it_is(tmp_path: Path) -> None:
    """Nothing is written, and the message names the line that lacks."""
    page = tmp_path / "page.md"
    page.write_text("# Page\n", "utf-8")
    with pytest.raises(SystemExit, match="figures of the shipped scorecards"):
        write(page, {**stamp(cross_validated=False), "corpora": {}})
    assert page.read_text("utf-8") == "# Page\n"


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
