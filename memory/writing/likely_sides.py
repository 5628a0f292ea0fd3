"""Whom a written message is likely for, by fitted tables, where no wording says it.

Each pair of the message and a newer turn that proposed has signs: the classes of words that the
message begins with, how near the turn is, who spoke since, whom the message names, the words that
both have. Their weights add up. What is found so is a candidate, never a firm side. Looks at the
turns that are kept (`answered_turns.TURNS`) alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from parley.bus.entries import Message
from parley.memory.extraction.prose.prose_tables import ProseTables, bits, current_tables
from parley.memory.extraction.prose.unit_signs import UnitSigns, read_signs
from parley.memory.extraction.structure.marking_style import LIKELY
from parley.memory.extraction.writing.chosen_units import ODDS
from parley.memory.extraction.writing.units import Unit
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
_UNITS: Final = (1, 3, 8, 20)  # where the signs of a count part it: one at most, three at most ...
_WRITERS: Final = (1, 2, 4)
_BACK: Final = (1, 2, 3, 5, 8)  # messages
_FEW: Final = (0, 1, 2, 4, 8)
_SHARES: Final = (0, 100, 200, 300, 400, 550)  # per mille of a proposal's words
_STRONG: Final = 4  # signs that are named as reasons

Signs = tuple[str, ...]
Pair = tuple[int, int, frozenset[str]]  # n of a message, n of what it may be for, the signs

_watched: ContextVar[list[Pair] | None] = ContextVar("_watched", default=None)


class Target(NamedTuple):
    """A turn that a message may be for: what others proposed in it, and the signs of the pair."""

    proposals: list[Proposal]
    signs: Signs


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
    moment: FoldStep, entry: Message, message: WrittenMessage, *, proposes: bool
) -> None:
    """Take the message for each turn that it is likely for: as a candidate.

    Not of who said already where they stand, nor of their own proposals; a model that reads the
    talk finds sides itself.
    """
    memory = moment.memory
    if memory.is_read or not message.units:
        return
    targets = find_targets(memory, moment.participant, entry, message, proposes=proposes)
    if not targets:
        return
    tables = current_tables()
    signs = [read_signs(words, tables) for words in message.words]
    classes = class_masks(message.units, message.words, signs)
    pairs = _watched.get()
    if pairs is not None:
        of_message = name_classes(classes, tables)
        for target in targets:
            born = target.proposals[0].born
            pairs.append((moment.n, born, frozenset((*of_message, *target.signs))))
    said = tables.sides.sign("") + sum(
        tables.sides.family(family)[mask] for family, mask in zip(FAMILIES, classes, strict=True)
    )
    weigh, least = tables.sides.sign, tables.least[HEAD]
    for target in targets:
        score = said + sum(map(weigh, target.signs))
        if score >= least:
            _support(moment, message, target, tables.certainty_of(HEAD, ODDS[score]))


# -- the signs of a message ------------------------------------------------------------

FAMILIES: Final = ("1+", "1!", "1^", "3+", "a+")  # first unit, denied, first word, top, anywhere


def class_masks(
    units: Sequence[Unit], words: Sequence[Sequence[str]], signs: Sequence[UnitSigns]
) -> list[int]:
    """The classes of words of a message, one mask for each of `FAMILIES`."""
    top = whole = 0
    first: UnitSigns | None = None
    found = 0
    for own, said in zip(signs, words, strict=True):
        whole |= own.whole
        if found < _TOP and (own.whole or len(said) > _GREETING):
            found += 1
            top |= own.whole
            if first is None:
                first = own
    if first is None:
        first = signs[0]
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
    """The turns of others that proposed, newest first, each with its signs.

    None of which words are gone. A reply is to the message that it replies to alone.
    """
    turns = memory.writing.turns
    eligible: list[tuple[Turn, list[Proposal]]] = []
    for turn in reversed(turns):
        if turn.refs and memory.named(turn.who) != who:
            proposals = [
                each
                for each in standing_proposals(memory, turn.refs)
                if each.stands and memory.named(each.participant) != who
            ]
            if proposals and not has_redacted(proposals):
                eligible.append((turn, proposals))
    if entry.re is not None:
        eligible = [each for each in eligible if each[0].n == entry.re]
    if not eligible:
        return []
    shares = [_share(message.marks(), proposals) for _, proposals in eligible]
    ranked = sorted(shares, reverse=True)
    calls = _names_of(memory, turns)
    head = [calls[word] for word in _WORD.findall(message.text[:_HEAD].lower()) if word in calls]
    named = {calls[word] for words in message.words for word in calls.keys() & set(words)}
    quotes = _quotes_of(message.text)
    shared = [
        _part("units", len(message.units), _UNITS),
        _part("writers", len({memory.named(turn.who) for turn in turns}), _WRITERS),
        _part("open", len(eligible), _FEW),
    ]
    if proposes:
        shared.append("proposes")
    if head:
        shared.append("names")
    if quotes:
        shared.append("quotes")
    authors: list[str] = []
    targets = []
    for rank, ((turn, proposals), share) in enumerate(zip(eligible, shares, strict=True)):
        author = memory.named(turn.who)
        is_newest = author not in authors
        if is_newest:
            authors.append(author)
        since = [memory.named(each.who) for each in turns if each.place > turn.place]
        mark = "new" if is_newest else "old"
        signs = [
            *shared,
            mark,
            _part("back", memory.messages - turn.place, _BACK),
            _part("rank", rank, _FEW),
            _part("author", authors.index(author), _FEW),
            _part("own", since.count(who), _FEW),
            _part("others", len({*since} - {author}), _FEW),
            _part("share", share, _SHARES),
            _part("best", ranked.index(share), _FEW),
            _part("count", len(proposals), _UNITS),
        ]
        if author not in since:
            signs.append("last")
        if author in head:
            signs.append(f"called {mark}" if head[0] == author else f"head {mark}")
        elif head:
            signs.append("head other")
        if author in named:
            signs.append(f"named {mark}")
        elif named:
            signs.append("named other")
        if all(each.candidate for each in proposals):
            signs.append("candidate")
        if quotes:
            texts = [each.text.casefold() for each in proposals]
            is_quoted = any(quote in text for quote in quotes for text in texts)
            signs.append("quoted" if is_quoted else "quotes other")
        targets.append(Target(proposals, tuple(signs)))
    return targets


def _part(name: str, count: int, parts: Sequence[int]) -> str:
    place = bisect_left(parts, count)
    return f"{name}{parts[place]}" if place < len(parts) else f"{name}more"


def _share(marks: set[int], proposals: Sequence[Proposal]) -> int:
    """How many of a proposal's words are among `marks`, per mille: of the one that has most."""
    return max(
        1000 * len(marks.intersection(each.fingerprint)) // max(1, len(each.fingerprint))
        for each in proposals
    )


def _names_of(memory: Memory, turns: Sequence[Turn]) -> dict[str, str]:
    """Who wrote `turns`, by each word of their names that no other's has."""
    owners: dict[str, str] = {}
    for name in dict.fromkeys(memory.named(turn.who) for turn in turns):
        for word in _WORD.findall(name.casefold()):
            owners[word] = name if owners.get(word, name) == name else ""
    return {word: name for word, name in owners.items() if name}


def _quotes_of(text: str) -> list[str]:
    if '"' not in text:
        return []
    return [match[1].strip(" .!?").casefold() for match in _QUOTE.finditer(text, 0, _QUOTED)]


# -- what comes of it ------------------------------------------------------------------


def _support(moment: FoldStep, message: WrittenMessage, target: Target, certainty: int) -> None:
    """Have who speaks be for what they mean of `target`: the proposal that has most of their
    words, else all.
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
