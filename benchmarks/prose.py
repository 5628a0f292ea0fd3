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
from typing import Any, Final, NamedTuple

import orjson

from benchmarks.extraction_scores import merge_statuses
from benchmarks.fit_prose import SIDES, Scored, fitted, fold_of, left_out_tables
from benchmarks.material import CORPORA
from benchmarks.model_reading import talks
from benchmarks.prose_cases import repository_of
from benchmarks.recorded import Row, scorer
from parley.memory.extraction.prose.prose_tables import use_tables
from parley.memory.extraction.writing.chosen_units import ODDS
from parley.server.records.transcript_analysis import analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript

ALL: Final = "all"
SHELVES: Final = ("firm", "with candidates")
_LEVELS: Final = range(-150, 126, 25)  # scores at which likely sides are shown

Figures = dict[tuple[str, str], dict[str, Any]]


class SideCounts(NamedTuple):
    """How many sides were read on proposals of a key, and how many say what it says."""

    read: int = 0
    right: int = 0
    opposite: int = 0  # for what the key is against, or the other way round
    against: int = 0  # of those read
    right_against: int = 0

    def plus(self, other: SideCounts) -> SideCounts:
        return SideCounts(*map(sum, zip(self, other, strict=True)))


def count_sides(found: Sequence[Row], gold: Sequence[Row]) -> SideCounts:
    """Judge sides as the scorer does: exact message, one a message and proposing message."""
    proposing = {row["index"] for row in gold if row["label"] == "proposal"}
    key = {
        (row["index"], row["proposal_index"]): row["stance"]
        for row in gold
        if row["label"] == "reaction"
    }
    said: dict[tuple[int, int], str] = {}
    for row in found:
        if row["label"] == "reaction" and row.get("proposal_index") in proposing:
            said.setdefault((row["index"], row["proposal_index"]), row["stance"])
    pairs = [(stance, key.get(where)) for where, stance in said.items()]
    return SideCounts(
        len(pairs),
        sum(stance == of_key for stance, of_key in pairs),
        sum({stance, of_key} == {"support", "oppose"} for stance, of_key in pairs),
        sum(stance == "oppose" for stance, _ in pairs),
        sum(stance == of_key == "oppose" for stance, of_key in pairs),
    )


def left_out_figures() -> tuple[Figures, list[Scored]]:
    """Precision, recall and F1 by set of talk and shelf; what likely sides come to."""
    corpus, heads, _, scored = fitted(CORPORA)
    tables = left_out_tables(heads, scored)
    score = scorer(corpus.talks[0].key)
    counts: defaultdict[tuple[str, str], Counter[Any]] = defaultdict(Counter)
    sides: defaultdict[tuple[str, str], SideCounts] = defaultdict(SideCounts)
    for talk in corpus.talks:
        _, *messages = talk.rows()
        with use_tables(tables[fold_of(repository_of(talk))]):
            analysis = analyze(parse_transcript(talk.transcript()), resolve_defaults({}, {}))
        rows: list[Row] = orjson.loads(orjson.dumps(analysis.items()))
        for shelf, some in zip(SHELVES, (_firm(rows), _together(rows)), strict=True):
            for name in (talk.key.parent.name, ALL):
                found = merge_statuses(some)
                score.score_one(found, talk.gold(), 0, counts[name, shelf], len(messages))
                sides[name, shelf] = sides[name, shelf].plus(count_sides(found, talk.gold()))
    figures = {
        key: {**score.report(each, 0, 1), "sides": sides[key]._asdict()}
        for key, each in counts.items()
    }
    return figures, scored[SIDES]


def _firm(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["label"] != "candidate"]


def _together(rows: Sequence[Row]) -> list[Row]:
    return [{**row, "label": row["kind"]} if row["label"] == "candidate" else row for row in rows]


def table(figures: Figures) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| talk | shelf | proposals P / R / F1 | decisions P / R / F1 | right proposal and side: "
        "recall @ precision | opposition: recall @ precision | sides read, opposite to the key |",
        "|---|---|---|---|---|---|---|",
    ]
    for (name, shelf), row in figures.items():
        side = row.get("reaction", {})
        cells = [name, shelf]
        cells += [
            " / ".join(f"{row[label][part]:.2f}" for part in ("P", "R", "F1"))
            for label in ("proposal", "decision")
        ]
        cells.append(f"{side.get('right_both') or 0:.2f} @ {side.get('precision') or 0:.2f}")
        read = SideCounts(**row["sides"])
        against = side.get("recall_by_stance", {}).get("oppose") or 0
        cells.append(f"{against:.2f} @ {read.right_against / max(1, read.against):.2f}")
        cells.append(f"{read.read}, {read.opposite}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def side_curve(scored: Sequence[Scored]) -> str:
    """The likely sides alone, as a Markdown table: how many are right from which score on."""
    known = [each for each in scored if each.right is not None]
    wanted = sum(each.right is True for each in known)
    lines = ["| likely sides from | read | right | of all |", "|---|---|---|---|"]
    for level in _LEVELS:
        read = [each.right is True for each in known if each.odds >= ODDS[level]]
        right = sum(read) / max(1, len(read))
        lines.append(f"| {level} | {len(read)} | {right:.2f} | {sum(read) / max(1, wanted):.2f} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, read, score, print: two minutes on two processors."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.prose", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    if not talks(CORPORA):
        print(f"no agents' talk at {CORPORA}: nothing measured; set PARLEY_CORPORA to its folder")
        return
    figures, scored = left_out_figures()
    rows = {f"{name}, {shelf}": row for (name, shelf), row in figures.items()}
    print(json.dumps(rows) if asked.json else f"{table(figures)}\n\n{side_curve(scored)}")


if __name__ == "__main__":
    main()
