"""What a written message does to the ledger: what it proposes, whom it answers, what it rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from parley.bus.entries import Message
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.prose.prose_scores import ProseMessage, Setting
from parley.memory.extraction.prose.prose_tables import current_tables
from parley.memory.extraction.structure.marking_style import LIKELY
from parley.memory.extraction.writing.back_references import is_bare_verdict
from parley.memory.extraction.writing.cards import shipped_cards
from parley.memory.extraction.writing.ruling_texts import join_proposed, ruling_text
from parley.memory.extraction.writing.unit_texts import tidy
from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.written_message import Placed, Weighed, WrittenMessage
from parley.memory.items import decisions, proposals
from parley.memory.items.item_acts import apply_acts
from parley.memory.items.late_items import read_late
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Cite, Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import to_plain
from parley.memory.text.similarity import text_marks
from parley.memory.writing import answered_turns
from parley.memory.writing.labels import cite_label, note_labels
from parley.memory.writing.likely_sides import take_likely_sides
from parley.memory.writing.quoted_answers import find_quoted, repeats_quoted
from parley.memory.writing.stance_targets import is_tallied
from parley.memory.writing.written_proposals import propose_units
from parley.memory.writing.written_stances import find_stance, placed_origin, take_stances

_CAPPED: Final = 2000  # characters of one message that count toward how long messages are
_WRITTEN: Final = 150  # characters: if messages have as many on average, talk is written
_DOCUMENTS: Final = 260  # the same for talk that documents are the rule in
_TALK: Final = 2  # messages
_LINE: Final = 80  # of a line as people type them
_SHORT_LINES: Final = 4  # where one message in so many at most is such a line
_GREETINGS: Final = 2  # beside some that open a session
_DOCUMENT: Final = 300  # of one that is a document by itself, where it has lines
# Rulings that somebody reports, or that answer no proposal: they settle one by its words alone.
_OF_OTHERS: Final = frozenset({"decide.ruling", "decide.answers", "decide.assigned"})
_BY_WORDS: Final = 2  # words of a proposal that a ruling has which settles it by these alone
_HOLDS: Final = "oppose.still"  # the wording of somebody who holds on to what they proposed
_FIXES: Final = "decide.output"  # of a document that sets down what was decided
_NOTHING_NEW: Final = frozenset({_HOLDS, _FIXES})  # with either nothing is proposed
_NAME: Final = re.compile(r"[a-z]+")
_HANDLE: Final = re.compile(r"\bP([1-9]\d{0,8})\b")


def is_written(memory: Memory, content: str) -> bool:
    """True for a message to read as a document: it is one, or all the talk is such.

    Counts the message, but not what is left of a redacted one: how long that was is not known.
    `memory.messages` has it already.
    """
    size = len(content)
    writing = memory.writing
    if answered_turns.is_tombstone(content):
        writing.redacted += 1
        return _talk_is_written(memory)
    writing.size += min(_CAPPED, size)
    writing.short += size < _LINE
    return reads_as_document(memory, content)


def reads_as_document(memory: Memory, content: str) -> bool:
    """True for words to read as a document, whichever place they have in the talk."""
    return _is_document(content) or _talk_is_written(memory)


def _is_document(content: str) -> bool:
    is_long = len(content) >= _DOCUMENT and not answered_turns.is_tombstone(content)
    return is_long and content.count("\n", 0, _CAPPED) > 1


def _talk_is_written(memory: Memory, least: int = 0) -> bool:
    """True if messages have `least` characters on average, and few of them are short lines.

    By default as many as prose has; as documents have if proposals are marked, or if it is the
    first message, which often says no more than what the talk is to be about.
    """
    writing = memory.writing
    messages = memory.messages - writing.redacted
    strict = memory.structure.proposals or messages < _TALK
    least = least or (_DOCUMENTS if strict else _WRITTEN)
    lines = writing.short - _GREETINGS
    return writing.size >= least * messages and lines * _SHORT_LINES <= messages


def take_written(moment: FoldStep, entry: Message) -> bool:
    """Let a written message take effect; False where it is not for this reading.

    What is left of a redacted message is tags, and is read as such. Elsewhere a mark outranks
    the wording around it.
    """
    memory = moment.memory
    if answered_turns.is_tombstone(entry.content):
        return False
    text = to_plain(entry.content)
    known = {label: each.text for label, each in memory.writing.labels.items()}
    message = WrittenMessage(text, memory.call_names, shipped_cards(), known)
    if not message.is_readable():
        return False
    marks = tuple(mark for mark in memory.reader.read_marks(text) if not _is_bare(message, mark))
    if marks:
        apply_acts(moment, marks, entry.re)
    placed, weighed = message.placed(), message.proposals()
    anew = moment.rewords is not None
    # where nothing stands on its own, what follows may show more
    if not placed and not weighed and not anew:
        read_late(moment, marks, entry)
    quoted = find_quoted(moment, text)
    taken_up = [proposal.ref for proposal in quoted]
    own = _own(moment, message, placed)
    if own:
        _answer(moment, entry, message, own, marks)
    rules = {each.rule for each in placed}
    if _HOLDS in rules:
        taken_up += answered_turns.newest_own(memory, moment.participant)
    prose = ProseMessage(message.units, message.words, current_tables(), _setting(moment))
    weighed = _proposing(moment, message, prose, placed, marks, weighed)
    said = [each for each in weighed if not _is_said(message, each.unit, marks, quoted)]
    sure = _is_document(entry.content) or _talk_is_written(memory, _DOCUMENTS)
    options, passed_on = propose_units(moment, message, said, sure=sure)
    taken_up += passed_on
    if not anew:
        if len(own) == len(placed) and _talk_is_written(memory):
            take_likely_sides(moment, entry, message, prose, marks, proposes=bool(said))
        answered_turns.note_turn(memory, moment, entry, taken_up, options)
    note_labels(memory, moment.n, message.labels)
    _recall(moment, taken_up)
    return True


def _own(moment: FoldStep, message: WrittenMessage, placed: Sequence[Placed]) -> list[Placed]:
    """The wordings that are the author's own, not reports of how somebody else voted."""
    memory, who = moment.memory, moment.participant
    return [each for each in placed if not is_tallied(memory, who, message, each)]


