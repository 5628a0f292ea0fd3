"""What may be told of a range: the items that it brought, and the sentences of its talk.

An item carries weight where it is a decision, where its words put something forward, or
where somebody spoke to it. What became of one is told where the words show it, and not where
a later message takes it back. Pure; linear in the range.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from parley.memory.extraction.writing.cards import current_cards
from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.filled_forms import is_form
from parley.memory.summaries.item_words import RangeWords
from parley.memory.summaries.ledger_items import Agreement, Item
from parley.memory.summaries.sentence_roles import shipped_roles
from parley.memory.summaries.talk_sentences import Sentence
from parley.memory.text.similarity import content_stems

_UNWEIGHED: Final = 10  # an item in no sentence of the talk that weighs anything
_DECIDED: Final = 100  # what a decision weighs beside its words
_PUT: Final = 60  # a proposal
_FIGURES: Final = 16  # one that says how much
_OPTIONS: Final = 30  # what is to be chosen from
_OPTION: Final = re.compile(r"\W*option \w\b", re.IGNORECASE)
_FIGURE: Final = re.compile(
    r"\d ?%|[$€£] ?\d|\b\d+(?:\.\d+)? (?:days?|weeks?|hours?|percent|times)\b"
)
_SETTLED: Final = 48  # one that came to something
_FOLLOWS: Final = 30  # one that speaks of what the one before it has brought in
_SUBJECT: Final = re.compile(r"(?:the|these|those) ([a-z]{4,})")
_EARLIER: Final = 10  # the first of a message
_SPOKEN_TO: Final = 12  # each thing that became of it
_SIDES: Final = ("supported", "opposed", "turned to support", "turned to oppose")
_SPOKEN: Final = (*_SIDES, "disputed", "rejected", "accepted", "adopted", "withdrawn", "ratified")
_ENDED: Final = ("accepted", "adopted", "rejected", "ratified")
_OUTCOMES: Final = (*_ENDED, "withdrawn", "carried", "failed")
_TAKEN_BACK: Final = 3  # content words that a correction shares with what it takes back
_BROUGHT: Final = ("proposed", "claimed", "amends", "repeats")  # by its author alone


@dataclass(slots=True)
class Point:
    """One thing that may be told: an item that the range brought, or a sentence of the talk."""

    n: int
    start: int
    end: int
    weight: int
    item: Item | None = None
    agreement: Agreement | None = None
    sentence: Sentence | None = None
    handles: list[str] = field(default_factory=list)  # of the proposals in the sentence
    form: bool = False  # the fields of one
    opens: bool = False  # it opens the range: what was asked for
    title: str = ""  # of its message, where that is told with it
    row: bool = False  # of a table, and told with it
    section: str = ""  # the head of the part of its message that it stands in
    text: str = ""  # the words that found room

    @property
    def who(self) -> str:
        """Who says it."""
        if self.sentence is not None:
            return self.sentence.participant
        changes = self.item.changes if self.item is not None else []
        return next((change.who for change in changes if change.n == self.n), "")

    @property
    def by_person(self) -> bool:
        """True of what a person says, or whoever is in the chair."""
        return self.sentence is not None and self.sentence.person

    @property
    def leads(self) -> bool:
        """True of what leads a list in, or stands for the parts of its message."""
        return self.sentence is not None and self.sentence.leads

    @property
    def is_outcome(self) -> bool:
        """True of a decision, and of a proposal that came to something."""
        changes = self.item.changes if self.item is not None else []
        if self.row and all(change.kind in _BROUGHT for change in changes):
            return False
        return any(change.kind in (*_OUTCOMES, "claimed") for change in changes)

    @property
    def place(self) -> tuple[int, int]:
        return self.n, self.start


def drop_doubtful(
    items: Sequence[Item], gists: Sequence[Sentence], range_words: RangeWords
) -> None:
    """Leave out what became of items where no words show it, or later ones take it back."""
    roles = shipped_roles()
    corrections = [
        (gist.n, set(content_stems(gist.text)))
        for gist in gists
        if roles.has(gist.text, "correction")
    ]
    births = {
        item.ref: range_words.quote(item.birth.n, item.birth.start, item.birth.end)
        for item in items
        if item.birth is not None
    }
    for item in items:
        birth = item.birth
        text = births.get(item.ref, "")
        stems = set(content_stems(text))
        taken_back = birth is not None and any(
            n > birth.n and len(stems & other) >= _TAKEN_BACK for n, other in corrections
        )
        item.changes = [
            change
            for change in item.changes
            if _is_shown(change, item, text, range_words)
            and (change.kind != "superseded" or _is_akin(text, births.get(change.other, "")))
            and not (taken_back and change.kind in _ENDED)
        ]


def _is_akin(text: str, other: str) -> bool:
    """True of two texts that share content words, or of which the range has not both."""
    stems, others = set(content_stems(text)), set(content_stems(other))
    return not stems or not others or len(stems & others) >= _TAKEN_BACK


def _is_shown(change: LedgerChange, item: Item, text: str, range_words: RangeWords) -> bool:
    """False of a side that somebody is said to take in words that do not name the item, and of
    support that grants and objects; of what was adopted by somebody in such words, and of what a
    message settled that shares too few words with it.
    """
    if change.kind in _ENDED and item.ref[:1] == "P" and change.end <= change.start:
        return not text or range_words.speaks_of(change.n, item.ref, text)
    if change.kind not in (*_SIDES, "adopted") or change.end <= change.start:
        return True
    words = range_words.quote(change.n, change.start, change.end)
    if not range_words.names(change.n, change.start, change.end, item.ref, text):
        return False
    return change.kind != "supported" or not shipped_roles().contrasts(words)


def list_item_points(
    items: Sequence[Item], gists: Sequence[Sentence], range_words: RangeWords
) -> list[Point]:
    """The items that the range brought and that carry weight: decisions, and proposals that put
    something forward by their words, or that somebody spoke to.
    """
    weights: dict[int, list[Sentence]] = {}
    for gist in gists:
        weights.setdefault(gist.n, []).append(gist)
    points: list[Point] = []
    for item in items:
        birth = item.birth
        if birth is None:
            spoke = [c for c in item.changes if c.end > c.start and c.kind in _SPOKEN]
            if spoke:
                last = spoke[-1]
                weight = _weigh(weights, last) + _SPOKEN_TO
                points.append(Point(last.n, last.start, last.end, weight, item=item))
            continue
        spoken = sum(change.kind not in _BROUGHT for change in item.changes)
        if not spoken and any(change.kind == "repeats" for change in item.changes):
            continue
        extra = 0
        if birth.kind == "proposed":
            words = range_words.own_words(birth.n, birth.start, birth.end)
            ordered = range_words.is_ordered_text(birth.n) and not spoken
            if ordered or not _puts_forward(words, birth, range_words):
                continue
            extra = _OPTIONS * bool(_OPTION.match(words))
            extra += _FIGURES * (_FIGURE.search(words) is not None)
        weight = _DECIDED if birth.kind == "claimed" else _PUT + extra
        weight += _SPOKEN_TO * min(spoken, 2) + _weigh(weights, birth)
        point = Point(birth.n, birth.start, birth.end, weight, item=item)
        point.row = range_words.is_row(birth.n, birth.start)
        point.weight += _SETTLED * (point.is_outcome and birth.kind == "proposed")
        before = points[-1] if points and points[-1].n == point.n else None
        point.weight += _EARLIER * (before is None)
        if before is not None and birth.kind == "proposed":
            point.weight -= _FOLLOWS * _follows(range_words, before, birth)
        points.append(point)
    return points


def _follows(range_words: RangeWords, before: Point, birth: LedgerChange) -> bool:
    """True of a proposal whose subject the one before it in its message has brought in."""
    subject = _SUBJECT.match(range_words.own_words(birth.n, birth.start, birth.end).lower())
    words = range_words.own_words(before.n, before.start, before.end).lower()
    return subject is not None and subject[1] in words


def _weigh(weights: Mapping[int, Sequence[Sentence]], change: LedgerChange) -> int:
    """What the weightiest sentence of the talk where `change` stands weighs."""
    own = [
        gist.weight for gist in weights.get(change.n, ())
        if gist.start < change.end and change.start < gist.end and not gist.outline
    ]  # fmt: skip
    return max(own, default=_UNWEIGHED)


def _puts_forward(words: str, birth: LedgerChange, range_words: RangeWords) -> bool:
    if words.endswith(("?", "？")):
        return shipped_roles().proposes(words)
    if shipped_roles().thanks.occurs(words):
        return False
    return puts_forward(words) or not range_words.is_written(birth.n)


def puts_forward(words: str) -> bool:
    """True of words that propose, or ask for something and tell of nothing done."""
    roles = shipped_roles()
    return roles.proposes(words) or (
        _is_imperative(words) and not roles.has(words, "result", "cause", "objection")
    )


def _is_imperative(words: str) -> bool:
    """True of words that begin with a verb that asks for something, and is no list's first."""
    first, _, rest = words.partition(" ")
    return first.lower() in current_cards().verbs and bool(rest) and not first.isupper()


