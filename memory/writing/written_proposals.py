"""What a written message proposes, entered in the ledger: each unit with a text of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from parley.memory.extraction.structure.marking_style import hold_back_unmarked, make_candidate
from parley.memory.extraction.writing.item_texts import is_told, item_span, item_text
from parley.memory.extraction.writing.text_context import ItemText
from parley.memory.extraction.writing.unit_texts import tidy
from parley.memory.extraction.writing.written_message import Span, Weighed, WrittenMessage
from parley.memory.items import proposals
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Proposal
from parley.memory.writing.answered_turns import standing_proposals
from parley.memory.writing.labels import cite_label

_STANDING: Final = ("active", "accepted", "adopted")
_RELAYED: Final = 2  # proposals of one earlier message in its words: it is passed on


class _Worded(NamedTuple):
    """A unit that proposes, where it stands with what belongs to it, and its text."""

    weighed: Weighed
    span: Span
    words: ItemText


def propose_units(
    moment: FoldStep, message: WrittenMessage, weighed: Sequence[Weighed], *, sure: bool
) -> tuple[dict[str, int], list[int]]:
    """Enter what the units `weighed` propose: the numbers of the proposals by the letters or
    numbers of their items, and the earlier proposals that a message only passes on.

    They are candidates unless they are `sure`: in paragraphs of a channel wordings are right
    less often than in documents.
    """
    units = [each.unit for each in weighed]
    worded = []
    for each in weighed:
        span = item_span(message, each.unit, units)
        words = item_text(message, each.unit, span)
        if is_told(message, each.unit, words.text):
            worded.append(_Worded(each, span, words))
    passed_on = _passed_on(moment, worded)
    options: dict[str, int] = {}
    for place, item in enumerate(worded):
        made = None if place in passed_on else _propose(moment, message, item, sure=sure)
        if made is not None and (mark := message.item_mark(item.weighed.unit)):
            options[mark] = made.ref
    return options, list(passed_on.values())


def _passed_on(moment: FoldStep, worded: Sequence[_Worded]) -> dict[int, int]:
    """Which of `worded` say again what an earlier message proposed, by their places, where the
    message relays that: it has two of its proposals in the same words, which came to something or
    are open.
    """
    if len(worded) < _RELAYED or moment.rewords:  # an edit says again what it says
        return {}
    memory = moment.memory
    standing = {
        proposal.text: proposal
        for turn in memory.writing.turns
        if len(turn.refs) >= _RELAYED
        for proposal in standing_proposals(memory, turn.refs)
        if proposal.status in _STANDING and proposal.born != moment.n
    }
    said = {
        place: earlier
        for place, each in enumerate(worded)
        if (earlier := standing.get(each.words.text))
    }
    together = Counter(earlier.born for earlier in said.values())
    return {
        place: earlier.ref for place, earlier in said.items() if together[earlier.born] >= _RELAYED
    }


def _propose(
    moment: FoldStep, message: WrittenMessage, worded: _Worded, *, sure: bool
) -> Proposal | None:
    unit, confidence, reasons, rules = worded.weighed
    text, label, own = worded.words
    origin = moment.origin(
        "pattern",
        f"{rules}propose: " + "; ".join(reasons),
        confidence,
        start=worded.span[0], end=worded.span[1], also=cite_label(moment.memory, label),
    )  # fmt: skip
    topic = tidy(message.text[unit.start : unit.end])
    made = proposals.propose(moment, text, origin, topic=topic, own=own)
    if made is None:
        return None
    if sure:
        hold_back_unmarked(moment, made)
    else:
        make_candidate(moment, made)
    return made
