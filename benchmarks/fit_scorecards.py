"""Fit the scorecards of typed talk on recorded meetings, and tell how well they do on others.

`python -m benchmarks.fit_scorecards [CORPORA]` writes memory/extraction/structure/typed.json, the
same bytes every time; with `--check` it writes nothing and fails where they differ.
Every figure is of meetings that the weights, the gate and the line between yes
and no were not fitted on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.logistic import Rows, fit, score
from benchmarks.material import CORPORA, ROOT
from benchmarks.minutes import LABELS, Meeting, meetings, weigh_message
from parley.memory.extraction.structure.evidence import (
    LATER_FEATURES,
    line_features,
    observe_message,
)
from parley.memory.extraction.structure.scorecards import Label, Scorecard, Scorecards, lexicon
from parley.memory.state.line_state import Structure, WindowLine

OUT: Final = ROOT / "memory" / "extraction" / "structure" / "typed.json"
FOLDS: Final = 8
MOST: Final[dict[Label, int]] = {"proposal": 80, "decision": 130}  # features; more gain nothing
_WAIT: Final[dict[Label, int]] = {"proposal": 0, "decision": 2}  # messages
_HURRY: Final[dict[Label, int]] = {"proposal": 0, "decision": 300}  # plain on arrival
_RIDGE: Final[dict[Label, float]] = {"proposal": 3.0, "decision": 3.0}
_GATE_RIDGE: Final = 3.0
_LOST: Final = 0.01  # of the lines sought, that the gate may drop
_FAINT: Final = 8  # hundredths; a weaker weight of the gate is left out
_RARE: Final = 8  # lines; a feature of fewer is left out
_LEVEL: Final = 0.004  # F1 given up to stand on a plateau, not on its highest point
_ASIDE: Final = "~"  # before the name of a feature that is not of the wording
_NO_CARD: Final = Scorecard(0, {}, {}, 0)

Weights = dict[str, int]  # hundredths; the bias under ""


class Seen(NamedTuple):
    """A line of a window: where it is, what is known of it, whether it is sought."""

    corpus: str
    meeting: str
    fold: int
    features: frozenset[str]
    sought: bool
    optional: bool


class Scored(NamedTuple):
    corpus: str
    fold: int
    score: float
    sought: bool
    optional: bool


# -- the gate ----------------------------------------------------------------------


def gate(learnt: Sequence[Meeting]) -> Weights:
    """What each cue adds to a line's being either; below 0 it gets no place in the window."""
    cues, sought = [], []
    for meeting in learnt:
        marked = {place for marks in meeting.gold.values() for place in marks}
        for heard in meeting.heard:
            if heard.vote is None and len(heard.text) > 5:
                cues.append(lexicon().name_cues(heard.cues))
                sought.append(heard.place in marked)
    names = sorted({cue for line in cues for cue in line})
    rows = _rows(cues, names, sought, [1.0] * len(cues))
    weights = fit(rows, _GATE_RIDGE, [float("-inf")] * len(names))
    scores = sorted(
        score(weights, row) for row, yes in zip(rows.features, sought, strict=True) if yes
    )
    weights[-1] -= scores[int(_LOST * len(scores))]
    whole = _whole(names, weights)
    return {name: weight for name, weight in whole.items() if abs(weight) >= _FAINT or not name}


def _rows(
    lines: Iterable[Iterable[str]],
    names: Sequence[str],
    sought: Sequence[bool],
    counts: Sequence[float],
) -> Rows:
    place = {name: number for number, name in enumerate(names)}
    features = [tuple(sorted(place[name] for name in line if name in place)) for line in lines]
    return Rows(features, sought, counts)


def _whole(names: Sequence[str], weights: Sequence[float]) -> Weights:
    whole = {name: round(100 * weight) for name, weight in zip(names, weights, strict=False)}
    return {
        **{name: weight for name, weight in whole.items() if weight},
        "": round(100 * weights[-1]),
    }


# -- what the window shows -----------------------------------------------------------