def list_talk_points(
    items: Sequence[Item],
    gists: Sequence[Sentence],
    own: Sequence[tuple[int, int]],
    range_words: RangeWords,
) -> list[Point]:
    """The sentences of the talk, with the handles of what they propose; without those that begin
    or go on at the places `own`, which items and questions have.
    """
    taken: dict[int, list[int]] = {}
    for n, start in own:
        taken.setdefault(n, []).append(start)
    born = [item.birth for item in items if item.birth is not None]
    births: dict[int, list[LedgerChange]] = {}
    for birth in born:
        births.setdefault(birth.n, []).append(birth)
    points = []
    for gist in gists:
        if not gist.outline and any(
            gist.start <= start < gist.end for start in taken.get(gist.n, ())
        ):
            continue
        end = max(gist.end, gist.reach)
        if gist.outline:
            end = gist.start
        handles = [
            birth.ref for birth in births.get(gist.n, ())
            if birth.start < end and gist.start < birth.end
            and (birth.kind == "proposed" or range_words.is_row(gist.n, birth.start))
        ]  # fmt: skip
        point = Point(gist.n, gist.start, gist.end, gist.weight, sentence=gist, handles=handles)
        point.form = is_form(gist.text)
        point.opens = gist.n == gists[0].n
        points.append(point)
    return points


