"""The newest turns of written talk: which proposals a message answers, and which it takes up again.

An answer is to the entry that is replied to, else to the newest proposals of the participant whom
it names first, else of somebody who has not spoken of anything else since. Where nothing is near
enough it is to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from parley.bus.entries import Message
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.items.links import find_referred
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Proposal
from parley.memory.state.line_state import Turn, Writing
from parley.memory.state.memory import CALLED, Memory
from parley.memory.text.plain_text import to_plain

TURNS: Final = 16  # newest turns that are kept
PLACED: Final = 600  # per mille: how sure a wording at its place is
_REACH: Final = 8  # messages that an answer may reach back
_ADDRESS: Final = 120  # characters of a message in which it says whom it is to
_WORD: Final = re.compile(r"[a-z]{3,}")
_ANSWER: Final = 200  # characters of a message that may be quoted whole
_READ: Final = 4000  # characters of a message that are looked at for what it is about
_SHARED: Final = 2  # words of a proposal that tell what is meant
_TOMBSTONE: Final = re.compile(r"\[redacted [1-9][0-9]*\]")
_WORDLESS: Final = re.compile(r"redacted [1-9][0-9]*\.[1-9][0-9]*(?: \(unmarked\))?")
_NONE: Final[Mapping[str, int]] = MappingProxyType({})


def note_turn(
    memory: Memory,
    moment: FoldStep,
    entry: Message,
    also: Sequence[int] = (),
    options: Mapping[str, int] = _NONE,
) -> None:
    """Note who wrote a message, which proposals it made or took up again, and under which letters
    and numbers of its lists.
    """
    refs = []
    for handle in memory.at_refs.get(moment.n, ()):
        if handle[0] == "P":
            ref = _root(memory, int(handle[1:]))
            if ref not in refs:
                refs.append(ref)
    refs += [ref for ref in also if ref not in refs]
    is_answer = not refs and len(entry.content) <= _ANSWER and not is_tombstone(entry.content)
    short = to_plain(entry.content) if is_answer else ""
    turn = Turn(
        n=moment.n, place=memory.messages, who=moment.participant, refs=refs, text=short,
        at=entry.at if short else None, options=dict(options),
    )  # fmt: skip
    turns = memory.writing.turns
    turns.append(turn)
    if len(turns) > TURNS:
        del turns[0]


def is_tombstone(content: str) -> bool:
    """True for what stands in the place of words that were redacted."""
    return _TOMBSTONE.search(content, 0, 300) is not None


def forget_turn(writing: Writing, n: int) -> None:
    """Keep no word of entry `n`, which was redacted."""
    for turn in writing.turns:
        if turn.n == n:
            turn.text, turn.at = "", None
    for label in [label for label, each in writing.labels.items() if each.n == n]:
        del writing.labels[label]


def _root(memory: Memory, ref: int) -> int:
    """The first of the proposals that `ref` repeats, of one idea the same."""
    proposal = memory.proposals[ref]
    while (earlier := memory.proposals.get(proposal.echoes or 0)) is not None:
        proposal = earlier
    return proposal.ref


def _addressee(memory: Memory, who: str, text: str) -> str:
    """Whom of those who wrote lately a message names first, in its beginning; "" for nobody.

    Nobody as well where two are called by the same name.
    """
    called: dict[str, set[str]] = {}
    for writer in {turn.who for turn in memory.writing.turns}:
        name = memory.named(writer)
        call = CALLED.match(name.casefold())
        if call is not None and name != who:
            called.setdefault(call[0], set()).add(name)
    for word in _WORD.findall(text[:_ADDRESS].casefold()):
        names = called.get(word)
        if names is not None:
            return min(names) if len(names) == 1 else ""
    return ""


def _turns_of(memory: Memory, name: str) -> list[Turn]:
    """The newest turns of somebody that proposed, in one go, newest first; none where they have
    written a document since that proposes nothing.
    """
    turns: list[Turn] = []
    for turn in reversed(memory.writing.turns):
        if memory.named(turn.who) == name:
            if not turns and memory.messages - turn.place > _REACH:
                break
            if not turns and not turn.refs and not turn.text:
                break
            if turn.refs:
                turns.append(turn)
        elif turns:
            break
    return turns


def is_addressed(memory: Memory, who: str, text: str) -> bool:
    """True where `who` names another who wrote lately."""
    return bool(_addressee(memory, who, text))


def turns_of_addressee(memory: Memory, who: str, text: str) -> list[Turn]:
    """The newest turns that proposed of whom `who` names first in `text`, in one go."""
    name = _addressee(memory, who, text)
    return _turns_of(memory, name) if name else []


def nearest_turns(memory: Memory, who: str, skip: str = "") -> list[Turn]:
    """The newest turns of somebody else that proposed, in one go, newest first.

    None of somebody who said another thing since.
    """
    passed: set[str] = {who, skip}
    turns: list[Turn] = []
    for turn in reversed(memory.writing.turns):
        name = memory.named(turn.who)
        if turns:
            if name != memory.named(turns[0].who):
                break
            if turn.refs:
                turns.append(turn)
        elif memory.messages - turn.place > _REACH:
            break
        elif name not in passed:
            if turn.refs:
                turns.append(turn)
            passed.add(name)
    return turns


def newest_own(memory: Memory, who: str) -> list[int]:
    """What somebody proposed last: they hold on to it."""
    for turn in reversed(memory.writing.turns):
        if turn.refs and memory.named(turn.who) == who:
            return turn.refs
    return []


def find_answered(
    moment: FoldStep,
    entry: Message,
    message: WrittenMessage,
    named: bool,
    parts: Sequence[tuple[int, int]],
) -> list[Proposal]:
    """The proposals that `message` answers, `parts` of which say a stance.

    None where it is `named` in it what it is about.
    """
    memory = moment.memory
    if entry.re is not None:
        item = find_referred(memory, entry.re)
        if isinstance(item, Proposal) and item.born != moment.n:
            return standing_proposals(memory, _born_with(memory, item))
        return []
    if named:
        return []
    name = _addressee(memory, moment.participant, message.text)
    turns = _turns_of(memory, name) if name else nearest_turns(memory, moment.participant)
    answered = [standing_proposals(memory, turn.refs) for turn in turns]
    if len(answered) < 2:
        return answered[0] if answered else []
    if any(has_redacted(some) for some in answered):
        return []
    for part in parts:
        likest = find_likest(message.marks(part), answered)
        if likest is not None:
            return answered[likest]
    shared = _count_shared(message.marks(), answered)
    return answered[shared.index(max(shared))]


def find_likest(marks: set[int], groups: Sequence[Sequence[Proposal]]) -> int | None:
    """The place of the group of which a proposal has most of the words of `marks`, two at least.

    None where there are several such.
    """
    shared = _count_shared(marks, groups)
    best = max(shared)
    return shared.index(best) if best >= _SHARED and shared.count(best) == 1 else None


def _count_shared(marks: set[int], groups: Sequence[Sequence[Proposal]]) -> list[int]:
    return [
        max((len(marks.intersection(each.fingerprint)) for each in some), default=0)
        for some in groups
    ]


def has_redacted(proposals: Sequence[Proposal]) -> bool:
    """True where the words of any are redacted: words do not tell which of them is meant."""
    return any(_WORDLESS.fullmatch(each.text) is not None for each in proposals)


def standing_proposals(memory: Memory, refs: Sequence[int]) -> list[Proposal]:
    return [each for each in map(memory.proposal, refs) if each is not None]


def _born_with(memory: Memory, item: Proposal) -> list[int]:
    handles = memory.at_refs.get(item.born, ())
    return [int(handle[1:]) for handle in handles if handle[0] == "P"] or [item.ref]
