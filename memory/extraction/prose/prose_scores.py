"""Whether a message proposes, and what; whether it rules. Linear in the message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from parley.memory.extraction.prose.prose_tables import (
    ONE,
    UNIT_HEADS,
    Head,
    ProseTables,
    bits,
    unpack,
)
from parley.memory.extraction.prose.unit_signs import (
    FAMILIES,
    UnitSigns,
    form_signs,
    name_signs,
    read_signs,
    weigh_form,
)
from parley.memory.extraction.writing.chosen_units import ODDS, drop_governing
from parley.memory.extraction.writing.units import Unit

MOST: Final = 4  # proposals of one message
_MANY: Final = (1, 3, 8, 20)  # units of a message
_EARLIER: Final = 4  # proposing messages; more before a message count as so many
_STRONG: Final = 4  # signs that are named as reasons


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known of a message beside its words.

    `rules`: its author may rule, or has a name as those have who may; `earlier`: how many messages
    proposed before it.
    """

    rules: bool = False
    earlier: int = 0


class UnitScores(NamedTuple):
    """What a unit weighs, hundredths of a logit, as a proposal and as a ruling."""

    propose: int
    decide: int


class ProseMessage:
    """A message of `units` with their `words`, read by `tables`."""

    __slots__ = ("_scores", "_signs", "setting", "tables", "units", "words")

    def __init__(
        self,
        units: list[Unit],
        words: list[list[str]],
        tables: ProseTables,
        setting: Setting,
    ) -> None:
        self.units, self.words, self.tables, self.setting = units, words, tables, setting
        self._signs: list[UnitSigns] | None = None
        self._scores: list[UnitScores] | None = None

    @property
    def signs(self) -> list[UnitSigns]:
        """What each unit shows; read when it is asked for."""
        if self._signs is None:
            tables = self.tables
            self._signs = [read_signs(each, tables) for each in self.words]
        return self._signs

    def scores(self) -> list[UnitScores]:
        """What each unit weighs."""
        if self._scores is None:
            self._scores = self._weigh()
        return self._scores

    def _weigh(self) -> list[UnitScores]:
        tables, signs, words = self.tables, self.signs, self.tables.words
        weights, count = tables.units, len(self.units)
        families = [weights.family(name) for name in FAMILIES]
        under, led = weights.family("under+"), weights.family("led+")
        shared = weights.sign("") + sum(map(weights.sign, self._setting_signs()))
        extra = [weights.family(name) for name in self._setting_families()]
        titles = weights.family("title+")
        weighed, known = tables.weighed.intersection, words.__getitem__
        scores = []
        for place, (unit, own, said) in enumerate(zip(self.units, signs, self.words, strict=True)):
            total = shared + weigh_form(unit, place, count, tables)
            whole = own.whole
            if whole:
                for family, mask in zip(families, own, strict=True):
                    if mask:
                        total += family[mask]
                for family in extra:
                    total += family[whole]
                if unit.kind == "heading":
                    total += titles[whole]
            if unit.heading >= 0:
                total += under[signs[unit.heading].whole]
            if unit.lead >= 0:
                total += led[signs[unit.lead].whole]
            propose, decide = unpack(total, len(UNIT_HEADS))
            propose += sum(map(known, weighed(said)))
            scores.append(UnitScores(propose, decide))
        return scores

    def certainty(self, head: Head) -> int:
        """How often a message with such a score does it, per mille, on talk that was left out; 0
        if the score is below the least one that is read.
        """
        odds = any_odds([getattr(each, head) for each in self.scores()])
        tables = self.tables
        return tables.certainty_of(head, odds) if odds >= ODDS[tables.least[head]] else 0

    def likeliest(self, head: Head) -> int:
        """The place of the unit that does it most."""
        scores = [getattr(each, head) for each in self.scores()]
        return max(range(len(scores)), key=scores.__getitem__)

    def proposing(self) -> list[int]:
        """The places of the units that say what the message proposes."""
        return choose_units(self.units, [each.propose for each in self.scores()])

    def name_signs(self, place: int) -> Iterator[str]:
        """The signs of a unit by name, its words last, each behind "word "."""
        unit, own, tables = self.units[place], self.signs[place], self.tables
        yield from form_signs(unit, place, len(self.units))
        yield from self._setting_signs()
        yield from name_signs(own, tables)
        whole = [tables.classes[bit] for bit in bits(own.whole)]
        for family in self._setting_families():
            yield from (f"{family}{name}" for name in whole)
        if unit.kind == "heading":
            yield from (f"title+{name}" for name in whole)
        for above, prefix in ((unit.heading, "under+"), (unit.lead, "led+")):
            if above >= 0:
                mask = self.signs[above].whole
                yield from (f"{prefix}{tables.classes[bit]}" for bit in bits(mask))
        yield from (f"word {word}" for word in dict.fromkeys(self.words[place]))

    def _setting_signs(self) -> list[str]:
        setting, count = self.setting, len(self.units)
        signs = [f"@earlier{min(setting.earlier, _EARLIER)}"]
        signs.append(f"@units{next((most for most in _MANY if count <= most), 'more')}")
        if setting.rules:
            signs.append("@rules")
        return signs

    def _setting_families(self) -> list[str]:
        families = []
        if self.setting.rules:
            families.append("ruler+")
        if len(self.units) <= _MANY[1]:
            families.append("short+")
        return families

    def reasons(self, place: int, head: str) -> tuple[str, ...]:
        """The signs that do most for a unit, the strongest first."""
        weights = self.tables.data["heads"][head]
        words = self.tables.words if head == "propose" else {}
        known = [
            (-(words.get(name[5:], 0) if name[:5] == "word " else weights.get(name, 0)), name)
            for name in self.name_signs(place)
        ]
        return tuple(name for weight, name in sorted(known)[:_STRONG] if weight < 0)


def any_odds(scores: Iterable[int]) -> int:
    """The odds that at least one of several is so, each by its own score."""
    none = ONE
    for score in scores:
        none = none * (ONE + ODDS[score]) >> 40
    return none - ONE


def choose_units(units: list[Unit], scores: list[int]) -> list[int]:
    """The units that say what a proposing message proposes: those likelier than not, else one.

    At most `MOST`, the likeliest; none above another that does.
    """
    ranked = sorted(range(len(units)), key=lambda place: (-scores[place], place))
    chosen = {place for place in ranked[:MOST] if scores[place] > 0} or set(ranked[:1])
    return drop_governing(units, chosen)
