"""Which earlier proposals a written message likely supports, by fitted tables.

A pair of the message and an earlier turn that proposed has signs: the classes of words that the
message begins with, how near the turn is, who spoke since, whom the message names, the words that
both have. Their weights add up. A side found in this way is a candidate, never firm. Only the turns
that memory keeps (`answered_turns.TURNS`) are looked at, so the cost has a bound.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from parley.bus.entries import Message
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.prose.prose_scores import ProseMessage
from parley.memory.extraction.prose.prose_tables import ProseTables, bits, current_tables
from parley.memory.extraction.prose.unit_signs import UnitSigns
from parley.memory.extraction.structure.marking_style import LIKELY
from parley.memory.extraction.writing.chosen_units import ODDS
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.items import decisions
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Proposal, Reaction
from parley.memory.state.line_state import Turn
from parley.memory.state.memory import Memory
from parley.memory.writing.answered_turns import find_likest, has_redacted, standing_proposals

HEAD: Final = "support"  # of the tables
_TOP: Final = 3  # units that a message begins with
_GREETING: Final = 2  # words of a unit that says nothing, if they are in no class
_HEAD: Final = 160  # characters of a message in which it says whom it is to
_QUOTE: Final = re.compile(r'"([^"\n]{15,200})"')
_QUOTED: Final = 4000  # characters of a message in which quotations are sought
_WORD: Final = re.compile(r"[a-z]{3,}")
_STRONG: Final = 4  # signs that are named as reasons

Pair = tuple[int, int, frozenset[str]]  # n of a message, n of what it may be for, the signs

_watched: ContextVar[list[Pair] | None] = ContextVar("_watched", default=None)


class Target(NamedTuple):
    """A turn that a message may be for: what others proposed in it, and the signs of the pair."""

    proposals: list[Proposal]
    signs: tuple[str, ...]


@contextmanager
def watch_pairs() -> Iterator[list[Pair]]:
    """Collect every pair that is looked at: weights are fitted on these."""
    pairs: list[Pair] = []
    token = _watched.set(pairs)
    try:
        yield pairs
    finally:
        _watched.reset(token)


def take_likely_sides(
    moment: FoldStep,
    entry: Message,
    message: WrittenMessage,
    prose: ProseMessage,
    marks: Sequence[Detection],
    *,
    proposes: bool,
) -> None:
    """Record, as candidates, the sides that the author of the message likely takes.

    An author gets no side on their own proposals or where they took one before; no message does
    that has a mark of a side, or that a model reads.
    """
    memory = moment.memory
    if memory.is_read or not message.units or any(mark.reacts for mark in marks):
        return
    targets = find_targets(memory, moment.participant, entry, message, proposes=proposes)
    if not targets:
        return
    tables = prose.tables
    classes = class_masks(message.words, prose.signs)
    pairs = _watched.get()
    if pairs is not None:
        of_message = name_classes(classes, tables)
        for target in targets:
            born = target.proposals[0].born
            pairs.append((moment.n, born, frozenset((*of_message, *target.signs))))
    said = tables.sides.sign("") + sum(
        tables.sides.family(family)[mask] for family, mask in zip(FAMILIES, classes, strict=True)
    )
    weights, least = tables.data["heads"][HEAD], tables.least[HEAD]
    for target in targets:
        score = said + sum([weights[sign] for sign in target.signs if sign in weights])
        if score >= least:
            _support(moment, message, target, tables.certainty_of(HEAD, ODDS[score]))


# -- the signs of a message ------------------------------------------------------------

FAMILIES: Final = ("1+", "1!", "1^", "3+", "a+")  # first unit, denied, first word, top, anywhere


def class_masks(words: Sequence[Sequence[str]], signs: Sequence[UnitSigns]) -> list[int]:
    """The classes of the `words` of each unit of a message, one mask for each of `FAMILIES`;
    `signs` are what each unit shows.
    """
    top = whole = found = 0
    first = signs[0]
    for said, shown in zip(words, signs, strict=True):
        own = shown.whole
        whole |= own
        if found < _TOP and (own or len(said) > _GREETING):
            if not found:
                first = shown
            found += 1
            top |= own
    return [first.whole, first.denied, first.first, top, whole]


def name_classes(masks: Sequence[int], tables: ProseTables) -> list[str]:
    """The signs of `class_masks` by name."""
    return [
        f"{family}{tables.classes[bit]}"
        for family, mask in zip(FAMILIES, masks, strict=True)
        for bit in bits(mask)
    ]


# -- the signs of a pair ---------------------------------------------------------------


def find_targets(
    memory: Memory, who: str, entry: Message, message: WrittenMessage, *, proposes: bool
) -> list[Target]:
    """The turns in which others proposed, newest first, each with its signs.

    Turns with redacted words are left out. A reply has the message that it answers alone.
    """
    turns = memory.writing.turns
    writers = [memory.named(turn.who) for turn in turns]
    eligible = [
        (place, proposals)
        for place in range(len(turns) - 1, -1, -1)
        if writers[place] != who
        and (entry.re is None or turns[place].n == entry.re)
        and (proposals := _of_others(memory, who, turns[place]))
    ]
    if not eligible:
        return []
    shares = [_share(message.marks(), proposals) for _, proposals in eligible]
    ranked = sorted(shares, reverse=True)
    calls = _names_of(writers)
    talk = _Talk(
        who,
        writers,
        [calls[word] for word in _WORD.findall(message.text[:_HEAD].lower()) if word in calls],
        {calls[word] for words in message.words for word in words if word in calls},
        _quotes_of(message.text),
    )
    shared = [_UNITS[len(message.units)], _WRITERS[len({*writers})], _OPEN[len(eligible)]]
    known = (("proposes", proposes), ("names", talk.head), ("quotes", talk.quotes))
    shared += [sign for sign, is_so in known if is_so]
    authors: list[str] = []
    targets = []
    for rank, ((place, proposals), share) in enumerate(zip(eligible, shares, strict=True)):
        author = writers[place]
        is_newest = author not in authors
        if is_newest:
            authors.append(author)
        signs = [
            *shared, _BACK[memory.messages - turns[place].place], _RANK[rank],
            _AUTHOR[authors.index(author)], _SHARES[share], _BEST[ranked.index(share)],
            _COUNT[len(proposals)], *_signs_of_talk(talk, place, "new" if is_newest else "old"),
            *_signs_of_words(talk, proposals),
        ]  # fmt: skip
        targets.append(Target(proposals, tuple(signs)))
    return targets


class _Talk(NamedTuple):
    """What a message says of others: `writers` are those of the turns, the oldest first."""

    who: str  # its author
    writers: list[str]
    head: list[str]  # whom it names in its beginning
    named: set[str]  # and anywhere
    quotes: list[str]  # in small letters


def _signs_of_talk(talk: _Talk, place: int, mark: str) -> list[str]:
    """The signs of who spoke since the turn at `place`, and whom the message names.

    `mark` tells if it is the newest of its author that proposed.
    """
    author, since = talk.writers[place], talk.writers[place + 1 :]
    signs = [mark, _OWN[since.count(talk.who)], _OTHERS[len({*since, author}) - 1]]
    if author not in since:
        signs.append("last")
    if author in talk.head:
        signs.append(f"called {mark}" if talk.head[0] == author else f"head {mark}")
    elif talk.head:
        signs.append("head other")
    if author in talk.named:
        signs.append(f"named {mark}")
    elif talk.named:
        signs.append("named other")
    return signs


def _signs_of_words(talk: _Talk, proposals: Sequence[Proposal]) -> list[str]:
    """The signs of what was proposed: whether it is sure, and quoted."""
    signs = ["candidate"] if all(each.candidate for each in proposals) else []
    if talk.quotes:
        texts = [each.text.casefold() for each in proposals]
        is_quoted = any(quote in text for quote in talk.quotes for text in texts)
        signs.append("quoted" if is_quoted else "quotes other")
    return signs


def _of_others(memory: Memory, who: str, turn: Turn) -> list[Proposal]:
    """The proposals of others than `who` in `turn`; none if some of their words are redacted."""
    if not turn.refs:
        return []
    proposals = [
        each
        for each in standing_proposals(memory, turn.refs)
        if not each.struck and each.merged is None and memory.named(each.participant) != who
    ]
    return [] if has_redacted(proposals) else proposals


def _share(marks: set[int], proposals: Sequence[Proposal]) -> int:
    """How many of a proposal's words are among `marks`, per mille: of the one that has most."""
    most = 0
    for each in proposals:
        known = each.fingerprint
        if known and (share := 1000 * len(marks.intersection(known)) // len(known)) > most:
            most = share
    return most


class _Parts(dict[int, str]):
    """The sign of a count by the part of the numbers that it is in; kept as they come up."""

    def __init__(self, name: str, *most: int) -> None:
        self._name, self._most = name, most

    def __missing__(self, count: int) -> str:
        place = bisect_left(self._most, count)
        sign = f"{self._name}{self._most[place] if place < len(self._most) else 'more'}"
        self[count] = sign
        return sign


_FEW: Final = (0, 1, 2, 4, 8)
_UNITS: Final = _Parts("units", 1, 3, 8, 20)
_WRITERS: Final = _Parts("writers", 1, 2, 4)
_OPEN: Final = _Parts("open", *_FEW)  # turns that the message may be for
_BACK: Final = _Parts("back", 1, 2, 3, 5, 8)  # messages
_RANK: Final = _Parts("rank", *_FEW)  # newer turns among those
_AUTHOR: Final = _Parts("author", *_FEW)  # who proposed since, beside its author
_OWN: Final = _Parts("own", *_FEW)  # turns of the message's author since
_OTHERS: Final = _Parts("others", *_FEW)  # who wrote since, beside its author
_SHARES: Final = _Parts("share", 0, 100, 200, 300, 400, 550)  # per mille of a proposal's words
_BEST: Final = _Parts("best", *_FEW)  # turns that have a larger share
_COUNT: Final = _Parts("count", 1, 3, 8)  # proposals of the turn


def _names_of(writers: Sequence[str]) -> dict[str, str]:
    """The `writers` by each word of their names that no other's has."""
    owners: dict[str, str] = {}
    for name in dict.fromkeys(writers):
        for word in _WORD.findall(name.casefold()):
            owners[word] = name if owners.get(word, name) == name else ""
    return {word: name for word, name in owners.items() if name}


def _quotes_of(text: str) -> list[str]:
    if '"' not in text:
        return []
    return [match[1].strip(" .!?").casefold() for match in _QUOTE.finditer(text, 0, _QUOTED)]


# -- what comes of it ------------------------------------------------------------------


def _support(moment: FoldStep, message: WrittenMessage, target: Target, certainty: int) -> None:
    """Record support of the proposal of `target` that shares most words with the message, else of
    all of them.
    """
    proposals = target.proposals
    if len(proposals) > 1:
        likest = find_likest(message.marks(), [[each] for each in proposals])
        if likest is not None:
            proposals = [proposals[likest]]
    unit = message.units[0]
    weigh = current_tables().sides.sign
    strong = sorted(target.signs, key=lambda sign: (-weigh(sign), sign))[:_STRONG]
    rule = f"{LIKELY}support: {'; '.join(strong)}"
    origin = moment.origin(
        "pattern", rule, certainty, start=unit.start, end=unit.end, link="answer"
    )
    for proposal in proposals:
        if moment.participant not in proposal.reactions:
            side = Reaction(HEAD, conditional=False, counted=False, vote=False, origin=origin)
            decisions.take_side(moment, proposal, side)
