"""How agents' talk is read without a model: firm items, and candidates with them, by set of talk.

python -m benchmarks.prose [--json]

Each repository is read by tables that were fitted without its part of the corpus, thresholds and
certainties included; the scorer is the corpora's own. Wordings (`extraction.writing`) were written
by readers of the set `dev`: on that they say little of other talk.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Final

import orjson

from benchmarks.extraction_scores import merge_statuses
from benchmarks.fit_prose import fitted, fold_of, left_out_tables
from benchmarks.material import CORPORA
from benchmarks.model_reading import talks
from benchmarks.prose_cases import repository_of
from benchmarks.recorded import Row, scorer
from parley.memory.extraction.prose.prose_tables import use_tables
from parley.server.records.transcript_analysis import analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript

ALL: Final = "all"
SHELVES: Final = ("firm", "with candidates")

Figures = dict[tuple[str, str], dict[str, Any]]


def left_out_figures() -> Figures:
    """Precision, recall and F1 by set of talk and shelf."""
    corpus, heads, _, scored = fitted(CORPORA)
    tables = left_out_tables(heads, scored)
    score = scorer(corpus.talks[0].key)
    counts: defaultdict[tuple[str, str], Counter[Any]] = defaultdict(Counter)
    for talk in corpus.talks:
        _, *messages = talk.rows()
        with use_tables(tables[fold_of(repository_of(talk))]):
            analysis = analyze(parse_transcript(talk.transcript()), resolve_defaults({}, {}))
        rows: list[Row] = orjson.loads(orjson.dumps(analysis.items()))
        for shelf, some in zip(SHELVES, (_firm(rows), _together(rows)), strict=True):
            for name in (talk.key.parent.name, ALL):
                found = merge_statuses(some)
                score.score_one(found, talk.gold(), 0, counts[name, shelf], len(messages))
    return {key: score.report(each, 0, 1) for key, each in counts.items()}


def _firm(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["label"] != "candidate"]


def _together(rows: Sequence[Row]) -> list[Row]:
    return [{**row, "label": row["kind"]} if row["label"] == "candidate" else row for row in rows]


def table(figures: Figures) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| talk | shelf | proposals P / R / F1 | decisions P / R / F1 | right proposal and side: "
        "recall @ precision | opposition, recall |",
        "|---|---|---|---|---|---|",
    ]
    for (name, shelf), row in figures.items():
        side = row.get("reaction", {})
        cells = [name, shelf]
        cells += [
            " / ".join(f"{row[label][part]:.2f}" for part in ("P", "R", "F1"))
            for label in ("proposal", "decision")
        ]
        cells.append(f"{side.get('right_both') or 0:.2f} @ {side.get('precision') or 0:.2f}")
        cells.append(f"{side.get('recall_by_stance', {}).get('oppose') or 0:.2f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, read, score, print: a minute on two processors."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.prose", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    if not talks(CORPORA):
        print(f"no agents' talk at {CORPORA}: nothing measured; set PARLEY_CORPORA to its folder")
        return
    figures = left_out_figures()
    rows = {f"{name}, {shelf}": row for (name, shelf), row in figures.items()}
    print(json.dumps(rows) if asked.json else table(figures))


if __name__ == "__main__":
    main()
