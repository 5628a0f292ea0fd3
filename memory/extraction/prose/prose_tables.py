"""The data that prose is read by: classes of words, and the weights of signs. One file a language.

A head is one question about a unit. Its answer is a sum: a bias and the weights of the signs that
are there, in hundredths of a logit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

from parley.memory.extraction.writing.chosen_units import ODDS

Head = Literal["propose", "decide"]

UNIT_HEADS: Final[tuple[Head, ...]] = ("propose", "decide")
ONE: Final = ODDS[0]  # odds of one to one

_LANE: Final = 40  # bits of one head's sum among those of several
_HALF: Final = 1 << (_LANE - 1)
_MASK: Final = (1 << _LANE) - 1
_KEPT: Final = 16_384  # masks whose sums are kept

_instead: ContextVar[ProseTables | None] = ContextVar("_instead", default=None)


def pack(weights: Iterable[int]) -> int:
    """The weights of several heads in one number, so that one sum adds them all up."""
    return sum(weight << (_LANE * place) for place, weight in enumerate(weights))


def unpack(total: int, count: int) -> list[int]:
    """The sums of `count` heads."""
    sums = []
    for _ in range(count):
        low = total & _MASK
        if low >= _HALF:
            low -= 1 << _LANE
        sums.append(low)
        total = (total - low) >> _LANE
    return sums


class ClassWeights(dict[int, int]):
    """What the classes of a mask weigh together under one sign; sums are kept as they come up.

    `weights` are those of the single classes, by their bit, packed. Learnt anew where there were
    too many masks.
    """

    def __init__(self, weights: Sequence[int]) -> None:
        self._weights = weights

    def __missing__(self, mask: int) -> int:
        if len(self) >= _KEPT:
            self.clear()
        total = self[mask] = sum(map(self._weights.__getitem__, bits(mask)))
        return total


class SignWeights:
    """The weights of some heads by sign, packed; of signs over classes as `ClassWeights`."""

    def __init__(self, heads: Sequence[Mapping[str, int]], classes: Sequence[str]) -> None:
        names = {name for head in heads for name in head}
        self._signs = {name: pack(head.get(name, 0) for head in heads) for name in names}
        self._classes = classes
        self._families: dict[str, ClassWeights] = {}

    def sign(self, name: str) -> int:
        """What one sign weighs, 0 for one that says nothing."""
        return self._signs.get(name, 0)

    def family(self, prefix: str) -> ClassWeights:
        """What classes weigh under the sign `prefix`."""
        family = self._families.get(prefix)
        if family is None:
            weights = [self.sign(f"{prefix}{name}") for name in self._classes]
            family = self._families[prefix] = ClassWeights(weights)
        return family


class ProseTables:
    """The data of one language. Immutable once built; sums are cached."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.classes: tuple[str, ...] = tuple(data["classes"])
        self.masks: dict[str, int] = {}
        for bit, words in enumerate(data["classes"].values()):
            for word in words.split():
                self.masks[word] = self.masks.get(word, 0) | 1 << bit
        self.we = 1 << self.classes.index("we")
        self.negations = frozenset(data["negations"].split())
        self.rulers = frozenset(data["rulers"].split())
        heads: Mapping[str, Mapping[str, int]] = data["heads"]
        self.words: dict[str, int] = data["words"]  # of a unit that proposes
        self.weighed = frozenset(self.words)
        self.units = SignWeights([heads[name] for name in UNIT_HEADS], self.classes)
        self.sides = SignWeights([heads["support"]], self.classes)  # of a message and a turn
        self.forms: dict[tuple[object, ...], int] = {}  # sums of form signs, as they come up
        self.least: Mapping[str, int] = data["least"]
        self.certainty: Mapping[str, Sequence[Sequence[int]]] = data["certainty"]

    def certainty_of(self, what: str, odds: int) -> int:
        """How often such odds are right, per mille, on talk that was left out."""
        sure = 0
        for score, per_mille in self.certainty[what]:
            if odds < ODDS[score]:
                break
            sure = per_mille
        return sure


def bits(mask: int) -> Iterator[int]:
    """The places of the bits of `mask`."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@cache
def shipped_tables() -> ProseTables:
    """English, as shipped."""
    source = resources.files(__package__).joinpath("english.json").read_text(encoding="utf-8")
    return ProseTables(json.loads(source))


def current_tables() -> ProseTables:
    """What prose is read by: the shipped tables, but within `use_tables`."""
    return _instead.get() or shipped_tables()


@contextmanager
def use_tables(tables: ProseTables) -> Iterator[None]:
    """Read by `tables` instead, to measure others than the shipped."""
    token = _instead.set(tables)
    try:
        yield
    finally:
        _instead.reset(token)
