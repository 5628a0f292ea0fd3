"""Fit the weights of written talk on recorded talk of agents.

`python -m benchmarks.fit_writing [CORPORA]` writes "bias" and "weights" of english.json in
memory/extraction/writing, the same bytes every time; with `--check` it writes nothing and fails
where they differ.

Sought are the units (sentences, items, headings, rows) that say a text of the answer key: of each
text the one with the largest share of its stems, at least a third, the shortest of equals. Units of
messages without a proposal are not sought, nor the others of messages with one, at half weight. A
participant's name is no feature of the talk that he takes part in. A logistic regression holds the
weights to the file's "priors", 0 for the rest: words that three repositories have and six units.
What data says moves them from there. Priors are wordings of proposals and reports with a weight
each, set by hand by one who had read most of this talk and earlier fits of it: leaving a repository
out leaves them as they are.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.extraction_scores import is_optional
from benchmarks.lbfgs import descend
from benchmarks.material import CORPORA, ROOT
from benchmarks.prose_cases import sought_units
from benchmarks.recorded import Recorded, Row, agents_corpus, transcripts
from parley.memory.extraction.writing.cards import shipped_cards
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.text.plain_text import to_plain

OUT: Final = ROOT / "memory" / "extraction" / "writing" / "english.json"
_RIDGE: Final = 50.0  # how hard a weight is held to its prior
_REPOSITORIES: Final = 3  # that have a feature
_UNITS: Final = 6
_FAINT: Final = 3  # hundredths of a logit; a weaker weight is left out
_HALF: Final = 0.5
_FLAT: Final = 1e-7  # slope at which the search ends: a weight is within 1e-8 of the best
Weights = dict[str, int]


class Seen(NamedTuple):
    """A unit: its features, whether it is sought, how much it counts, whose it is."""

    features: frozenset[str]
    sought: bool
    weight: float
    repository: str


def seen_units(corpus: Path) -> list[Seen]:
    """Every unit of the transcripts that counts."""
    return [seen for transcript in transcripts(corpus) for seen in _units(transcript)]


def _units(transcript: Recorded) -> Iterable[Seen]:
    meta, *rows = transcript.rows()
    keys: dict[int, Row] = {
        row["index"]: row for row in transcript.gold() if row["label"] == "proposal"
    }
    names = {match[0] for row in rows if (match := re.match(r"[a-z]{3,}", row["agent_id"].lower()))}
    for row in rows:
        message = WrittenMessage(to_plain(row["content"]), names, shipped_cards())
        key = keys.get(row["index"])
        sought = (
            frozenset() if key is None else sought_units(message.text, message.units, key["texts"])
        )
        optional = key is not None and is_optional(key)
        unsaid = set(filter(message.is_unsaid, range(len(message.units))))
        for index in range(len(message.units)):
            if index in unsaid:
                continue
            weight = _HALF if optional and index in sought else 1.0
            if key is not None and index not in sought:
                weight = 0.0 if optional else _HALF
            if weight:
                features = frozenset(
                    each
                    for each in message.features(index)
                    if names.isdisjoint(re.findall(r"[a-z]+", each))
                )
                yield Seen(features, index in sought, weight, meta["repository"])


# -- the regression ----------------------------------------------------------------


def fit_weights(seen: Sequence[Seen], priors: Mapping[str, int]) -> tuple[int, Weights]:
    """The bias and the weights, hundredths of a logit, that lose least."""
    names = _names(seen, priors)
    place = {name: index for index, name in enumerate(names)}
    rows = [sorted(place[each] for each in unit.features if each in place) for unit in seen]
    start = [priors.get(name, 0) / 100 for name in names]
    fitted = _descend(rows, seen, [*start, -3.0])
    weights = {name: round(100 * weight) for name, weight in zip(names, fitted, strict=False)}
    kept = {name: weight for name, weight in weights.items() if abs(weight) >= _FAINT}
    return round(100 * fitted[-1]), kept


def _names(seen: Sequence[Seen], priors: Mapping[str, int]) -> list[str]:
    """The features that are weighed: those with a prior, and those that are common enough."""
    units: Counter[str] = Counter()
    repositories: defaultdict[str, set[str]] = defaultdict(set)
    for unit in seen:
        for feature in unit.features:
            units[feature] += 1
            repositories[feature].add(unit.repository)
    common = (
        name
        for name, count in units.items()
        if count >= _UNITS and len(repositories[name]) >= _REPOSITORIES
    )
    return sorted({*common, *priors})


def _descend(rows: Sequence[list[int]], seen: Sequence[Seen], start: list[float]) -> list[float]:
    """The least of the loss from `start`; the bias is last and free."""
    return descend(lambda at: _loss(rows, seen, at, start[:-1]), start, _RIDGE, _FLAT)


def _loss(
    rows: Sequence[list[int]], seen: Sequence[Seen], at: list[float], prior: list[float]
) -> tuple[float, list[float]]:
    """The loss and its slope at the weights `at`."""
    apart = [a - b for a, b in zip(at, prior, strict=False)]
    slope = [_RIDGE * each for each in apart]
    bias, lost, tilt = at[-1], [_RIDGE / 2 * _dot(apart, apart)], []
    for row, unit in zip(rows, seen, strict=True):
        score = bias + sum([at[each] for each in row])
        chance = 1 / (1 + math.exp(-score)) if score > -700 else 0.0
        lost.append(unit.weight * (_softplus(-score) if unit.sought else _softplus(score)))
        pull = unit.weight * (chance - unit.sought)
        tilt.append(pull)
        for each in row:
            slope[each] += pull
    return math.fsum(lost), [*slope, math.fsum(tilt)]


def _softplus(score: float) -> float:
    return max(score, 0.0) + math.log1p(math.exp(-abs(score)))


def _dot(left: list[float], right: list[float]) -> float:
    return sum([a * b for a, b in zip(left, right, strict=True)])


# -- what is shipped --------------------------------------------


def priors() -> dict[str, int]:
    """The priors of the shipped file, by feature, hundredths of a logit."""
    groups: Mapping[str, Sequence[str]] = json.loads(OUT.read_text("utf-8"))["priors"]
    return {name: int(weight) for weight, names in groups.items() for name in names}


def file_with(bias: int, weights: Mapping[str, int]) -> str:
    """The text of the shipped file with other weights."""
    tree = json.loads(OUT.read_text("utf-8"))
    tree |= {"bias": bias, "weights": dict(sorted(weights.items()))}
    return json.dumps(tree, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Fit and write, or check."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.fit_writing", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("corpora", nargs="?", type=Path, default=CORPORA, metavar="CORPORA")
    parser.add_argument("--check", action="store_true", help="fail where the file differs")
    asked = parser.parse_args()
    corpus = agents_corpus(asked.corpora)
    if corpus is None:
        sys.exit(f"no talk of agents at {asked.corpora}: nothing fitted")
    text = file_with(*fit_weights(seen_units(corpus), priors()))
    if not asked.check:
        OUT.write_text(text, "utf-8")
    elif text != OUT.read_text("utf-8"):
        sys.exit(f"{OUT.name} is not what the talk of agents fits; run without --check")


if __name__ == "__main__":
    main()
