"""Scorecards: what each feature of a line adds to its being a proposal or a decision.

Weights are data, whole numbers in hundredths of a logit, fitted by
`benchmarks/fit_scorecards.py`. A score is a sum; 0 is the line between yes and no.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, NamedTuple

from parley.memory.extraction.structure.line_wording import Lexicon

Label = Literal["proposal", "decision"]

_TOLD: Final = 5  # features that an item keeps: those that decided
_CERTAIN: Final = 840  # per mille: below a tag, whatever the score
_STEEP: Final = 4

_instead: ContextVar[Scorecards | None] = ContextVar("_instead", default=None)


class Scorecard(NamedTuple):
    """The weights of one label: of its wording, and of where it stands."""

    bias: int
    wording: dict[str, int]
    structure: dict[str, int]
    wait: int  # messages to wait for what contradicts it
    hurry: int = 0  # a score that need not wait

    def stands(self, features: Iterable[str]) -> int:
        """What the lines around it add."""
        weights = self.structure
        return sum(weights[each] for each in features if each in weights)

    def reasons(self, cues: Collection[str], features: Collection[str]) -> tuple[str, ...]:
        """The features that did most for it, the strongest first."""
        reasons = [(self.wording.get(cue, 0), cue) for cue in cues]
        reasons += [(self.structure.get(each, 0), each) for each in features]
        reasons.sort(key=lambda each: (-each[0], each[1]))
        return tuple(name for weight, name in reasons[:_TOLD] if weight > 0)


class Scorecards:
    """What talk is read by. Immutable once built."""

    __slots__ = ("_bias", "_own", "_said", "decision", "proposal", "stands")

    def __init__(
        self, gate: Mapping[str, int], gate_bias: int, proposal: Scorecard, decision: Scorecard
    ) -> None:
        names = lexicon().names
        self.proposal, self.decision = proposal, decision
        self._bias = gate_bias
        self._own = tuple(gate.get(cue, 0) for cue in names)
        self._said = tuple(
            tuple(card.wording.get(cue, 0) for cue in names) for card in (proposal, decision)
        )
        # What a feature adds as a proposal and as a decision.
        self.stands = {
            name: (proposal.structure.get(name, 0), decision.structure.get(name, 0))
            for name in (*proposal.structure, *decision.structure)
        }

    def own(self, cues: Iterable[int]) -> int:
        """How much a wording looks like either; below 0 it gets no place in the window."""
        return self._bias + sum(map(self._own.__getitem__, cues))

    def weigh_wording(self, cues: Collection[int]) -> tuple[int, int]:
        """What the wording adds as a proposal and as a decision, the biases with it."""
        proposal, decision = self._said
        return (
            self.proposal.bias + sum(map(proposal.__getitem__, cues)),
            self.decision.bias + sum(map(decision.__getitem__, cues)),
        )


def score_confidence(score: int) -> int:
    """Per mille, 500 at the line between yes and no, rising with the score."""
    return min(_CERTAIN, 500 + max(0, score) // _STEEP)


def current_scorecards() -> Scorecards:
    """What talk is read by: the shipped scorecards, but within `use_scorecards`."""
    return _instead.get() or shipped_scorecards()


@cache
def shipped_scorecards() -> Scorecards:
    """The scorecards that come with the program."""
    file = resources.files("parley.memory.extraction.structure") / "typed.json"
    return parse_scorecards(json.loads(file.read_text("utf-8")))


def parse_scorecards(tree: Mapping[str, Any]) -> Scorecards:
    """The scorecards that a file of weights holds."""
    gate = tree["gate"]
    proposal, decision = Scorecard(**tree["proposal"]), Scorecard(**tree["decision"])
    return Scorecards(gate["weights"], gate["bias"], proposal, decision)


@contextmanager
def use_scorecards(cards: Scorecards) -> Iterator[None]:
    """Within it, talk is judged by `cards` and not by the shipped ones.

    For measuring alone: what a fold makes under it is no memory of the log.
    """
    token = _instead.set(cards)
    try:
        yield
    finally:
        _instead.reset(token)


@cache
def lexicon() -> Lexicon:
    """The cue words of all languages."""
    file = resources.files("parley.memory.extraction.structure") / "cues.json"
    return Lexicon(json.loads(file.read_text("utf-8")).values())
