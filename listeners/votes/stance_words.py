"""Whether an agent's words take a side outright, on a condition, or against the proposal at hand.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from parley.listeners.models.answer_sentences import split_sentences
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.similarity import content_stems

_CONDITION: Final = re.compile(
    r"\b(?:if|unless|provided|providing|assuming|(?:as|so) long as|in case"
    r"|only (?:when|once|after)|on (?:the )?condition|depending on)\b",
    re.IGNORECASE,
)
_NO_CONDITION: Final = (
    re.compile(  # "If I were to decide, I would …" says what its speaker would do
        r"\b(?:even|as|what) if\b|\bif (?:I|we) (?:was|were|had) to\b"
        r"|\bif (?:so|anything|possible|necessary|needed)\b",
        re.IGNORECASE,
    )
)
_STANDS: Final = re.compile(
    r"\bI(?:'d|'ll| (?:also |still |fully |strongly )?"
    r"(?:would|could|can|will|might|may|propose|suggest|recommend|support|agree|accept|oppose"
    r"|object))\b",
    re.IGNORECASE,
)
_AGAINST: Final = re.compile(
    r"\bI(?:'d|'ll)?(?: (?:would|will|do|must|have to|strongly|firmly|still|also)){0,3} "
    r"(?:oppose|object to|reject)\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(r",|\b(?:because|since|as|for|so|but|and I)\b", re.IGNORECASE)
_BY_POINTING: Final = frozenset(content_stems(  # words that say "this", and not what
    "proposal idea plan decision suggestion approach option motion choice message"
))  # fmt: skip

_SHORTEST: Final = 3  # letters that two forms of a word share


def is_conditional(sentence: str) -> bool:
    """Whether what it says hangs on something: "If it fails, …"."""
    return _CONDITION.search(_NO_CONDITION.sub(" ", sentence)) is not None


def is_reserved(text: str, detection: Detection) -> bool:
    """Whether a detection in `text` is conditional, or what stands before it in its sentence is."""
    if detection.conditional:
        return True
    start = 0
    for sentence in split_sentences(text):
        if start <= detection.start < start + len(sentence):
            return is_conditional(sentence[: detection.start - start])
        start += len(sentence)
    return False


def stands_on_condition(text: str, act: str, detections: Sequence[Detection]) -> bool:
    """Whether `text` does `act` on a condition alone, or says what "I would" do on one."""
    outright = [is_reserved(text, each) for each in detections if each.act == act]
    return all(outright) if outright else hangs_on_condition(text)


def hangs_on_condition(text: str) -> bool:
    """Whether a sentence says what its speaker would do on a condition."""
    return any(_STANDS.search(s) and is_conditional(s) for s in split_sentences(text))


def find_opposed(memory: Memory, name: str, text: str, target: int | str | None) -> str | None:
    """The handle of the proposal that `text` of canonical `name` goes against without naming it.

    The one of somebody else that the message is on, or that alone is open: where a sentence is
    against it outright, and points at it or has the half of its words at least from there.
    """
    item = memory.item(target) if isinstance(target, str) else _alone_open(memory)
    if not isinstance(item, Proposal) or item.status != "active" or item.participant == name:
        return None
    detections = memory.reader.read(text)
    if any(each.refs or each.how == "tag" or each.act == "support" for each in detections):
        return None
    others = {*memory.floor.seats, *memory.participants} - {item.participant}
    start = 0
    for sentence in split_sentences(text):
        behind = [
            sentence[each.end - start :] for each in detections
            if each.act == "oppose" and start <= each.start < start + len(sentence)
        ]  # fmt: skip
        behind += [sentence[match.end() :] for match in _AGAINST.finditer(sentence)]
        start += len(sentence)
        outright = "?" not in sentence and not is_conditional(sentence)
        if outright and any(_is_about(item, words, others) for words in behind):
            return item.handle
    return None


def _alone_open(memory: Memory) -> Proposal | None:
    return memory.proposals[next(iter(memory.live))] if len(memory.live) == 1 else None


def _is_about(proposal: Proposal, behind: str, others: set[str]) -> bool:
    """Whether what is opposed, `behind` the word for it, is what `proposal` says."""
    # Behind a word that carries something, those that carry nothing ("this") are left out.
    opposed = set(content_stems(f"oppose {_REASON.split(behind)[0]}")[1:])
    opposed -= _BY_POINTING | set(content_stems(proposal.participant))
    if not opposed.isdisjoint(stem for other in others for stem in content_stems(other)):
        return False
    stems = content_stems(proposal.text)
    shared = {stem for stem in opposed if any(_are_forms(stem, other) for other in stems)}
    return not opposed or (len(shared) >= 2 and 2 * len(shared) >= len(opposed))


def _are_forms(stem: str, other: str) -> bool:
    """Whether two stems are of one word: "mov" of "moving", and "move"."""
    shorter = min(len(stem), len(other))
    return stem == other or (shorter >= _SHORTEST and stem[:shorter] == other[:shorter])