def _proposing(
    moment: FoldStep,
    message: WrittenMessage,
    prose: ProseMessage,
    placed: Sequence[Placed],
    marks: Sequence[Detection],
    weighed: list[Weighed],
) -> list[Weighed]:
    """The units that propose: by wordings, and where no mark says anything by the tables."""
    if not _NOTHING_NEW.isdisjoint(each.rule for each in placed):
        return []
    return weighed if marks else _take_likely(moment, message, prose, placed, weighed)


def _take_likely(
    moment: FoldStep,
    message: WrittenMessage,
    prose: ProseMessage,
    placed: Sequence[Placed],
    weighed: list[Weighed],
) -> list[Weighed]:
    """Add what the fitted tables find likely where no wording says it: enter a ruling, and return
    the units that propose. A model that reads the talk finds these itself.
    """
    if moment.memory.is_read:
        return weighed
    ruled = any(each.act == "decide" for each in placed)
    if weighed and ruled:
        return weighed
    if not ruled and (certainty := prose.certainty("decide")):
        _take_likely_ruling(moment, message, prose, certainty)
    if weighed or not (certainty := prose.certainty("propose")):
        return weighed
    return [
        Weighed(message.units[place], certainty, prose.reasons(place, "propose"), LIKELY)
        for place in prose.proposing()
    ]


def _setting(moment: FoldStep) -> Setting:
    """What is known of a message beside its words."""
    memory, who = moment.memory, moment.participant
    named = _NAME.findall(who.lower())
    return Setting(
        rules=who in memory.chairs or not current_tables().rulers.isdisjoint(named),
        earlier=sum(bool(turn.refs) for turn in memory.writing.turns),
    )


def _take_likely_ruling(
    moment: FoldStep, message: WrittenMessage, prose: ProseMessage, certainty: int
) -> None:
    """Enter what the message most likely decides, in the unit that says so most."""
    place = prose.likeliest("decide")
    unit = message.units[place]
    text = ruling_text(message, unit).text
    resolves = _named(moment.memory, message.text[unit.start : unit.end])
    rule = f"{LIKELY}decide: {'; '.join(prose.reasons(place, 'decide'))}"
    origin = moment.origin("pattern", rule, certainty, start=unit.start, end=unit.end)
    decisions.claim_decision(moment, text, origin, resolves)