def raise_leads(own: Sequence[Point], talk: Sequence[Point]) -> None:
    """Have a list that is led in come before those of its items that nobody spoke to, and the
    outline of a message before all else that it says.
    """
    weights = {
        point.item.ref: point.weight
        for point in own
        if point.item is not None and not point.is_outcome
        and all(change.kind in _BROUGHT for change in point.item.changes)
    }  # fmt: skip
    outcomes: dict[int, int] = {}
    for point in own:
        if point.is_outcome:
            outcomes[point.n] = max(outcomes.get(point.n, 0), point.weight)
    spoken = {point.item.ref for point in own if point.item is not None} - weights.keys()
    for point in talk:
        point.handles = [handle for handle in point.handles if handle not in spoken]
        if point.sentence is not None and point.sentence.leads:
            most = max((weights.get(handle, 0) for handle in point.handles), default=0)
            point.weight = max(point.weight, most + 1)
            point.weight = min(point.weight, outcomes.get(point.n, point.weight + 1) - 1)
    _raise_above_items(talk)
    heaviest: dict[int, int] = {}
    for point in (*own, *talk):
        heaviest[point.n] = max(heaviest.get(point.n, point.weight), point.weight)
    for point in talk:
        if point.sentence is not None and point.sentence.outline:
            point.weight = heaviest[point.n] + 1


def _raise_above_items(talk: Sequence[Point]) -> None:
    """Have what leads a list in come before the sentences of its items."""
    by_message: dict[int, list[Point]] = {}
    for point in talk:
        by_message.setdefault(point.n, []).append(point)
    for points in by_message.values():
        for point in points:
            if not point.leads or point.sentence is None or point.sentence.outline:
                continue
            below = [
                each.weight for each in points if point.end <= each.start < point.sentence.reach
            ]
            point.weight = max([point.weight, *(weight + 1 for weight in below)])


def list_agreement_points(agreements: Sequence[Agreement]) -> list[Point]:
    """The sentences by which somebody was for several items at once."""
    return [
        Point(
            agreement.change.n,
            agreement.change.start,
            agreement.change.end,
            _SPOKEN_TO,
            agreement=agreement,
        )
        for agreement in agreements
    ]
