"""What one written message proposes, and what it says to what others proposed.

A proposal is a unit whose wording weighs enough; of a message as a whole it is the sum of
what its units weigh that tells whether it proposes at all. A stance and a ruling are
wordings at a place: the opening, a heading, anywhere. Linear in the message.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from parley.memory.extraction.writing.back_references import TextWordings, read_labels
from parley.memory.extraction.writing.cards import Act, Place, PlacedRule, WritingCards
from parley.memory.extraction.writing.chosen_units import (
    MOST,
    choose_units,
    propose_together,
    propose_without,
)
from parley.memory.extraction.writing.units import Unit, hide_code, split_units
from parley.memory.extraction.writing.wording import (
    LOOKED_AT,
    READ,
    heading_features,
    lead_features,
    unit_features,
    words_of,
)
from parley.memory.text.courtesies import is_offer
from parley.memory.text.similarity import text_marks

_OPENING: Final = 3  # units, greetings left out
_TITLE: Final = 100  # characters: a first line that short is a title
_FEW: Final = 12  # words: not enough to tell the language
_SURE: Final = 6  # of them say it for any message
_SHARE: Final = 40  # one word in as many is among the commonest of the language
_AROUND: Final = 200  # characters before and behind a wording that may deny it
_SAID: Final = 2000  # characters of a unit that are searched for a wording
_REASONS: Final = 4
_CONFIDENT: Final = 840  # per mille: below a tag, whatever the score
Span = tuple[int, int]
WHOLE: Final[Span] = (0, 4000)  # of a message what is looked at for what it is about
_NO_LABELS: Final[Mapping[str, str]] = MappingProxyType({})


class Weighed(NamedTuple):
    """A unit that proposes: how sure that is, per mille, why, and the rules that say so."""

    unit: Unit
    confidence: int
    reasons: tuple[str, ...]
    rules: str = "writing/"


class Placed(NamedTuple):
    """A wording of an act, in the unit where it stands."""

    act: Act
    rule: str
    unit: Unit


class WrittenMessage:
    """A message taken apart: its units, their words, and what weighs in them."""

    __slots__ = (
        "_cards", "_known_labels", "_low", "_marks", "_names", "_parts", "_unsaid", "labels",
        "text", "units", "words",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        names: Container[str],
        cards: WritingCards,
        known_labels: Mapping[str, str] = _NO_LABELS,
    ) -> None:
        """`text` as `to_plain` gives it; `names` the first words of participants' names;
        `known_labels` what earlier messages said that labels are of.
        """
        self.text = text
        self._marks: dict[Span, set[int]] = {}
        self._unsaid: dict[int, bool] = {}
        self._known_labels = known_labels
        self.labels = read_labels(text, cards.texts)
        hidden = hide_code(text)
        low = hidden.lower()
        self._low = low if len(low) == len(text) else hidden
        self._cards = cards
        self._names = names
        self.units = split_units(hidden) or _form(text)
        self._parts = [self._low[unit.start : unit.end] for unit in self.units]
        self.words = list(map(words_of, self._parts))

    @property
    def text_wordings(self) -> TextWordings:
        """The wordings that tell of words said elsewhere."""
        return self._cards.texts

    def label_content(self, label: str, span: Span) -> tuple[str, bool]:
        """What a label is of that stands in `span`, by words outside of it, else by what an
        earlier message said; "" where neither says it. True for an earlier one's.
        """
        start, content = self.labels.get(label, (-1, ""))
        if content:
            return ("" if span[0] <= start < span[1] else content), False
        return self._known_labels.get(label, ""), True

    def is_readable(self) -> bool:
        """True where the talk is in the language of the cards, as far as its words tell."""
        common = self._cards.common
        total = known = 0
        for words in self.words:
            total += len(words)
            if not common.isdisjoint(words):
                known += sum(map(common.__contains__, words))
                if known > _SURE:
                    return True
        if total <= _FEW:
            return self.text.isascii()
        return known * _SHARE >= total

    def features(self, index: int) -> set[str]:
        """The features of the unit `index`, by name."""
        cards, unit, words = self._cards, self.units[index], self.words
        features = unit_features(words[index], unit, self._names, cards.verbs, cards.not_past)
        if unit.heading >= 0:
            features |= heading_features(words[unit.heading])
        if unit.lead >= 0:
            features |= lead_features(words[unit.lead], cards.verbs)
        return features

    def points_back(self, index: int) -> bool:
        """True for a unit that begins with a word which stands for something said before it."""
        words = self.words[index]
        return bool(words) and words[0] in self._cards.pointing

    def scores(self) -> list[int]:
        """What each unit weighs as a proposal, hundredths of a logit: the sum of its features."""
        return [self._cards.bias + sum(shown.values()) for shown in self._shown()]

    def _shown(self) -> list[dict[str, int]]:
        """Of each unit, those of its `features` that weigh anything, with what they weigh."""
        words, names, weigher = self.words, self._names, self._cards.weigher
        above: dict[tuple[int, int], dict[str, int]] = {}  # by heading and lead-in
        shown = []
        for unit, own in zip(self.units, words, strict=True):
            weights = weigher.weigh(own, unit, names)
            _, _, _, _, heading, lead, _, _ = unit
            if heading >= 0 or lead >= 0:
                governing = above.get((heading, lead))
                if governing is None:
                    governing = above[heading, lead] = {
                        **(weigher.weigh_heading(words[heading]) if heading >= 0 else _NOTHING),
                        **(weigher.weigh_lead(words[lead]) if lead >= 0 else _NOTHING),
                    }
                weights.update(governing)
            shown.append(weights)
        return shown

    def proposals(self) -> list[Weighed]:
        """The units that propose, in their order; at most `MOST`."""
        units = self.units
        if not units or self.text[units[0].start] == "{":
            return []
        shown = self._shown()
        bias = self._cards.bias
        scores = [bias + sum(weights.values()) for weights in shown]
        if not propose_together(scores):  # less cannot, without those that put nothing forward
            return []
        if not propose_without(scores, self.is_unsaid):
            return []
        chosen = self._with_options(choose_units(units, scores, self.is_unsaid))
        return [
            Weighed(units[index], _confidence(scores[index]), _reasons(shown[index]))
            for index in chosen
        ]

    def is_unsaid(self, index: int) -> bool:
        """True for a unit that puts nothing forward: it has no word of a course, or one of the
        cards' `unsaid` wordings, all its words stand in quotation marks, it is an offer of help,
        which closes what models write, the header of a table, data, or a title with an address.
        """
        unsaid = self._unsaid.get(index)
        if unsaid is None:
            unsaid = self._unsaid[index] = self._is_unsaid(index)
        return unsaid

    def _is_unsaid(self, index: int) -> bool:
        text, unit = self.text, self.units[index]
        _, start, end, *_ = unit
        return (
            _is_header(unit)
            or not self._puts_forward(index)
            or self._cards.unsaid.match(self._unmarked(index), self._above(unit))
            or ('"' in text and _QUOTATION.fullmatch(text, start, end) is not None)
            or ("{" in text and _DATA.search(text, start, end) is not None)
            or ("://" in text and _REFERENCE.search(text, start, end) is not None)
            or (unit.kind == "sentence" and is_offer(text[start:end]))
        )

    def _above(self, unit: Unit) -> list[str]:
        """The heading and the lead-in that a unit stands under, in small letters."""
        return [self._parts[each] for each in (unit.heading, unit.lead) if each >= 0]

    def reports(self, index: int) -> bool:
        """True for a unit that tells of what was done, or how it is, and puts nothing forward."""
        return self._cards.unsaid.match(self._unmarked(index), reports=True)

    def _unmarked(self, index: int) -> str:
        """The words of a unit in small letters, as far as wordings are sought, without emphasis."""
        part = self._parts[index][:_SAID]
        return part.replace("*", "") if "*" in part else part

    def _puts_forward(self, index: int) -> bool:
        """True for a unit that has a word of a course, or stands under one, or instructs."""
        unit, unsaid = self.units[index], self._cards.unsaid
        return (
            unsaid.puts.occurs(self._parts[index])
            or any(map(unsaid.heads.occurs, self._above(unit)))
            or self.instructs(index)
        )

    def instructs(self, index: int) -> bool:
        """True for a unit of which a clause begins with a verb of instruction, behind a name or an
        adverb at most; not for a title in capitals.
        """
        words, part = self.words[index], self._parts[index]
        if len(words) < READ and len(part) < LOOKED_AT and self._cards.verbs.isdisjoint(words):
            return False
        label = _LABEL.match(part)
        clauses = _CLAUSE.split(part[label.end() :] if label else part)
        if not any(map(self.begins_with_verb, clauses)):
            return False
        unit = self.units[index]
        return _BANNER.fullmatch(self.text, unit.start, unit.end) is None

    def begins_with_verb(self, clause: str) -> bool:
        """True of words in small letters that begin with a verb of instruction, behind a name or
        an adverb at most.
        """
        words, cards = words_of(clause)[:2], self._cards
        if _NUMBERED.match(clause):  # "and 9 focus on ..."
            return False
        if not words or words[0] in cards.verbs:
            return bool(words)
        leads = words[0] in cards.before_verbs or words[0] in self._names
        return leads and words[-1] in cards.verbs

    def _with_options(self, chosen: list[int]) -> list[int]:
        """`chosen` and the other options beside an option among them, `MOST` at most."""
        units = self.units
        sides = {units[index].lead for index in chosen if self.is_option(index)}
        if not sides:
            return chosen
        beside = [
            index
            for index, unit in enumerate(units)
            if index not in chosen and unit.lead in sides and self.is_option(index)
        ]
        return sorted([*chosen, *beside[: MOST - len(chosen)]])

    def around(self, unit: Unit) -> tuple[Span, Span]:
        """Where the words of `unit` stand, and those of its block."""
        block = [each for each in self.units if each.block == unit.block]
        return (unit.start, unit.end), (block[0].start, block[-1].end)

    def marks(self, span: Span = WHOLE) -> set[int]:
        """The marks of the words between two places (`similarity.text_marks`), taken once; of the
        beginning of the message, if none is named.
        """
        marks = self._marks.get(span)
        if marks is None:
            marks = self._marks[span] = text_marks(self.text[slice(*span)])
        return marks

    def is_option(self, index: int) -> bool:
        """True for an item of a list that begins as an option."""
        return self.units[index].kind == "item" and self.words[index][:1] == [_OPTION]

    def names_option(self, index: int) -> bool:
        """True of a unit that opens its block with the letter or number of an option."""
        return self.units[index].first and self.words[index][:1] == [_OPTION]

    def item_mark(self, unit: Unit) -> str:
        """The letter or number of an item or an option, in small letters: "b", "2"; "" for none."""
        line = self._low.rfind("\n", 0, unit.start) + 1
        mark = _MARK.fullmatch(self._low, line, unit.start) or _NAMED_OPTION.match(
            self._low, unit.start
        )
        return mark[1] if mark is not None else ""

    def placed(self) -> list[Placed]:
        """The wordings of stances and rulings, in the order of the rules."""
        cards, units = self._cards, self.units
        hits = cards.gate.hits(self._low.encode())
        if not hits:
            return []
        opening, headings = self._openings()
        numbers: dict[Place, Sequence[int]] = {
            "opening": opening, "heading": headings, "anywhere": range(len(units)),
        }  # fmt: skip
        placed = []
        for rule in map(cards.rules.__getitem__, hits):
            for number in numbers[rule.place]:
                if self._says(rule, self._parts[number][:_SAID]):
                    placed.append(Placed(rule.act, rule.name, units[number]))
                    break
        return placed

    def each_stance(self) -> list[Placed]:
        """The stance of each unit that says one, opposition before support, in their order.

        What counts at the opening of a message counts here at the beginning of any block.
        """
        rules, gate = self._cards.rules, self._cards.gate
        placed = []
        for unit, whole in zip(self.units, self._parts, strict=True):
            part = whole[:_SAID]
            hits = [rules[index] for index in gate.hits(part.encode())]
            hits = [rule for rule in hits if rule.act in _STANCES]
            for rule in sorted(hits, key=lambda rule: rule.act != "oppose"):
                if rule.place == "opening" and not unit.first:
                    continue
                if rule.place == "heading" and unit.kind != "heading":
                    continue
                if self._says(rule, part):
                    placed.append(Placed(rule.act, rule.name, unit))
                    break
        return placed

    def _says(self, rule: PlacedRule, part: str) -> bool:
        match = rule.pattern.search(part)
        if match is None or (rule.unless and rule.unless.occurs(part)):
            return False
        return rule.act not in _CLAIMS or rule.negative or self._is_meant(part, *match.span())

    def _is_meant(self, part: str, start: int, end: int) -> bool:
        """False for words that are quoted, denied, asked, or said under a condition."""
        if part[start] not in _QUOTES and part.count('"', 0, end) % 2:
            return False
        last = end if part[end - 1].isalnum() else end - 1  # the sign behind it may be a question's
        if self._cards.hedged.occurs(part[last : last + _AROUND]):
            return False
        return not self._cards.denied.occurs(part[max(0, start - _AROUND) : end])

    def _openings(self) -> tuple[list[int], list[int]]:
        """The numbers of the units that the message opens with, and of its headings."""
        names = self._names
        opening: list[int] = []
        headings: list[int] = []
        opened = False
        for number, unit in enumerate(self.units):
            is_heading = unit.kind == "heading"
            if opened and not is_heading:
                continue
            words = list(filter(str.isalpha, self.words[number]))
            if len(words) <= 2 and all(word in names or word in _GREETINGS for word in words):
                continue
            if not opened:
                opening.append(number)
                opened = len(opening) == _OPENING
                is_heading |= len(opening) == 1 and unit.end - unit.start < _TITLE
            if is_heading:
                headings.append(number)
        return opening, headings


_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})
_QUOTATION: Final = re.compile(r'[\s*_-]*"[^"]*"[\s*_.,:;]*')
_CLAUSE: Final = re.compile(r"[:;.!?,][\s*_]+|\s[-–—→]\s")
_BANNER: Final = re.compile(  # "BUILD WINDOW OPEN", a word in small letters at its end at most
    r"(?=(?>[^a-z]*?[A-Z]{3})(?>[^a-z]*?[A-Z]{3}(?![a-z])))[^a-z]*+(?:(?<=[A-Z])[a-z]+\W*)?"
)
# "Answer:", "[review request for ann]": what follows, not of what kind it is, instructs.
_LABEL: Final = re.compile(
    r"[^a-z\[]*(?:\[[^\]\n]{2,60}\]|[a-z-]+(?: [a-z-]+)?[*_]{0,2}:(?=[\s*_]))[*_:]*(?=[^a-z]*[a-z])"
)
_NUMBERED: Final = re.compile(r"[^a-z0-9]*(?:[a-z]+ )?\d+ [a-z]")
_DATA: Final = re.compile(r"[\[{]\s*[\"']\w+[\"']\s*:\s")  # as programs print it
_REFERENCE: Final = re.compile(r"\b(?:URL|DOI|Link|Source):\s*\S+://\S+\s*\Z")
_QUOTES: Final = "\"'"  # a wording that begins with one is the field of a form
_STANCES: Final = ("support", "oppose")
_CLAIMS: Final = ("support", "decide")  # what nobody may be made to have said
_OPTION: Final = "option"
_MARK: Final = re.compile(r"\s*(?:[-*+]\s+)?[*_]{0,2}\(?([a-h]|\d{1,2})[.)][*_]{0,2}\s+[*_]{0,2}")
_NAMED_OPTION: Final = re.compile(r"[\s*_(]{0,4}(?:option\s+)?([a-h]|\d{1,2})(?:[).:]|\s-)")
_GREETINGS: Final = frozenset({"hi", "hello", "hey", "dear", "all", "team", "everyone"})


def _is_header(unit: Unit) -> bool:
    """True for the header of a table, which says what its columns are of."""
    return unit.kind == "row" and not unit.level


def _form(text: str) -> list[Unit]:
    """A message that is one object of data, as a form that was filled in: read as a row."""
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] != "{":
        return []
    return [Unit("row", start, len(text.rstrip()), 0, -1, -1, 0, True)]


def _confidence(score: int) -> int:
    return min(_CONFIDENT, 500 + max(0, score) // 4)


def _reasons(weights: Mapping[str, int]) -> tuple[str, ...]:
    """The features that did most for a unit, the strongest first."""
    known = sorted([(-weight, name) for name, weight in weights.items() if weight > 0])
    return tuple([name for _, name in known[:_REASONS]])
