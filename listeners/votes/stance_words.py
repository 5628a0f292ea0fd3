"""Whether words take a side outright or on a condition, and which proposal they mean. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from parley.listeners.models.answer_sentences import split_sentences
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.similarity import content_stems

Side = Literal["support", "oppose"]

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
_MANNER: Final = (
    r"\bI(?:'d|'ll|'m)?"
    r"(?: (?:would|will|do|must|have to|am|be|strongly|firmly|fully|still|also)){0,3} "
)
_SIDES: Final[dict[Side, re.Pattern[str]]] = {
    "oppose": re.compile(rf"{_MANNER}(?:oppose|object to|reject)\b", re.IGNORECASE),
    "support": re.compile(
        rf"{_MANNER}(?:support|endorse|back|favou?r|vote for|(?:in favou?r of))\b", re.IGNORECASE
    ),
}
_REASON: Final = re.compile(r",|\b(?:because|since|as|for|so|but|and I)\b", re.IGNORECASE)
# "I disagree that it is slow", "I would support not moving it": a side of something else
_OTHERWISE: Final = re.compile(
    r"\A\s*(?:with \w+ )?that (?!\W)|\A[^.,;]*(?:\b(?:not|never|no|without|instead of)\b|n't\b)",
    re.IGNORECASE,
)
_BY_POINTING: Final = frozenset(content_stems(  # words that say "this", and not what
    "proposal idea plan decision suggestion approach option motion choice message"
))  # fmt: skip

_NEWEST: Final = 16  # open proposals that words without a handle may mean
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


def find_side(
    memory: Memory, name: str, text: str, target: int | str | None
) -> tuple[Side, str] | None:
    """The side that `text` of canonical `name` takes, and the proposal that it means.

    Outright, and the first: with the most of what it is for or against in an open proposal, two
    words and half of them at least; in its own, where it is for it. Who is against "this" means
    the proposal that the message is on, or that alone is open. None where it names a handle.
    """
    detections = memory.reader.read(text)
    if any(each.refs or each.how == "tag" for each in detections):
        return None
    start = 0
    for sentence in split_sentences(text):
        end = start + len(sentence)
        if "?" not in sentence and not is_conditional(sentence):
            for side, pattern in _SIDES.items():
                ends = [match.end() for match in pattern.finditer(sentence)]
                ends += [
                    d.end - start for d in detections if d.act == side and start <= d.start < end
                ]
                for place in ends:
                    handle = _meant(memory, name, sentence[place:], side, target)
                    if handle is not None:
                        return side, handle
        start = end
    return None


def _meant(
    memory: Memory, name: str, behind: str, side: Side, target: int | str | None
) -> str | None:
    """The handle of the proposal that somebody is for or against in the words `behind` that."""
    if _OTHERWISE.search(behind) is not None:
        return None
    live = ledger_of(memory).actionable()[:_NEWEST]
    others = [proposal for proposal in live if proposal.participant != name]
    # Behind a word that carries something, those that carry nothing ("this") are left out.
    words = set(content_stems(f"oppose {_REASON.split(behind)[0]}")[1:]) - _BY_POINTING
    if not words or words <= {stem for each in others for stem in content_stems(each.participant)}:
        whose = [each for each in others if words <= set(content_stems(each.participant))]
        pointed = [each for each in whose if each.handle == target or len(live) == 1]
        return pointed[0].handle if pointed and side == "oppose" else None
    shares = {proposal.handle: _shared(words, proposal) for proposal in live}
    most = max(shares.values(), default=0)
    nearest = [each for each in live if shares[each.handle] == most]
    if most < 2 or 2 * most < len(words) or len(nearest) > 1:
        return None
    if side == "oppose" and nearest[0] not in others:
        return None
    return nearest[0].handle


def _shared(words: set[str], proposal: Proposal) -> int:
    stems = content_stems(proposal.text)
    return sum(any(_are_forms(stem, other) for other in stems) for stem in words)


def _are_forms(stem: str, other: str) -> bool:
    """Whether two stems are of one word: "mov" of "moving", and "move"."""
    shorter = min(len(stem), len(other))
    return stem == other or (shorter >= _SHORTEST and stem[:shorter] == other[:shorter])
