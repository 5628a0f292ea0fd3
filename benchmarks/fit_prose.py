"""Fit what prose is read by on recorded talk of agents.

`python -m benchmarks.fit_prose [CORPORA]` writes "heads", "words", "least" and "certainty" of
english.json in memory/extraction/prose, the same bytes every time; with `--check` it writes
nothing and fails where they differ.

Each head is a logistic regression over signs that three repositories have. Words are weighed in
talk of repositories alone whose licence is stated, and are never a participant's name. The
repositories are parted into tenths; each tenth is scored by what the others fit. From these
left-out scores come the least score at which something is read (`least`), and how often what has
so much is right (`certainty`).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.lbfgs import descend
from benchmarks.material import CORPORA, ROOT
from benchmarks.model_reading import talks
from benchmarks.prose_cases import ProseCase, prose_cases, repository_of
from benchmarks.recorded import Recorded
from benchmarks.side_cases import SideCase, side_cases
from parley.memory.extraction.prose.prose_scores import ProseMessage, any_odds
from parley.memory.extraction.prose.prose_tables import ProseTables, shipped_tables
from parley.memory.extraction.writing.chosen_units import ODDS, WIDEST

OUT: Final = ROOT / "memory" / "extraction" / "prose" / "english.json"
FOLDS: Final = 10
SIDES: Final = "support"
_RIDGES: Final = {"propose": 3.0, "decide": 6.0, "support": 20.0}
_REPOSITORIES: Final = 3  # that have a sign
_CASES: Final = 6
_FAINT: Final = 2  # hundredths of a logit; a weaker weight is left out
_HALF: Final = 0.5
_FIRST: Final = 4  # units in which a ruling without a text is looked for at first
_ROUNDS: Final = 3
_STEPS: Final = range(-400, 801, 25)  # scores that certainty is measured at
_FEWEST: Final = 12  # cases that a certainty is of
_EVEN: Final = 500  # per mille: a side is read where it is right as often as not

Weights = dict[str, int]


class Example(NamedTuple):
    """What has signs: whether it is sought, how much it counts, whose it is."""

    signs: frozenset[str]
    sought: bool
    weight: float
    repository: str


def fold_of(repository: str) -> int:
    """The part of the corpus that a repository is in."""
    return int.from_bytes(sha256(repository.encode()).digest()[:4], "big") % FOLDS


# -- the regressions -------------------------------------------------------------------


def fit_head(examples: Sequence[Example], ridge: float) -> Weights:
    """The weights of signs, hundredths of a logit, with the bias as ""."""
    names = _common([(each.signs, each.repository) for each in examples])
    places = {name: place for place, name in enumerate(names)}
    rows = [sorted(places[sign] for sign in each.signs if sign in places) for each in examples]
    found = descend(partial(_loss, rows, examples, ridge), [0.0] * len(names) + [-3.0], ridge)
    weights = {name: round(100 * weight) for name, weight in zip(names, found, strict=False)}
    kept = {name: weight for name, weight in weights.items() if abs(weight) >= _FAINT}
    return {"": round(100 * found[-1]), **kept}


def _common(found: Iterable[tuple[frozenset[str], str]]) -> list[str]:
    """The signs that enough cases and repositories have."""
    counts: Counter[str] = Counter()
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for signs, repository in found:
        counts.update(signs)
        for sign in signs:
            owners[sign].add(repository)
    return sorted(
        name
        for name, count in counts.items()
        if count >= _CASES and len(owners[name]) >= _REPOSITORIES
    )


def _loss(
    rows: Sequence[list[int]], examples: Sequence[Example], ridge: float, at: list[float]
) -> tuple[float, list[float]]:
    slope = [ridge * each for each in at]
    bias, slope[-1] = at[-1], 0.0
    lost = [ridge / 2 * math.fsum([each * each for each in at[:-1]])]
    tilt = []
    exp, log1p = math.exp, math.log1p
    for row, example in zip(rows, examples, strict=True):
        score = bias
        for each in row:
            score += at[each]
        small = exp(-abs(score))
        chance = 1 / (1 + small) if score > 0 else small / (1 + small)
        signed = -score if example.sought else score
        lost.append(example.weight * (max(signed, 0.0) + log1p(small)))
        pull = example.weight * (chance - example.sought)
        tilt.append(pull)
        for each in row:
            slope[each] += pull
    slope[-1] = math.fsum(tilt)
    return math.fsum(lost), slope


def _propose(cases: Sequence[ProseCase]) -> list[Example]:
    examples = []
    for case in cases:
        if not case.licensed:
            continue
        for place, signs in enumerate(case.signs):
            sought = place in case.proposing and bool(case.proposes)
            weight = 1.0
            if case.proposes == 2:
                weight = _HALF if sought else 0.0
            elif case.proposes and not sought:
                weight = _HALF
            if weight:
                examples.append(Example(signs, sought, weight, case.repository))
    return examples


def _fit_decide(cases: Sequence[ProseCase]) -> Weights:
    """A ruling without a text is looked for in the units that fit best so far."""
    bare = [[_wordless(signs) for signs in case.signs] for case in cases]
    weights: Weights = {}
    for _ in range(_ROUNDS):
        examples = []
        for case, signs in zip(cases, bare, strict=True):
            if not case.decides:
                examples += [Example(each, False, 1.0, case.repository) for each in signs]
                continue
            whole = _HALF if case.decides == 2 else 1.0
            shares = _shares(case, signs, weights)
            examples += [
                Example(signs[place], True, whole * share, case.repository)
                for place, share in shares.items()
            ]
        weights = fit_head(examples, _RIDGES["decide"])
    return weights


def _shares(case: ProseCase, signs: list[frozenset[str]], weights: Weights) -> dict[int, float]:
    if case.deciding:
        return dict.fromkeys(sorted(case.deciding), 1.0)
    if not weights:
        first = range(min(_FIRST, len(signs)))
        return {place: 1 / len(first) for place in first}
    scores = [weigh(each, weights) for each in signs]
    best = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:2]
    odds = [math.exp((scores[place] - scores[best[0]]) / 100) for place in best]
    return {place: each / sum(odds) for place, each in zip(best, odds, strict=True)}


def _wordless(signs: Iterable[str]) -> frozenset[str]:
    return frozenset(sign for sign in signs if not sign.startswith("word "))


def weigh(signs: Iterable[str], weights: Mapping[str, int]) -> int:
    """The sum of a bias and the weights of signs."""
    return weights.get("", 0) + sum([weights.get(sign, 0) for sign in signs])


class Corpus(NamedTuple):
    """The cases of all transcripts, with their keys."""

    talks: list[Recorded]
    cases: dict[str, list[ProseCase]]

    @classmethod
    def read(cls, corpora: Path) -> Corpus:
        found = talks(corpora)
        tables = shipped_tables()
        cases = {talk.name: prose_cases(talk, tables) for talk in found}
        return cls(found, cases)


def fit_heads(corpus: Corpus, without: int | None = None) -> dict[str, Weights]:
    """All heads, without one part of the corpus if that is named; "words" apart."""
    cases = [
        case
        for some in corpus.cases.values()
        for case in some
        if without is None or fold_of(case.repository) != without
    ]
    propose = fit_head(_propose(cases), _RIDGES["propose"])
    heads: dict[str, Weights] = {
        "propose": {sign: w for sign, w in propose.items() if not sign.startswith("word ")},
        "decide": _fit_decide(cases),
    }
    heads["words"] = {sign[5:]: w for sign, w in propose.items() if sign.startswith("word ")}
    return heads


# -- sides -----------------------------------------------------------------------------


def read_sides(corpora: Path, readers: Sequence[ProseTables], part: int) -> list[SideCase]:
    """The pairs of one part of the corpus, of a message and a turn that it may be for."""
    return [
        case
        for talk in talks(corpora)
        if fold_of(repository_of(talk)) == part
        for case in side_cases(talk, readers[part])
    ]


def fit_sides(cases: Sequence[SideCase], without: int | None) -> Weights:
    """The weights of the signs of pairs, without one part of the corpus if that is named."""
    examples = [
        Example(case.signs, case.right, _HALF if case.optional else 1.0, case.repository)
        for case in cases
        if case.right is not None and fold_of(case.repository) != without
    ]
    return fit_head(examples, _RIDGES[SIDES])


# -- what is shipped -------------------------------------------------------------------


def tables_with(heads: Mapping[str, Weights], levels: Mapping[str, Any]) -> ProseTables:
    """The shipped classes with other weights and levels."""
    tree = {**shipped_tables().data, **levels}
    tree["heads"] = {name: weights for name, weights in heads.items() if name != "words"}
    tree["words"] = heads["words"]
    return ProseTables(tree)


class Scored(NamedTuple):
    """Something that might be read: its odds, and if it is right; None if it does not count."""

    odds: int
    right: bool | None
    repository: str


def left_out_scores(
    corpus: Corpus, heads: Sequence[Mapping[str, Weights]]
) -> dict[str, list[Scored]]:
    """Each repository scored by the heads that were fitted without its part."""
    found: dict[str, list[Scored]] = {"propose": [], "decide": []}
    levels = {"least": dict.fromkeys(found, 0), "certainty": {what: [] for what in found}}
    readers = [tables_with(each, levels) for each in heads]
    for talk in corpus.talks:
        for case in corpus.cases[talk.name]:
            message = case.message
            tables = readers[fold_of(case.repository)]
            scores = ProseMessage(message.units, message.words, tables, message.setting).scores()
            for what, label, odds in (
                ("propose", case.proposes, any_odds(each.propose for each in scores)),
                ("decide", case.decides, any_odds(each.decide for each in scores)),
            ):
                right = None if label == 2 else bool(label)
                found[what].append(Scored(odds, right, case.repository))
    return found


def best_level(scored: Sequence[Scored]) -> int:
    """The score from which F1 is highest."""
    wanted = sum(each.right is True for each in scored)

    def f1(level: int) -> tuple[float, int]:
        said = _rights(scored, ODDS[level])
        return 2 * sum(said) / max(1, len(said) + wanted), -level

    return max(_STEPS, key=f1)


def certainties(scored: Sequence[Scored]) -> list[list[int]]:
    """Scores, and how often what has as much is right, per mille, less a standard error.

    Both rise.
    """
    found: list[list[int]] = []
    for level in _STEPS:
        said = _rights(scored, ODDS[level])
        if len(said) < _FEWEST:
            break
        right, count = sum(said), len(said)
        share = 1000 * (right - math.isqrt(right * (count - right) // count)) // count
        if not found or share > found[-1][1]:
            found.append([level, share])
    return found


def _rights(scored: Sequence[Scored], least: int) -> list[bool]:
    """Which of those with such odds are right, where that counts."""
    return [each.right for each in scored if each.odds >= least and each.right is not None]


def even_level(scored: Sequence[Scored]) -> int:
    """The least score from which what is found is right as often as not; the highest where no
    score is.
    """
    for level in _STEPS:
        said = _rights(scored, ODDS[level])
        if len(said) >= _FEWEST and 1000 * sum(said) >= _EVEN * len(said):
            return level
    return _STEPS[-1]


def levels_of(found: Mapping[str, Sequence[Scored]]) -> dict[str, Any]:
    """`least` and `certainty` as they are shipped."""
    least = {
        what: even_level(scored) if what == SIDES else best_level(scored)
        for what, scored in found.items()
    }
    return {"least": least, "certainty": {what: certainties(each) for what, each in found.items()}}


class Fitted(NamedTuple):
    """What was fitted without each part of the corpus, and on it all.

    `scored` is what each repository comes to by what was fitted without its part.
    """

    corpus: Corpus
    heads: list[dict[str, Weights]]
    whole: dict[str, Weights]
    scored: dict[str, list[Scored]]


def fitted(corpora: Path) -> Fitted:
    """Fit the heads of units; read all talk by them, left out; fit sides on what that finds."""
    corpus = Corpus.read(corpora)
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        parts: list[int | None] = [*range(FOLDS), None]
        *heads, whole = pool.map(partial(_fit_part, corpora), parts)
        for each in (*heads, whole):
            each[SIDES] = {"": -WIDEST}
        scored = left_out_scores(corpus, heads)
        scored[SIDES] = []
        readers = left_out_tables(heads, scored)
        read = pool.map(partial(read_sides, corpora, readers), range(FOLDS))
        cases = [case for some in read for case in some]
        *sides, all_sides = pool.map(partial(fit_sides, cases), parts)
    for each, weights in zip((*heads, whole), (*sides, all_sides), strict=True):
        each[SIDES] = weights
    scored[SIDES] = [
        Scored(
            ODDS[weigh(case.signs, sides[fold_of(case.repository)])], case.right, case.repository
        )
        for case in cases
    ]
    return Fitted(corpus, heads, whole, scored)


def left_out_tables(
    heads: Sequence[Mapping[str, Weights]], scored: Mapping[str, Sequence[Scored]]
) -> list[ProseTables]:
    """The tables that each part of the corpus is read by: nothing in them is of that part."""
    tables = []
    for part in range(FOLDS):
        others = {
            what: [each for each in some if fold_of(each.repository) != part]
            for what, some in scored.items()
        }
        tables.append(tables_with(heads[part], levels_of(others)))
    return tables


def _fit_part(corpora: Path, without: int | None) -> dict[str, Weights]:
    return fit_heads(Corpus.read(corpora), without)


def file_text(corpora: Path) -> str:
    """The text of the shipped file, fitted anew."""
    _, _, whole, scored = fitted(corpora)
    tree = dict(shipped_tables().data)
    tree["heads"] = {name: dict(sorted(w.items())) for name, w in whole.items() if name != "words"}
    tree["words"] = dict(sorted(whole["words"].items()))
    tree |= levels_of(scored)
    return json.dumps(tree, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Fit and write, or check."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.fit_prose", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("corpora", nargs="?", type=Path, default=CORPORA, metavar="CORPORA")
    parser.add_argument("--check", action="store_true", help="fail where the file differs")
    asked = parser.parse_args()
    if not talks(asked.corpora):
        sys.exit(f"no talk of agents at {asked.corpora}: nothing fitted")
    text = file_text(asked.corpora)
    if not asked.check:
        OUT.write_text(text, "utf-8")
    elif text != OUT.read_text("utf-8"):
        sys.exit(f"{OUT.name} is not what the talk of agents fits; run without --check")


if __name__ == "__main__":
    main()
