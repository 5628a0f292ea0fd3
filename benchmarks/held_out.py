"""Scorecards for each part of the meetings, taught by the meetings of the other parts.

Gate, weights and the line between yes and no are all fitted without the part. That line is
chosen on scores of the other parts by cards that had seen it: a second round of fits would
tell no more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.fit_scorecards import FOLDS, Scored, held_out, shipped
from benchmarks.minutes import LABELS, Meeting, meetings
from benchmarks.recorded import Recorded
from parley.memory.extraction.structure.scorecards import Label, parse_scorecards, use_scorecards

ScoredByLabel = dict[Label, list[Scored]]
Tree = dict[str, Any]
Cards = dict[str, Tree]  # by `Recorded.part`


@contextmanager
def judging(meeting: Recorded, cards: Cards) -> Iterator[None]:
    """Within it `meeting` is judged by the cards for its part; without any, by the shipped ones."""
    tree = cards.get(meeting.part)
    with nullcontext() if tree is None else use_scorecards(parse_scorecards(tree)):
        yield


def cards_by_part(corpora: Sequence[Path], pool: Executor, done: Callable[[str], None]) -> Cards:
    """The file of weights for each part, as it would be shipped had its meetings not been seen.

    `corpora` are folders of meetings; those beside them (irc and wg) teach as well.
    """
    every = meetings(corpora[0].resolve().parents[1])
    if not every:
        return {}
    scored_lines: ScoredByLabel = {label: [] for label in LABELS}
    for part in pool.map(partial(held_out, every), range(FOLDS)):
        done("one part scored by the others")
        for label in LABELS:
            scored_lines[label] += part[label]
    cards: Cards = {}
    for fold, tree in enumerate(
        pool.map(partial(_cards_without, every, scored_lines), range(FOLDS))
    ):
        done(f"cards for part {fold + 1} of {FOLDS}")
        cards[str(fold)] = tree
    return cards


def _cards_without(every: Sequence[Meeting], scored_lines: ScoredByLabel, fold: int) -> Tree:
    learnt = [meeting for meeting in every if meeting.fold(FOLDS) != fold]
    rest = {label: [line for line in scored_lines[label] if line.fold != fold] for label in LABELS}
    tree: Tree = json.loads(shipped(learnt, rest))
    return tree
