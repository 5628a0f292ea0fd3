"""A decision in words: what is decided, and what is said against it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from parley.bus.entries import Record
from parley.memory.ledger.ledger_rows import LedgerItem, Side
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.item_state import Cite
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.sentences import sentence_span
from parley.server.verdicts.plain_words import is_question, item_words
from parley.server.verdicts.tallies import shown_sides

QUOTE: Final = 240  # characters of a reason
Records = Mapping[int, Record]  # entries by n

_BY_COURSE: Final = frozenset({"pattern", "structure", "rule", "vote"})
_HANDLE: Final = re.compile(r"\b[PDVM][1-9]\d*\b")
_STAND: Final = re.compile(  # what its line, or its colour, says already
    r"^(?:\[[^\]]{1,60}\]|[+-]\d(?:\.\d+)?(?!\.?\d)(?:\s+(?:to|on)\s+[PD]\d+)?"
    r"|I\s+(?:oppose|object\s+to|am\s+against)\s+[PD]\d+)[\s:;,.!–-]*(?=\w)"
)
_BARE: Final = re.compile(r"[+-]?\d*(?:\.\d+)?[\s.!]*")  # a mark of a vote, and no reason
_WORD: Final = re.compile(r"\w+")
_FEW: Final = 4  # words: fewer name a proposal ("P3 it is", "Agreed") rather than say it


def decision_text(memory: Memory, decision: LedgerItem) -> str:
    """What is decided, in words: never a mere handle, nor a mere yes to a proposal.

    A model's statement says it best. A claim that only the course of the talk shows is told by the
    proposal that it settles.
    """
    if decision.statement:
        return decision.statement
    offer = ledger_of(memory).item(decision.settles[0]) if decision.settles else None
    offered = "" if offer is None else offer.words
    says_it = len(_WORD.findall(_HANDLE.sub("", decision.text))) >= _FEW
    if not says_it or (decision.origin.how in _BY_COURSE and not is_question(offered)):
        words = item_words(offered, offer.origin.rule if offer else None)
        return words or decision.text or decision.topic
    return decision.text or decision.topic


def item_text(memory: Memory, item: LedgerItem) -> str:
    """What is proposed, or decided, in words: without what only leads up to it."""
    if item.kind == "decision":
        return decision_text(memory, item)
    return item.statement or item_words(item.words, item.origin.rule)


class Objection(NamedTuple):
    """Who is against an item, why, if that is known, and the side that they take."""

    participant: str
    text: str | None
    side: Side


def list_objections(memory: Memory, item: LedgerItem, records: Records) -> list[Objection]:
    """Who is against it; who says most of why first, of equals the latest."""
    objections = [
        Objection(name, _objection(memory, item, side, records), side)
        for name, side in shown_sides(memory, item).items()
        if side.stance == "oppose"
    ]
    return sorted(objections, key=_weight)


def _weight(objection: Objection) -> tuple[int, int]:
    return -len(objection.text or ""), -objection.side.n


def reason_words(cite: Cite, records: Records) -> str | None:
    """Why somebody takes a stand: from the sentence on that takes it, without its mark.

    None where the entry of `cite` is not at hand, or says no words.
    """
    content = getattr(records[cite.n].entry, "content", None) if cite.n in records else None
    if not content:
        return None
    words = one_line(content[sentence_span(content, cite.start, cite.end)[0] :])
    said = _STAND.sub("", words)
    return None if _BARE.fullmatch(said) else clip(said, QUOTE)


def _objection(memory: Memory, item: LedgerItem, side: Side, records: Records) -> str | None:
    """As the entry has it, else as a model quotes it or a position keeps it; else None."""
    words = reason_words(side.origin.cites[0], records) or side.text
    person = memory.participants.get(side.participant)
    if words or person is None:
        return words or None
    kept = (person.positions.get(on) for on in (item.handle, *item.settles))
    against = (position for position in kept if position and position.stance == "oppose")
    return next((_STAND.sub("", position.text) for position in against), None)
