"""How well a repeated idea is told from another: precision, recall and F1 over labelled pairs.

python -m benchmarks.circling [CORPORA] [--json]

Pairs by hand are those of `benchmarks/data/likeness.txt`. Pairs of a recorded meeting
follow from its gold: the same are a decision and the proposal that it answers, a proposal and
the one that it repeats, a reworded proposal and the most alike of the next 120 lines; others
are all other pairs of its proposals, without those that the gold's rule (half of the words
shared within 120 lines) calls reworded and its labels do not. Half of either was fitted on
(`half` 0), the other half is reported. Gold pairs were told by shared words, so those of
meetings flatter any count of words; the ones by hand do not.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from benchmarks.material import CORPORA
from parley.memory.settings.setting_defaults import EchoSettings
from parley.memory.text.similarity import content_words, fingerprint, measure_resemblance

BY_HAND: Final = Path(__file__).parent / "data" / "likeness.txt"
CURVE: Final = range(100, 1000, 50)
SHIPPED: Final = EchoSettings().similarity
_REWORDED_WITHIN: Final = 120  # lines, as the gold has it


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts, and whether they are one idea. `kind` says how that is known."""

    source: str
    kind: str
    half: int  # 0: fitted on, 1: reported
    same: bool
    first: str
    second: str


def by_hand() -> Iterator[Pair]:
    """The committed pairs; lines of even places were fitted on."""
    lines = BY_HAND.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    for place, (kind, first, second) in enumerate(rows):
        yield Pair("by hand", kind.lower(), place % 2, kind.isupper(), first, second)


def recorded(corpora: Path) -> Iterator[Pair]:
    """The pairs of every meeting below `corpora`/dev, where it is there."""
    for file in sorted((corpora / "dev").glob("*/*.gold.jsonl")):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        half = crc32(file.name.encode()) % 2
        yield from _of_meeting(file.parent.name, half, rows)


def _of_meeting(source: str, half: int, rows: Sequence[dict[str, Any]]) -> Iterator[Pair]:
    offered = {row["index"]: row["content"] for row in rows if row["label"] == "proposal"}
    same: dict[tuple[int, int], str] = {}
    for row in rows:
        if row["label"] == "proposal" and row.get("repeat_of") in offered:
            same[row["repeat_of"], row["index"]] = "repeat"
        elif row["label"] == "status" and "reworded" in row["basis"]:
            if (reworded := _reworded(offered, row["proposal_index"])) is not None:
                same[row["proposal_index"], reworded] = "reworded"
        elif _answers(row, offered):
            text = offered[row["proposal_index"]]
            how = "verbatim" if _flat(text) == _flat(row["content"]) else "reworded"
            yield Pair(source, f"decision, {how}", half, True, text, row["content"])
    for (index, text), (later, later_text) in combinations(sorted(offered.items()), 2):
        kind = same.get((index, later))
        if kind is None and _is_unlabelled(index, text, later, later_text):
            continue
        yield Pair(source, kind or "other proposal", half, kind is not None, text, later_text)


def _answers(row: dict[str, Any], offered: dict[int, str]) -> bool:
    """True of a decision that settles a proposal of another line in its favour."""
    about = row.get("proposal_index")
    return (
        row["label"] == "decision"
        and about in offered
        and about != row["index"]
        and row["outcome"] != "rejected"
    )


def _is_unlabelled(index: int, text: str, later: int, later_text: str) -> bool:
    """True where the gold's own rule would call a pair reworded, had it not been decided."""
    words, later_words = set(content_words(text)), set(content_words(later_text))
    alike = _jaccard(words, later_words)
    return alike == 1000 or (later - index <= _REWORDED_WITHIN and alike >= 500)


def _reworded(offered: dict[int, str], index: int) -> int | None:
    """The proposal of the lines after that has most words of proposal `index`."""
    words = set(content_words(offered.get(index, "")))
    near = [other for other in offered if index < other <= index + _REWORDED_WITHIN]
    scored = [(_jaccard(words, set(content_words(offered[other]))), -other) for other in near]
    best, other = max(scored, default=(0, 0))
    return -other if best >= 400 else None


def _jaccard(first: set[str], second: set[str]) -> int:
    return 1000 * len(first & second) // max(1, len(first | second))


def _flat(text: str) -> str:
    return " ".join(content_words(text))


def figures(scored: Iterable[tuple[int, bool]], at_least: int) -> dict[str, int]:
    """Counts, and per mille of precision, recall and F1, of a threshold."""
    hit = missed = wrong = rest = 0
    for score, same in scored:
        positive = score >= at_least
        hit, missed = hit + (positive and same), missed + (same and not positive)
        wrong, rest = wrong + (positive and not same), rest + (not positive and not same)
    return {
        "same": hit + missed,
        "other": wrong + rest,
        "wrong": wrong,
        "precision": 1000 * hit // max(1, hit + wrong),
        "recall": 1000 * hit // max(1, hit + missed),
        "f1": 2000 * hit // max(1, 2 * hit + missed + wrong),
    }


def report(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Figures by source and half at the shipped threshold, by kind, and the curve of the rest."""
    scored = [
        (pair, measure_resemblance(fingerprint(pair.first), fingerprint(pair.second)))
        for pair in pairs
    ]
    row: dict[str, Any] = {"threshold": SHIPPED, "sources": {}, "kinds": {}, "curves": {}}
    for source in sorted({pair.source for pair in pairs}):
        for half in (0, 1):
            mine = [(score, pair.same) for pair, score in scored
                    if (pair.source, pair.half) == (source, half)]  # fmt: skip
            row["sources"][f"{source}, {'reported' if half else 'fitted on'}"] = figures(
                mine, SHIPPED
            )
        rest = [(score, pair.same) for pair, score in scored
                if (pair.source, pair.half) == (source, 1)]  # fmt: skip
        row["curves"][source] = {step: figures(rest, step) for step in CURVE}
    for kind in sorted({(pair.source, pair.kind) for pair in pairs}):
        mine = [(score, pair.same) for pair, score in scored
                if (pair.source, pair.kind, pair.half) == (*kind, 1)]  # fmt: skip
        recognised = sum(score >= SHIPPED for score, _ in mine)
        row["kinds"][", ".join(kind)] = {"pairs": len(mine), "found": recognised}
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="?", type=Path, default=CORPORA)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures_report = report([*by_hand(), *recorded(given.corpora)])
    if given.json:
        print(json.dumps(figures_report))
        return
    print(f"threshold {figures_report['threshold']}; precision, recall, F1 per mille")
    for name, row in figures_report["sources"].items():
        print(f"  {name:<20} {as_line(row)}")
    print("kinds, of the half that is reported: pairs, found alike")
    for name, row in figures_report["kinds"].items():
        print(f"  {name:<26} {row['pairs']:>6} {row['found']:>6}")
    for source, curve in figures_report["curves"].items():
        print(f"curve, {source}, reported half")
        for step, row in curve.items():
            print(f"  {step:>4} {as_line(row)}")


def as_line(row: dict[str, int]) -> str:
    """Precision, recall and F1 per mille, and the counts, on one line."""
    rates = f"P {row['precision']:>4}  R {row['recall']:>4}  F1 {row['f1']:>4}"
    return f"{rates}  ({row['same']} same, {row['other']} other, {row['wrong']} wrongly alike)"


if __name__ == "__main__":
    main()
