"""What written talk is read by: the weights of wordings, and the rules of stances and decisions.

Data, one file a language. Weights are whole numbers in hundredths of a logit, fitted by
`benchmarks/fit_writing.py`; rules are wordings that stand at a place of the message.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple

from parley.memory.extraction.patterns.regular_expressions import (
    PatternGate,
    RarePattern,
    compile_pattern_filter,
)
from parley.memory.extraction.writing.back_references import TextWordings, compile_wordings
from parley.memory.extraction.writing.wording import Weigher

Place = Literal["opening", "heading", "anywhere"]
Act = Literal["support", "oppose", "neutral", "decide"]


class PlacedRule(NamedTuple):
    """One wording of one act, at one place of a message; `unless` is a pattern that drops it.

    Support and rulings are dropped as well where the words around them deny, ask or hedge them.
    """

    name: str
    act: Act
    place: Place
    pattern: RarePattern
    unless: RarePattern | None
    negative: bool  # what it says is said by a denial


class UnsaidWordings(NamedTuple):
    """Wordings of units that put nothing forward: they report, ask for facts or oppose.

    Each pattern reads a whole unit, in small letters; the one beside it drops it. `above` is
    what stands over such units, unless one of them has words of a course.
    """

    gate: Any  # tells which of the patterns stand in a unit
    unless: tuple[RarePattern | None, ...]
    above: RarePattern
    course: RarePattern
    puts: RarePattern  # words of a course, weaker ones as well
    heads: RarePattern  # headings and lead-ins of courses
    reports: frozenset[int]  # the patterns of reports

    def match(self, unit: str, above: Sequence[str] = (), *, reports: bool = False) -> bool:
        """True of a unit that puts nothing forward, by itself or by the headings `above` it; with
        `reports`, of one alone that tells of what was done.
        """
        for index in self.gate(unit.encode()) or ():
            unless = self.unless[index]
            if (not reports or index in self.reports) and not (unless and unless.occurs(unit)):
                return True
        return any(map(self.above.occurs, above)) and not self.course.occurs(unit)


class WritingCards:
    """The data of one language. Immutable once built."""

    __slots__ = (
        "before_verbs",
        "bias",
        "common",
        "denied",
        "gate",
        "hedged",
        "not_past",
        "pointing",
        "rules",
        "texts",
        "unsaid",
        "verbs",
        "weigher",
        "weights",
    )

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.verbs = frozenset(data["verbs"].split())
        self.before_verbs = frozenset(data["before_verbs"].split())
        self.common = frozenset(data["common"].split())
        self.not_past = frozenset(data["not_past"].split())
        self.pointing = frozenset(data["pointing"].split())
        self.bias: int = data["bias"]
        self.weights: dict[str, int] = data["weights"]
        self.weigher = Weigher(self.weights, self.verbs, self.not_past)
        self.denied = RarePattern(data["denied"], "denied")
        self.hedged = RarePattern(data["hedged"], "hedged")
        self.texts: TextWordings = compile_wordings(data["texts"])
        terms = data["terms"]
        self.unsaid = _unsaid(data["unsaid"], terms)
        self.rules = tuple(_rule(rule, terms) for rule in data["rules"])
        self.gate = PatternGate([_filled(rule["pattern"], terms) for rule in data["rules"]])

    def with_weights(self, bias: int, weights: Mapping[str, int]) -> WritingCards:
        """The same rules with other weights."""
        made = object.__new__(WritingCards)
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        made.bias, made.weights = bias, dict(weights)
        made.weigher = Weigher(weights, self.verbs, self.not_past)
        return made


def _filled(pattern: str, terms: Mapping[str, str]) -> str:
    """`pattern` with each <term> spelt out."""
    for name, words in terms.items():
        pattern = pattern.replace(f"<{name}>", f"(?:{words})")
    return pattern


def _rule(rule: Mapping[str, Any], terms: Mapping[str, str]) -> PlacedRule:
    name = rule["name"]
    unless = rule.get("unless")
    return PlacedRule(
        name, rule["act"], rule["place"], RarePattern(_filled(rule["pattern"], terms), name),
        None if unless is None else RarePattern(_filled(unless, terms), name),
        rule.get("negative", False),
    )  # fmt: skip


def _unsaid(data: Mapping[str, Any], terms: Mapping[str, str]) -> UnsaidWordings:
    rules = data["rules"]
    gate = compile_pattern_filter([_filled(rule["pattern"], terms) for rule in rules]).Match
    unless = [
        RarePattern(_filled(rule["unless"], terms), rule["name"]) if "unless" in rule else None
        for rule in rules
    ]
    above, course, puts, heads = (
        RarePattern(_filled(data[name], terms), f"unsaid.{name}")
        for name in ("above", "course", "puts", "heads")
    )
    reports = {place for place, rule in enumerate(rules) if rule["name"].startswith("reports.")}
    return UnsaidWordings(
        gate, tuple(unless), above, course, puts, heads, frozenset(reports)
    )  # fmt: skip


@cache
def shipped_cards() -> WritingCards:
    """English, as shipped."""
    source = resources.files(__package__).joinpath("english.json").read_text(encoding="utf-8")
    return WritingCards(json.loads(source))
