"""The tables of agents' talk: a line for all, for those kept unread, and for each repository."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.extraction_scores import LABELS, STANCES
from benchmarks.markdown_tables import rate, row_of, table

Figures = Mapping[str, Any]


def agents_tables(groups: Figures) -> Iterator[str]:
    """Items, then reactions and statuses; nothing where nothing was measured."""
    if not groups:
        return
    yield from table(
        "agents' talk: messages", "proposals (of)", "P", "R", "F1",
        "decisions (of)", "P", "R", "F1", "single proposals (of)", "P", "R",
        "repeats (of)", "P", "R", "invented votes, per 200",
    )  # fmt: skip
    for name, row in groups.items():
        single, again = row["single_proposals"], row["repeats"]
        yield row_of(
            name, row["messages"], *(cell for label in LABELS for cell in _items(row[label])),
            f"{single['right']} ({single['texts']})", rate(single["P"]), rate(single["R"]),
            f"{again['hit']} ({again['gold']})", rate(again["P"]), rate(again["R"]),
            row["invented_votes"]["per_200"],
        )  # fmt: skip
    yield from table(
        "agents' talk: reactions", "both right", "their precision",
        *(f"recall: {stance} (of)" for stance in STANCES), "off gold", "statuses", "accuracy",
    )  # fmt: skip
    for name, row in groups.items():
        status = row.get("status", {"n": 0})
        cells = status["n"], rate(status.get("accuracy_all"))
        yield row_of(name, *_reactions(row.get("reaction")), *cells)


def _items(row: Figures) -> Iterator[object]:
    """Hits and what there is to find, and the rates; a dash where nothing was to be found."""
    total = row["tp"] + row["fn"]
    yield f"{row['tp']} ({total})"
    yield rate(row["P"] if row["tp"] + row["fp"] else None)
    yield rate(row["R"] if total else None)
    yield rate(row["F1"] if total else None)


def _reactions(row: Figures | None) -> Iterator[object]:
    if row is None:
        yield from (0, *["–"] * (len(STANCES) + 3))
        return
    yield row["gold"]
    yield rate(row["right_both"])
    yield rate(row["precision"])
    for stance in STANCES:
        recall, total = row["recall_by_stance"][stance], row["gold_by_stance"][stance]
        yield f"{rate(recall)} ({total})"
    yield row["off_gold"]
