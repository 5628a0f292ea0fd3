"""Which of several proposals a written message speaks of: the option that it names, by letter,
number or order, the participant whom it names, the words that it shares.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from parley.memory.extraction.writing.written_message import WHOLE, Placed, WrittenMessage
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.writing.answered_turns import (
    find_likest,
    has_redacted,
    is_addressed,
    standing_proposals,
    turns_of_addressee,
)

_CHOICE: Final = r"(?:option|choice|alternative|variant|approach|proposal|idea|suggestion|plan)"
_MARKED: Final = re.compile(
    rf"\b(?:{_CHOICE}s?|point|item|step|number|no\.)\s+[*_`\"']{{0,2}}([a-h]|\d{{1,2}})\b"
)
_ORDINALS: Final = {
    "first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "latter": -1,
}  # fmt: skip
_ORDERED: Final = re.compile(
    rf"\bthe ({'|'.join(_ORDINALS)})(?:\s+(?:one|{_CHOICE})\b|[\s,.;:!]*$)"
)
_TALLIED: Final = re.compile(r"[\s*_]*(\w[\w .-]{0,40}?)[\s*_]*:")  # "ana: approved"


def find_meant(
    memory: Memory, message: WrittenMessage, wording: Placed, answered: list[Proposal]
) -> list[Proposal]:
    """Which of the proposals of one message somebody speaks of: the option that they name, the
    one that shares most words with what they say, else all of them. None where the words of some
    are gone.
    """
    if len(answered) < 2:
        return answered
    part = message.text[wording.unit.start : wording.unit.end]
    option = named_option(memory, part, answered)
    if option is not None:
        return [option]
    if has_redacted(answered):
        return []
    for span in (*message.around(wording.unit), WHOLE):
        likest = find_likest(message.marks(span), [[each] for each in answered])
        if likest is not None:
            return answered[likest : likest + 1]
    return answered


def named_option(memory: Memory, text: str, answered: Sequence[Proposal]) -> Proposal | None:
    """The one of the proposals of one message that `text` names by letter, number or order."""
    low = text.lower()
    marked = _MARKED.search(low)
    if marked is not None:
        refs = {
            turn.options[marked[1]] for turn in memory.writing.turns if marked[1] in turn.options
        }
        label = re.compile(rf"(?:^|: )option {marked[1]}\b")
        for each in answered:
            if each.ref in refs or label.search(each.text.lower()):
                return each
        return None
    ordered = _ORDERED.search(low)
    if ordered is None or len(answered) < 2:
        return None
    place = _ORDINALS[ordered[1]]
    in_order = sorted(answered, key=lambda each: each.ref)
    return in_order[place] if place < len(in_order) else None


def find_several(
    memory: Memory, who: str, message: WrittenMessage, answered: Sequence[Proposal]
) -> list[tuple[Proposal, Placed]]:
    """Each proposal that a sentence or item of its own speaks of, where there are two or more.

    Only what a sentence names by its option or its proposer, or shares most words with: nothing
    is near enough otherwise. Of two stances on one opposition outweighs.
    """
    stances = message.each_stance()
    if len(stances) < 2:
        return []
    if has_redacted(answered):
        return []
    meant: dict[int, tuple[Proposal, Placed]] = {}
    for placed in stances:
        if is_tallied(memory, who, message, placed):
            continue
        proposal = _one_meant(memory, who, message, placed, answered)
        if proposal is None:
            continue
        known = meant.get(proposal.ref)
        if known is None or (known[1].act != "oppose" and placed.act == "oppose"):
            meant[proposal.ref] = (proposal, placed)
    return list(meant.values()) if len(meant) > 1 else []


def is_tallied(memory: Memory, who: str, message: WrittenMessage, placed: Placed) -> bool:
    """True for an item that tells how somebody else voted ("ana: approved")."""
    unit = placed.unit
    if unit.kind not in ("item", "row"):
        return False
    tallied = _TALLIED.match(message.text, unit.start, unit.end)
    return tallied is not None and is_addressed(memory, who, tallied[1])


def _one_meant(
    memory: Memory,
    who: str,
    message: WrittenMessage,
    placed: Placed,
    answered: Sequence[Proposal],
) -> Proposal | None:
    span = placed.unit.start, placed.unit.end
    text = message.text[slice(*span)]
    option = named_option(memory, text, answered)
    if option is not None:
        return option
    named = [
        each
        for turn in turns_of_addressee(memory, who, text)
        for each in standing_proposals(memory, turn.refs)
    ]
    if len(named) == 1:
        return named[0]
    for some in (named, answered):
        likest = find_likest(message.marks(span), [[each] for each in some]) if some else None
        if likest is not None:
            return some[likest]
    return None
