"""What reading a message finds: one speech act with its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parley.memory.extraction.patterns.pattern_packs import REACTIONS

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Detection:
    """An act in a message. Offsets are characters of its content, half-open.

    `start`..`end` is the evidence; `text_start`..`text_end` the payload: what
    is proposed or decided, or the clause that reacts. `refs` are the handles it
    names, in order, never those in code or addresses. `conditional` is "+1 if …",
    "I agree in part, but …", a vote between -1 and 1. `quotes` are the
    message's quoted spans: they may identify a proposal by its words.
    """

    act: str  # one of bus.entries.ACTS
    start: int
    end: int
    text_start: int
    text_end: int
    how: Literal["act", "tag", "pattern"]
    rule: str  # "en@1/propose.i-propose", "tag/proposal", "act/propose", "vote/+1"
    confidence: int  # per mille
    refs: tuple[str, ...] = ()
    conditional: bool = False
    vote: bool = False  # a bare vote: +1, -1, 0, aye
    quotes: tuple[Span, ...] = ()

    @property
    def reacts(self) -> bool:
        """True for support, oppose and abstain."""
        return self.act in REACTIONS


@dataclass(frozen=True, slots=True)
class Sighting:
    """A place where the words of a rule stand, whether or not they say anything there.

    `dropped` is "" for an act, else what kept it from being one: `word`,
    `within`, `before`, `after` (of the rule), `question`, a guard's name, or `outweighed`
    by a surer reading of the same place or sentence.
    """

    rule: str
    act: str
    start: int
    end: int
    dropped: str
