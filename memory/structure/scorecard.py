"""Scorecards: what each feature of a line adds to its being a proposal or a decision.

Weights are data, whole numbers in hundredths of a logit, fitted by
`benchmarks/fit_scorecards.py`. A score is a sum; 0 is the line between yes and no.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources
from typing import Final, Literal, NamedTuple

from memory.structure.wording import Lexicon

Label = Literal["proposal", "decision"]

_TOLD: Final = 5  # features that an item keeps: those that decided
_CERTAIN: Final = 840  # per mille: below a tag, whatever the score
_STEEP: Final = 4


class Card(NamedTuple):
    """The weights of one label: of its wording, and of where it stands."""

    bias: int
    wording: dict[str, int]
    structure: dict[str, int]
    wait: int  # messages to wait for what contradicts it
    hurry: int = 0  # a score that need not wait

    def said(self, cues: Iterable[str]) -> int:
        """What the wording adds, the bias with it."""
        weights = self.wording
        return self.bias + sum(weights[cue] for cue in cues if cue in weights)

    def stands(self, features: Iterable[str]) -> int:
        """What the lines around it add."""
        weights = self.structure
        return sum(weights[each] for each in features if each in weights)

    def reasons(self, cues: Collection[str], features: Collection[str]) -> tuple[str, ...]:
        """The features that did most for it, the strongest first."""
        found = [(self.wording.get(cue, 0), cue) for cue in cues]
        found += [(self.structure.get(each, 0), each) for each in features]
        found.sort(key=lambda each: (-each[0], each[1]))
        return tuple(name for weight, name in found[:_TOLD] if weight > 0)


class Scorecards(NamedTuple):
    """What one manner of talk is read by."""

    gate: dict[str, int]
    gate_bias: int
    proposal: Card
    decision: Card

    def own(self, cues: Iterable[str]) -> int:
        """How much a wording looks like either; below 0 it gets no place in the window."""
        weights = self.gate
        return self.gate_bias + sum(weights[cue] for cue in cues if cue in weights)


def confidence(score: int) -> int:
    """Per mille, 500 at the line between yes and no, rising with the score."""
    return min(_CERTAIN, 500 + max(0, score) // _STEEP)


@cache
def scorecards(manner: str) -> Scorecards:
    """The shipped scorecards for a manner of talk: "typed"."""
    file = resources.files("memory.structure") / f"{manner}.json"
    tree = json.loads(file.read_text("utf-8"))
    gate = tree["gate"]
    proposal, decision = Card(**tree["proposal"]), Card(**tree["decision"])
    return Scorecards(gate["weights"], gate["bias"], proposal, decision)


@cache
def lexicon() -> Lexicon:
    """The cue words of all languages."""
    file = resources.files("memory.structure") / "cues.json"
    return Lexicon(json.loads(file.read_text("utf-8")).values())
