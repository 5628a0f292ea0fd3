"""The figures of extraction as Markdown, and the blocks of a page that hold them."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.extraction_scores import LABELS, STANCES

COMMAND: Final = "python -m benchmarks.extraction"
SHIPPED: Final = "shipped"
CROSS_VALIDATED: Final = "cross-validated"
END: Final = "<!-- end of figures -->"

Figures = Mapping[str, Any]


def begin(cards: str) -> str:
    """The comment line above the figures of `cards`; `END` is the one below."""
    return f"<!-- figures of the {cards} scorecards: written by --write -->"


def stamp(cross_validated: bool) -> dict[str, Any]:
    """What was measured with what: put before the figures."""
    made = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return {
        "cards": CROSS_VALIDATED if cross_validated else SHIPPED,
        "command": COMMAND + (" --cross-validate" if cross_validated else ""),
        "commit": made.stdout.strip() or "unknown",
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }


def write(page: Path, found: Figures) -> None:
    """Put the figures between the two comment lines of `page` that are theirs; exits without."""
    text = page.read_text("utf-8") if page.is_file() else ""
    head, first, rest = text.partition(begin(found["cards"]))
    _, last, tail = rest.partition(END)
    if not first or not last:
        sys.exit(f"{page} has no lines {begin(found['cards'])!r} and {END!r}: put them in")
    page.write_text(f"{head}{first}\n\n{markdown(found)}\n{last}{tail}", "utf-8")


def markdown(found: Figures) -> str:
    """All tables, with the command and the commit."""
    said = f"`{found['command']}`, commit {found['commit']}, Python {found['python']}."
    return "\n".join([said, *_tables(found["corpora"]), *_cost(found.get("cost", {}))]) + "\n"


def _tables(corpora: Figures) -> Iterator[str]:
    yield from _table(
        "meetings", "messages", "label", "right", "wrong", "missed", "P", "R", "F1", "F1 by part"
    )
    for name, figures in corpora.items():
        for label in LABELS:
            row, parts = figures[label], figures[label]["by_part"]
            spread = f"{_rate(parts[0])}–{_rate(parts[-1])}" if parts else "–"
            yield _row(
                name, figures["meetings"], figures["messages"], label, row["tp"], row["fp"],
                row["fn"], *(_rate(row[each]) for each in ("P", "R", "F1")), spread,
            )  # fmt: skip
    yield from _hows(corpora)
    yield from _reactions(corpora)
    yield from _links(corpora)


def _hows(corpora: Figures) -> Iterator[str]:
    yield from _table("label", "how", "right", "wrong", "optional", "P", "share of the hits")
    for name, figures in corpora.items():
        for label in LABELS:
            for how, row in figures[label]["by_how"].items():
                yield _row(name, label, how, row["right"], row["wrong"], row["optional"],
                           _rate(row["precision"]), _rate(row["share_of_hits"]))  # fmt: skip


def _reactions(corpora: Figures) -> Iterator[str]:
    yield from _table("reactions", "both right", "their precision",
                      *(f"recall: {stance} (of)" for stance in STANCES),
                      "off gold, per 100 messages")  # fmt: skip
    for name, figures in corpora.items():
        if (row := figures.get("reaction")) is not None:
            recall, of = row["recall_by_stance"], row["gold_by_stance"]
            yield _row(name, row["gold"], _rate(row["right_both"]), _rate(row["precision"]),
                       *(f"{_rate(recall[each])} ({of[each]})" for each in STANCES),
                       row["off_gold_per_100"])  # fmt: skip


def _links(corpora: Figures) -> Iterator[str]:
    if not any("status" in figures for figures in corpora.values()):
        return
    yield from _table("decisions linked", "to the right proposal", "statuses", "accuracy",
                      "accepted", "told accepted")  # fmt: skip
    for name, figures in corpora.items():
        link, status = figures.get("decision_link_accuracy"), figures.get("status")
        if status is not None:
            accepted = status["accepted"]
            yield _row(name, link["n"] if link else 0, _rate(link["acc"] if link else None),
                       status["n"], _rate(status["accuracy_all"]), accepted["n"],
                       _rate(accepted["accuracy"]))  # fmt: skip


_COSTS: Final = {
    "first": "first time",
    "again": "again",
    "blind": "no line passes the gate",
    "bare": "and no patterns",
    "on_others": "other messages",
    "on_candidates": "lines in the window",
    "on_votes": "votes",
}


def _cost(corpora: Figures) -> Iterator[str]:
    if not corpora:
        return
    yield "\nMicroseconds of processor time a message, folding with extraction: the first time,"
    yield "then medians of several."
    yield from _table("messages", *_COSTS.values())
    for name, row in corpora.items():
        yield _row(name, row["messages"], *(row[each] for each in _COSTS))


def _table(*heads: str) -> Iterator[str]:
    yield "\n" + _row("", *heads)
    yield _row(*["---"] * (len(heads) + 1))


def _row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _rate(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"
