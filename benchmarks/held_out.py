"""Scorecards for each part of the meetings, taught by the meetings of the other parts.

Gate, weights and the line between yes and no are all fitted without the part. That line is
chosen on scores of the other parts by cards that had seen it: a second round of fits would
tell no more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import fit_spoken
from benchmarks.fit_scorecards import FOLDS, Scored, held_out, shipped
from benchmarks.minutes import LABELS, Meeting, meetings
from benchmarks.recorded import SPOKEN, Recorded
from memory.structure.scorecard import Label, cards_of, judged_by
from memory.structure.speech_card import read_card, spoken_by

Told = dict[Label, list[Scored]]
Tree = dict[str, Any]
Cards = dict[str, Tree]  # by `Recorded.part`


@contextmanager
def judging(meeting: Recorded, cards: Cards) -> Iterator[None]:
    """Within it `meeting` is judged by the cards for its part; without any, by the shipped ones."""
    tree = cards.get(meeting.part)
    with ExitStack() as stack:
        if tree is not None and meeting.variant == SPOKEN:
            stack.enter_context(spoken_by(read_card(tree)))
        elif tree is not None:
            stack.enter_context(judged_by({"typed": cards_of(tree)}))
        yield


def cards_by_part(corpora: Sequence[Path], pool: Executor, done: Callable[[str], None]) -> Cards:
    """The file of weights for each part, as it would be shipped had its meetings not been seen.

    `corpora` are folders of meetings; those beside them (irc and wg) teach as well.
    """
    beside = corpora[0].resolve().parents[1]
    names = {corpus.name for corpus in corpora}
    cards = _typed(beside, pool, done) if names - {"ami"} else {}
    return cards | (_spoken(beside, pool, done) if "ami" in names else {})


def _typed(corpora: Path, pool: Executor, done: Callable[[str], None]) -> Cards:
    every = meetings(corpora)
    if not every:
        return {}
    told: Told = {label: [] for label in LABELS}
    for part in pool.map(partial(held_out, every), range(FOLDS)):
        done("typed: one part scored by the others")
        for label in LABELS:
            told[label] += part[label]
    cards: Cards = {}
    for fold, tree in enumerate(pool.map(partial(_typed_without, every, told), range(FOLDS))):
        done(f"typed: cards for part {fold + 1} of {FOLDS}")
        cards[str(fold)] = tree
    return cards


def _typed_without(every: Sequence[Meeting], told: Told, fold: int) -> Tree:
    learnt = [meeting for meeting in every if meeting.fold(FOLDS) != fold]
    rest = {label: [line for line in told[label] if line.fold != fold] for label in LABELS}
    tree: Tree = json.loads(shipped(learnt, rest))
    return tree


def _spoken(corpora: Path, pool: Executor, done: Callable[[str], None]) -> Cards:
    every = fit_spoken.read(corpora)
    fit_spoken.cross_fitted(every)
    series = sorted({meeting.series for meeting in every})
    cards: Cards = {}
    for name, tree in zip(series, pool.map(partial(_spoken_without, every), series), strict=True):
        done(f"spoken: cards for {name}")
        cards[name] = tree
    return cards


def _spoken_without(every: Sequence[fit_spoken.Meeting], series: str) -> Tree:
    others = [meeting for meeting in every if meeting.series != series]
    tree: Tree = json.loads(fit_spoken.written(others, fit_spoken.stretched(others)))
    return tree
