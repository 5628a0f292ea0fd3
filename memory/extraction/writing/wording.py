"""What the wording of a unit shows: its words, how it begins and ends, what stands above it.

A feature is a short text: `please` a word, `can you` two that follow each other, `^ use` the
first, `please +` a word before a verb of instruction, `#options` a word of the heading above,
`:steps` one of the lead-in, `.>80` a form. Which of them say anything, and how much, is data
(`cards`). `unit_features` names them all, for those who fit weights; `Weigher` looks up
those that weigh anything.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Mapping, Sequence, Set
from string import ascii_lowercase
from typing import Final, NamedTuple, get_args

from parley.memory.extraction.writing.units import FILLER, Unit, UnitKind

# Hidden code counts as one word, however long it is.
WORD: Final = re.compile(rf"([a-z]+(?:'[a-z]+)?|[?!:;✅☑✔❌🔴⚠→]|{FILLER}){FILLER}*")
_SIGNS: Final = "?!:;"  # those of `WORD` in ASCII
_KEPT: Final = frozenset((ascii_lowercase + _SIGNS + "'" + FILLER).encode())
_APART: Final = bytes(code if code in _KEPT else 32 for code in range(256))
LOOKED_AT: Final = 1000  # characters of a unit
READ: Final = 48  # words of a unit that are read
_ABOVE: Final = 12  # words of a heading or a lead-in that are read for what stands under it
Weight = tuple[str, int]  # a feature and what it weighs

_SIZES: Final = (20, 40, 80, 160, 320)


def words_of(text: str) -> list[str]:
    """The words of `text` (plain, lower case) and the signs that tell; numbers are left out."""
    text = text[:LOOKED_AT]
    if not text.isascii():
        return WORD.findall(text)[:READ]
    spaced = text.encode().translate(_APART).decode()  # what `WORD` finds, in less time
    if "'" in spaced or FILLER in spaced:
        return WORD.findall(spaced)[:READ]
    for sign in _SIGNS:
        if sign in spaced:
            spaced = spaced.replace(sign, f" {sign} ")
    return spaced.split(None, READ)[:READ]


def form_features(unit: Unit) -> list[str]:
    """What a unit is, and how long."""
    kind = unit.kind[0]  # s, i, h, r
    features = [f".{kind}"]
    if unit.level:
        features.append(f".{kind}nested")
    length = unit.end - unit.start
    features += [f".>{size}" for size in _SIZES if length > size]
    if not unit.first:
        features.append(".on")
    return features


def unit_features(
    words: Sequence[str], unit: Unit, names: Container[str], verbs: Set[str], not_past: Set[str]
) -> set[str]:
    """The features of a unit's own words and form.

    `names` are the first words of participants' names, `verbs` those that an instruction
    begins with, `not_past` words in -ed that report nothing; all in lower case.
    """
    features = set(form_features(unit))
    if not words:
        return features
    begin = opening(words, names)
    if begin:
        features.add("^@")
        features.add(f"^@ {words[begin]}")
    if words[begin][-2:] == "ed" and words[begin] not in not_past:
        features.add("^-ed")
    if words[begin] in verbs:
        features.add(f"^+{unit.kind[0]}")
    before = "^"
    for word in words:
        features.add(word)
        features.add(f"{before} {word}")
        if word in verbs:
            features.add(f"{before} +")
        before = word
    features.add(f"{before} $")
    return features


def opening(words: Sequence[str], names: Container[str]) -> int:
    """The place of the first word behind the name that `words` begin with; 0 without a name."""
    if words[0] not in names or len(words) < 2:
        return 0
    begin = 1
    while begin < len(words) - 1 and not words[begin].isalpha():
        begin += 1
    return begin


def heading_features(words: Sequence[str]) -> set[str]:
    """The features that a heading gives to the units below it."""
    return {f"#{word}" for word in words[:_ABOVE]}


def lead_features(words: Sequence[str], verbs: Set[str]) -> set[str]:
    """The features that a lead-in gives to the items of its list."""
    features = {f":{word}" for word in words[-_ABOVE:]}
    if words and words[0] in verbs:
        features.add(":+")
    return features


class _Word(NamedTuple):
    """What a word adds: alone, before others, before a verb, as a verb behind any of them."""

    alone: int
    before: Mapping[str, Weight]  # by the word that follows, "$" the end
    verb_follows: int
    is_verb: bool


_UNKNOWN: Final = _Word(0, {}, 0, is_verb=False)


class Weigher:
    """The weights of features, sorted by where a unit shows them."""

    __slots__ = ("_after_name", "_begins", "_forms", "_headings", "_leads", "_name", "_not_past",
                 "_past", "_verb_leads", "_verbs", "_words")  # fmt: skip

    def __init__(self, weights: Mapping[str, int], verbs: Set[str], not_past: Set[str]) -> None:
        self._forms = {
            (kind, nested, size, first): {
                feature: weights[feature]
                for feature in form_features(
                    Unit(kind, 0, length, int(nested), heading=-1, lead=-1, block=0, first=first)
                )
                if feature in weights
            }
            for kind in get_args(UnitKind)
            for nested in (False, True)
            for size, length in enumerate((*_SIZES, _SIZES[-1] + 1))
            for first in (False, True)
        }
        self._not_past = not_past
        self._past = weights.get("^-ed", 0)
        self._name = weights.get("^@", 0)
        self._verb_leads = weights.get(":+", 0)
        self._verbs = {kind: weights.get(f"^+{kind[0]}", 0) for kind in get_args(UnitKind)}
        self._headings: dict[str, Weight] = {}
        self._leads: dict[str, Weight] = {}
        self._after_name: dict[str, Weight] = {}
        alone: dict[str, int] = {}
        pairs: dict[str, dict[str, Weight]] = {}
        for feature, weight in weights.items():
            first, _, second = feature.partition(" ")
            if first == "^@" and second:
                self._after_name[second] = feature, weight
            elif second:
                pairs.setdefault(first, {})[second] = feature, weight
            elif feature[0] == "#":
                self._headings[feature[1:]] = feature, weight
            elif feature[0] == ":" and len(feature) > 1:
                self._leads[feature[1:]] = feature, weight
            elif feature[0] not in "^.":
                alone[feature] = weight
        self._leads.pop("+", None)
        self._words = {
            word: _Word(
                alone.get(word, 0), pairs.get(word, {}), weights.get(f"{word} +", 0), word in verbs
            )
            for word in {*alone, *pairs, *verbs}
        }
        self._begins = self._words.get("^", _UNKNOWN)

    def weigh(self, words: Sequence[str], unit: Unit, names: Container[str]) -> dict[str, int]:
        """Those of `unit_features`, of a unit's own words and form, that weigh anything."""
        kind, start, end, level, _, _, _, starts = unit
        shown = self._forms[kind, level > 0, bisect_left(_SIZES, end - start), starts].copy()
        if not words:
            return shown
        begin = opening(words, names) if words[0] in names else 0
        if begin:
            shown["^@"] = self._name
            if after := self._after_name.get(words[begin]):
                shown[after[0]] = after[1]
        first = words[begin]
        if first[-2:] == "ed" and first not in self._not_past:
            shown["^-ed"] = self._past
        known = self._words.get(first)
        if known is not None and known.is_verb:
            shown[f"^+{kind[0]}"] = self._verbs[kind]
        self._weigh_words(shown, words)
        return shown

    def _weigh_words(self, shown: dict[str, int], words: Sequence[str]) -> None:
        """Add what the words weigh, each alone, before its next, and before a verb."""
        get, unknown = self._words.get, _UNKNOWN
        _, pairs, before_verb, _ = self._begins
        previous = "^"
        for word in words:
            alone, following, before_next, is_verb = get(word, unknown)
            if word in pairs:
                feature, weight = pairs[word]
                shown[feature] = weight
            if is_verb and before_verb:
                shown[f"{previous} +"] = before_verb
            if alone:
                shown[word] = alone
            pairs, before_verb, previous = following, before_next, word
        if pair := pairs.get("$"):
            shown[pair[0]] = pair[1]

    def weigh_heading(self, words: Sequence[str]) -> dict[str, int]:
        """Those of `heading_features` that weigh anything."""
        return dict(filter(None, map(self._headings.get, words[:_ABOVE])))

    def weigh_lead(self, words: Sequence[str]) -> dict[str, int]:
        """Those of `lead_features` that weigh anything."""
        shown = dict(filter(None, map(self._leads.get, words[-_ABOVE:])))
        known = self._words.get(words[0]) if words else None
        if known is not None and known.is_verb:
            shown[":+"] = self._verb_leads
        return shown
