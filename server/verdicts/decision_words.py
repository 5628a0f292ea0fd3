"""A decision in words: what is decided, and what is said against it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from parley.bus.entries import Record
from parley.memory.state.item_state import Cite, Decision, Origin, Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.sentences import sentence_span
from parley.server.verdicts.plain_words import is_question, item_words

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


def decision_text(memory: Memory, decision: Decision) -> str:
    """What is decided, in words: never a mere handle, nor a mere yes to a proposal.

    A claim that only the course of the talk shows is told by the proposal that it settles.
    """
    proposal = memory.proposals.get(decision.resolves or 0)
    offered = "" if proposal is None else proposal.text or proposal.topic
    says_it = len(_WORD.findall(_HANDLE.sub("", decision.outcome))) >= _FEW
    if not says_it or (decision.origin.how in _BY_COURSE and not is_question(offered)):
        words = item_words(offered, proposal.origin.rule if proposal else None)
        return words or decision.outcome or decision.topic
    return decision.outcome or decision.topic


class Objection(NamedTuple):
    """Who is against an item, why, where that is known, and where they say so."""

    participant: str
    text: str | None
    origin: Origin


def list_objections(memory: Memory, item: Proposal | Decision, records: Records) -> list[Objection]:
    """Who is against it; who says most of why first, of equals the latest."""
    objections = [
        Objection(name, _objection(memory, item, name, origin, records), origin)
        for name, origin in _opponents(item)
    ]
    return sorted(objections, key=_weight)


def _opponents(item: Proposal | Decision) -> Iterable[tuple[str, Origin]]:
    if isinstance(item, Decision):
        return item.dissenters.items()
    opposed = (each for each in item.reactions.items() if each[1].stance == "oppose")
    return ((name, reaction.origin) for name, reaction in opposed)


def _weight(objection: Objection) -> tuple[int, int]:
    return -len(objection.text or ""), -objection.origin.cites[0].n


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


def _objection(
    memory: Memory, item: Proposal | Decision, name: str, origin: Origin, records: Records
) -> str | None:
    """As the entry has it, else as the position of `name` keeps it; None where neither does."""
    words = reason_words(origin.cites[0], records)
    if words is not None or (person := memory.participants.get(name)) is None:
        return words
    settles = f"P{item.resolves}" if isinstance(item, Decision) else ""
    kept = (person.positions.get(on) for on in (item.handle, settles))
    against = (position for position in kept if position and position.stance == "oppose")
    return next((_STAND.sub("", position.text) for position in against), None)