def seen(meeting: Meeting, cues: Weights, label: Label, folds: int = FOLDS) -> list[Seen]:
    """The lines that pass the gate, each as known when it is judged last.

    A proposal's evidence only grows, so that is when it leaves the window; a
    decision is judged when a vote on it would show.
    """
    weights = {name: weight for name, weight in cues.items() if name}
    cards = Scorecards(weights, cues[""], _NO_CARD, _NO_CARD)
    structure, known = Structure(), dict[int, tuple[frozenset[str], Sequence[str]]]()
    marks, wait = meeting.gold[label], _WAIT[label]
    due: list[WindowLine] = []
    for heard in meeting.heard:
        _settle(structure, due, known, heard.place - wait if wait else None)
        window_message = heard if heard.vote is not None else weigh_message(heard, cards)
        touched = observe_message(structure, window_message, cards)
        if window_message.passes:
            known[window_message.place] = frozenset(lexicon().name_cues(window_message.cues)), ()
            due.append(structure.lines[-1])
        if not wait:
            for line in touched:
                known[line.place] = known[line.place][0], line_features(structure, line)
    _settle(structure, due, known, None if not wait else sys.maxsize)
    return [
        Seen(
            meeting.corpus, meeting.name, meeting.fold(folds),
            frozenset({*words, *(_ASIDE + each for each in stands)}),
            place in marks, marks.get(place, False),
        )
        for place, (words, stands) in known.items()
    ]  # fmt: skip


def _settle(
    structure: Structure,
    due: list[WindowLine],
    known: dict[int, tuple[frozenset[str], Sequence[str]]],
    before: int | None,
) -> None:
    """Note what is known of the lines due that came before `before`."""
    while before is not None and due and due[0].place < before:
        line = due.pop(0)
        known[line.place] = known[line.place][0], line_features(structure, line)


# -- weights -----------------------------------------------------------------------


def weigh(lines: Sequence[Seen], label: Label, most: int) -> Weights:
    """The weights of the `most` features that do most."""
    counts = Counter(name for line in lines for name in line.features)
    names = sorted(name for name, count in counts.items() if count >= _RARE)
    rows = _rows(
        (line.features for line in lines), names,
        [line.sought for line in lines], [0.0 if line.optional else 1.0 for line in lines],
    )  # fmt: skip
    floors = [_floor(name, label) for name in names]
    weights = fit(rows, _RIDGE[label], floors)
    for few in (2 * most, most):
        if len(names) <= few:
            continue
        kept = _strongest(names, weights, [counts[name] / len(lines) for name in names], few)
        rows, names = rows.without(kept), [names[each] for each in kept]
        floors = [floors[each] for each in kept]
        start = [*(weights[each] for each in kept), weights[-1]]
        weights = fit(rows, _RIDGE[label], floors, start)
    return _whole(names, weights)


def _floor(name: str, label: Label) -> float:
    """What may come later adds to a proposal or nothing: it is told at any time."""
    later = name.startswith(_ASIDE) and name[1:].startswith(LATER_FEATURES)
    return 0.0 if later and label == "proposal" else float("-inf")


def _strongest(
    names: Sequence[str], weights: Sequence[float], shares: Sequence[float], most: int
) -> list[int]:
    power = [
        abs(weight) * (share * (1 - share)) ** 0.5
        for weight, share in zip(weights, shares, strict=False)
    ]
    ranked = sorted(range(len(names)), key=lambda each: (-round(power[each], 9), names[each]))
    return sorted(ranked[:most])


def scored(lines: Iterable[Seen], weights: Weights) -> list[Scored]:
    """What the weights say of each line."""
    return [
        Scored(
            line.corpus, line.fold, weights[""] + sum(weights.get(f, 0) for f in line.features),
            line.sought, line.optional,
        )
        for line in lines
    ]  # fmt: skip


