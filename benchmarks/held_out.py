"""Scorecards for each part of the meetings, taught by the meetings of the other parts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.fit_scorecards import FOLDS, Scored, held_out, shipped
from benchmarks.minutes import LABELS, Meeting, meetings
from memory.structure.scorecard import Label

Told = dict[Label, list[Scored]]
Tree = dict[str, Any]


def cards_by_fold(corpora: Path, pool: Executor, done: Callable[[str], None]) -> dict[int, Tree]:
    """The file of weights for each part, fitted on the rest: gate, weights and threshold."""
    every = meetings(corpora)
    if not every:
        sys.exit(f"no typed meetings in {corpora}: name the folder that holds dev/irc and dev/wg")
    told: Told = {label: [] for label in LABELS}
    for part in pool.map(partial(held_out, every), range(FOLDS)):
        done("scored one part by the others")
        for label in LABELS:
            told[label] += part[label]
    cards = {}
    for fold, tree in enumerate(pool.map(partial(_without, every, told), range(FOLDS))):
        done(f"fitted the cards for part {fold + 1} of {FOLDS}")
        cards[fold] = tree
    return cards


def _without(every: Iterable[Meeting], told: Told, fold: int) -> Tree:
    """What `fit_scorecards` would ship, had it never seen the meetings of `fold`."""
    learnt = [meeting for meeting in every if meeting.fold(FOLDS) != fold]
    rest = {label: [line for line in told[label] if line.fold != fold] for label in LABELS}
    tree: Tree = json.loads(shipped(learnt, rest))
    return tree
