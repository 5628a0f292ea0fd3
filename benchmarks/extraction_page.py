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
from benchmarks.markdown_tables import rate, row_of, table

COMMAND: Final = "python -m benchmarks.extraction"
BEGIN: Final = "<!-- figures of the cross-validated scorecards: written by --write -->"
END: Final = "<!-- end of figures -->"

Figures = Mapping[str, Any]


def stamp(cross_validated: bool) -> dict[str, Any]:
    """What was measured with what: put before the figures."""
    made = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return {
        "command": COMMAND + " --cross-validate" * cross_validated,
        "commit": made.stdout.strip() or "unknown",
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }


def write(page: Path, figures: Figures) -> None:
    """Put the figures between the comment lines of `page`; exits if it has none."""
    text = page.read_text("utf-8") if page.is_file() else ""
    head, first, rest = text.partition(BEGIN)
    _, last, tail = rest.partition(END)
    if not first or not last:
        sys.exit(f"{page} has no lines {BEGIN!r} and {END!r}: put them in")
    page.write_text(f"{head}{first}\n\n{markdown(figures)}\n{last}{tail}", "utf-8")


def markdown(figures: Figures) -> str:
    """All tables, with the command and the commit."""
    provenance = f"`{figures['command']}`, commit {figures['commit']}, Python {figures['python']}."
    lines = [provenance, *_tables(figures["corpora"]), *_cost(figures.get("cost", {}))]
    return "\n".join(lines) + "\n"


def _tables(corpora: Figures) -> Iterator[str]:
    if not corpora:
        return
    yield from table(
        "meetings", "messages", "label", "right", "wrong", "missed", "P", "R", "F1", "F1 by part"
    )
    for name, figures in corpora.items():
        for label in LABELS:
            row, parts = figures[label], figures[label]["by_part"]
            spread = f"{rate(parts[0])}–{rate(parts[-1])}" if parts else "–"
            yield row_of(
                name, figures["meetings"], figures["messages"], label, row["tp"], row["fp"],
                row["fn"], *(rate(row[each]) for each in ("P", "R", "F1")), spread,
            )  # fmt: skip
    yield from _hows(corpora)
    yield from _reactions(corpora)
    yield from _links(corpora)


def _hows(corpora: Figures) -> Iterator[str]:
    yield from table("label", "how", "right", "wrong", "optional", "P", "share of the hits")
    for name, figures in corpora.items():
        for label in LABELS:
            for how, row in figures[label]["by_how"].items():
                yield row_of(name, label, how, row["right"], row["wrong"], row["optional"],
                           rate(row["precision"]), rate(row["share_of_hits"]))  # fmt: skip


def _reactions(corpora: Figures) -> Iterator[str]:
    yield from table("reactions", "both right", "their precision",
                      *(f"recall: {stance} (of)" for stance in STANCES),
                      "off gold, per 100 messages")  # fmt: skip
    for name, figures in corpora.items():
        if (row := figures.get("reaction")) is not None:
            recall, of = row["recall_by_stance"], row["gold_by_stance"]
            yield row_of(name, row["gold"], rate(row["right_both"]), rate(row["precision"]),
                       *(f"{rate(recall[each])} ({of[each]})" for each in STANCES),
                       row["off_gold_per_100"])  # fmt: skip


def _links(corpora: Figures) -> Iterator[str]:
    if not any("status" in figures for figures in corpora.values()):
        return
    yield from table("decisions linked", "to the right proposal", "statuses", "accuracy",
                      "accepted", "told accepted")  # fmt: skip
    for name, figures in corpora.items():
        link, status = figures.get("decision_link_accuracy"), figures.get("status")
        if status is not None:
            accepted = status["accepted"]
            yield row_of(name, link["n"] if link else 0, rate(link["acc"] if link else None),
                       status["n"], rate(status["accuracy_all"]), accepted["n"],
                       rate(accepted["accuracy"]))  # fmt: skip


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
    yield from table("messages", *_COSTS.values())
    for name, row in corpora.items():
        yield row_of(name, row["messages"], *(row[each] for each in _COSTS))