def _is_said(
    message: WrittenMessage, unit: Unit, marks: Sequence[Detection], quoted: Sequence[Proposal]
) -> bool:
    """True where a tag says already what a unit proposes, or somebody did whom it quotes."""
    return any(
        mark.act in ("propose", "amend", "decide")
        and min(mark.start, mark.text_start) < unit.end
        and unit.start < max(mark.end, mark.text_end)
        for mark in marks
    ) or repeats_quoted(message.text[unit.start : unit.end], quoted)


def _recall(moment: FoldStep, refs: Sequence[int]) -> None:
    """Tell which earlier proposals the message says again, without making a new one of it."""
    for ref in dict.fromkeys(refs):
        proposal = moment.memory.proposal(ref)
        if proposal is not None and proposal.born != moment.n:
            proposals.recall(moment, proposal)


def _answer(
    moment: FoldStep,
    entry: Message,
    message: WrittenMessage,
    placed: Sequence[Placed],
    marks: Sequence[Detection],
) -> None:
    """What the message says to what others proposed, where no mark says it."""
    named = any(mark.refs for mark in marks)
    stance = find_stance(placed)
    parts = () if stance is None else message.around(stance.unit)
    answered = answered_turns.find_answered(moment, entry, message, named, parts)
    if not any(mark.reacts for mark in marks):
        take_stances(moment, message, placed, answered)
    if not any(mark.act == "decide" for mark in marks):
        _take_ruling(moment, message, placed, answered)


def _is_bare(message: WrittenMessage, mark: Detection) -> bool:
    """True of a tag that says that something was ruled, and hardly what: its wording tells more."""
    said = message.text[mark.text_start : mark.text_end]
    return mark.act == "decide" and is_bare_verdict(tidy(said), message.text_wordings)


def _take_ruling(
    moment: FoldStep, message: WrittenMessage, placed: Sequence[Placed], answered: list[Proposal]
) -> None:
    """Enter what the message says was decided, by the first of its wordings.

    Who has no preference decides nothing.
    """
    rulings = [each for each in placed if each.act == "decide"]
    if not rulings or any(each.act == "neutral" for each in placed):
        return
    ruling = min(rulings, key=lambda each: each.unit.start)
    ruling_words = ruling_text(message, ruling.unit)
    text, label = ruling_words.text, ruling_words.label
    least = _BY_WORDS if ruling.rule in _OF_OTHERS else len(answered) > 1
    named = _named(moment.memory, message.text[ruling.unit.start : ruling.unit.end])
    resolves = named or _resolved(moment.memory, text, answered, least)
    also = cite_label(moment.memory, label)
    if resolves is not None and not answered_turns.has_redacted([resolves]):
        ruling_words = join_proposed(message, ruling_words, resolves.text, named=named is not None)
        if ruling_words.text != text:
            where = resolves.origin.cites[0]
            also = (*also, Cite(resolves.born, where.start, where.end))
    origin = placed_origin(moment, ruling, also)
    decisions.claim_decision(moment, ruling_words.text, origin, resolves)


def _named(memory: Memory, words: str) -> Proposal | None:
    """The one proposal that a ruling names by its handle; None where it names several."""
    refs = {int(handle[1]) for handle in _HANDLE.finditer(words)}
    return memory.proposal(refs.pop()) if len(refs) == 1 else None


def _resolved(memory: Memory, text: str, answered: list[Proposal], least: int) -> Proposal | None:
    """The proposal that a ruling settles: of those answered the one most like it.

    None that shares fewer than `least` words with it, or than two where a decision has settled
    it before; nor of several where words are gone.
    """
    if not answered or (len(answered) > 1 and answered_turns.has_redacted(answered)):
        return None
    marks = text_marks(text)
    shared = {each.ref: len(marks.intersection(each.fingerprint)) for each in answered}
    likely = [
        each
        for each in answered
        if shared[each.ref] >= (_BY_WORDS if each.ref in memory.resolving else least)
    ]
    return max(likely, key=lambda each: (shared[each.ref], -each.ref), default=None)
