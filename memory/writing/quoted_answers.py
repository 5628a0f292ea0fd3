"""Short answers that a later message quotes: what they answer, and that they were proposals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from parley.memory.extraction.structure.marking_style import WRITTEN
from parley.memory.items import proposals
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Cite, Origin, Proposal
from parley.memory.state.line_state import Turn
from parley.memory.state.memory import Memory
from parley.memory.text.block_words import plain
from parley.memory.writing.answered_turns import PLACED, standing_proposals

_READ: Final = 4000  # characters of a message that are looked at for what it is about
_QUOTE: Final = re.compile(r'"([^"\n]{1,200})"')
_ASKED: Final = " (asked: "  # stands between an answer and what it answers
_TASK: Final = re.compile(r"[?:？：]")
_LEAST_QUOTE: Final = 12  # characters: a shorter quotation is a word of somebody's


def find_quoted(moment: FoldStep, text: str) -> list[Proposal]:
    """The proposals, by whoever, that `text` gives in quotation marks.

    A short message that is quoted like that was an answer: it is entered as a proposal now.
    """
    if '"' not in text:
        return []
    memory = moment.memory
    quotes = {
        _key(match[1]) for match in _QUOTE.finditer(text, 0, _READ) if len(match[1]) >= _LEAST_QUOTE
    }
    quotes.discard("")  # of nothing but stops: neither an answer nor an item that has shrunk
    if not quotes:
        return []
    for turn in memory.writing.turns:
        if turn.text and _key(turn.text) in quotes:
            _enter_answer(moment, turn)
    refs = [ref for turn in memory.writing.turns for ref in turn.refs]
    known = {proposal.ref: proposal for proposal in standing_proposals(memory, refs)}
    return [proposal for proposal in known.values() if _key(_answer_in(proposal.text)) in quotes]


def _enter_answer(moment: FoldStep, turn: Turn) -> None:
    """Enter a short answer as what was proposed, told with what it answers."""
    then = moment.earlier(turn.n, moment.memory.named(turn.who), turn.text, 0, turn.at)
    asked = _asked_before(moment.memory, turn)
    cites = [Cite(turn.n, 0, len(turn.text)), Cite(moment.n, 0, len(moment.content))]
    if asked is not None:
        cites.append(Cite(asked.n, 0, len(asked.text)))
    origin = Origin(tuple(cites), "pattern", f"{WRITTEN}quoted", PLACED)
    answer = text = plain(" ".join(turn.text.split()))
    if asked is not None:
        text = f"{answer}{_ASKED}{plain(' '.join(asked.text.split()))})"
    made = proposals.propose(then, text, origin, topic=answer, own=answer)
    if made is not None:
        turn.refs.append(made.ref)
        turn.text, turn.at = "", None


def _asked_before(memory: Memory, answer: Turn) -> Turn | None:
    """The turn right before a short answer, where somebody else asked or set a task in it."""
    for turn in memory.writing.turns:
        if turn.place == answer.place - 1 and memory.named(turn.who) != memory.named(answer.who):
            return turn if _TASK.search(turn.text) else None
    return None


def _answer_in(text: str) -> str:
    """The words of an answer, without what it is told with."""
    return text.partition(_ASKED)[0]


def repeats_quoted(text: str, quoted: Sequence[Proposal]) -> bool:
    """True where `text` says again, in quotation marks, what was proposed."""
    if not quoted:
        return False
    part = text.casefold()
    return any(_key(_answer_in(proposal.text)) in part for proposal in quoted)


def _key(text: str) -> str:
    return text.casefold().strip(" .!?\"'")