def threshold(lines: Iterable[Scored]) -> int:
    """The score from which yes is best said: in the lower part of those where F1 is near its best.

    There as much is right, and less is missed.
    """
    ranked = sorted((-line.score, line.sought) for line in lines if not line.optional)
    total = sum(sought for _, sought in ranked)
    hits, curve = 0, []
    for place, (minus, sought) in enumerate(ranked, 1):
        hits += sought
        curve.append((2 * hits / (place + total), -minus))
    best = max(curve)[0]
    level = sorted(at for f1, at in curve if f1 >= best - _LEVEL)
    return round(level[len(level) // 4])


# -- the table -----------------------------------------------------------------------


class Tally(NamedTuple):
    right: int
    wrong: int
    missed: int

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)

    def __str__(self) -> str:
        precision = self.right / max(1, self.right + self.wrong)
        recall = self.right / max(1, self.right + self.missed)
        return f"P {precision:.3f}  R {recall:.3f}  F1 {self.f1:.3f}"


def held_out(every: Sequence[Meeting], fold: int) -> dict[Label, list[Scored]]:
    """The lines of one part's meetings, scored by what the other parts taught."""
    learnt = [meeting for meeting in every if meeting.fold(FOLDS) != fold]
    cues = gate(learnt)
    by_label: dict[Label, list[Scored]] = {}
    for label in LABELS:
        lines = [line for meeting in every for line in seen(meeting, cues, label)]
        weights = weigh([line for line in lines if line.fold != fold], label, MOST[label])
        by_label[label] = scored([line for line in lines if line.fold == fold], weights)
    return by_label


def tally(
    every: Sequence[Meeting], lines: Sequence[Scored], label: Label, corpus: str, fold: int | None
) -> Tally:
    """What is found in a corpus's meetings of `fold`, of all where None.

    Yes is said from the threshold that is best for the other parts.
    """
    limits = {each: threshold(line for line in lines if line.fold != each) for each in range(FOLDS)}
    mine = [line for line in lines if line.corpus == corpus and fold in (None, line.fold)]
    yes = [line for line in mine if line.score >= limits[line.fold] and not line.optional]
    total = sum(
        not optional
        for meeting in every
        if meeting.corpus == corpus and fold in (None, meeting.fold(FOLDS))
        for optional in meeting.gold[label].values()
    )
    right = sum(line.sought for line in yes)
    return Tally(right, len(yes) - right, total - right)


def _print_table(every: Sequence[Meeting], scored_lines: dict[Label, list[Scored]]) -> None:
    for label in LABELS:
        for corpus in ("irc", "wg"):
            folds = [
                tally(every, scored_lines[label], label, corpus, fold).f1 for fold in range(FOLDS)
            ]
            spread = " ".join(f"{f1:.2f}" for f1 in folds)
            pooled = tally(every, scored_lines[label], label, corpus, None)
            print(f"{label:9} {corpus:4} {pooled}  by fold {spread}")


# -- the file ------------------------------------------------------------------------


def shipped(every: Sequence[Meeting], scored_lines: dict[Label, list[Scored]]) -> str:
    """The scorecards fitted on all meetings; the line between yes and no is the held-out one."""
    cues = gate(every)
    tree: dict[str, Any] = {
        "gate": {"bias": cues[""], "weights": {name: cues[name] for name in cues if name}}
    }
    for label in LABELS:
        lines = [line for meeting in every for line in seen(meeting, cues, label)]
        weights = weigh(lines, label, MOST[label])
        bias = weights.pop("") - threshold(scored_lines[label])
        aside = {name[1:]: weights[name] for name in weights if name.startswith(_ASIDE)}
        wording = {name: weights[name] for name in weights if not name.startswith(_ASIDE)}
        tree[label] = {
            "bias": bias, "wait": _WAIT[label], "hurry": _HURRY[label],
            "wording": wording, "structure": aside,
        }  # fmt: skip
    return json.dumps(tree, indent=1, sort_keys=True) + "\n"


def main() -> None:
    """Fit, print the table, write or compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="?", type=Path, default=CORPORA)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    asked = parser.parse_args()
    every = meetings(asked.corpora)
    if not every:
        sys.exit(f"no meetings in {asked.corpora}: name the folder that holds dev/irc and dev/wg")
    scored_lines: dict[Label, list[Scored]] = {label: [] for label in LABELS}
    with ProcessPoolExecutor(2) as pool:
        for part in pool.map(partial(held_out, every), range(FOLDS)):
            for label in LABELS:
                scored_lines[label] += part[label]
    _print_table(every, scored_lines)
    text = shipped(every, scored_lines)
    if not asked.check:
        OUT.write_text(text, "utf-8")
    elif text != OUT.read_text("utf-8"):
        sys.exit(f"{OUT} is not what these meetings give: run without --check")


if __name__ == "__main__":
    main()
