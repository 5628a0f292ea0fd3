"""What a model's summary says that its material does not bear out, as far as rules can tell. Pure.

Small models make decisions of talk, let people speak who were not there, and go round in circles.
What can be held against the ledger and the lines is; whether a summary is true no rule can tell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from parley.listeners.models.model_port import Unfounded
from parley.memory.state.effects import SummaryEffect
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import count_tokens

Lines = Sequence[tuple[str, str]]  # (participant, content), oldest first

_SAID_AGAIN: Final = 3  # times in the same words, by whomever, are a model that goes in circles
_SHORT: Final = 60  # tokens of a summary that may be longer than its talk
_END: Final = 6  # words at the end of a sentence that do not come again by chance
_COPIED: Final = 600  # per mille of its runs of six words that stand in the talk
_COPIED_WORDS: Final = 40  # words of a summary that is looked at for that
_SENTENCE: Final = re.compile(r"[^.!?…。！？\n]+")
_WORD: Final = re.compile(r"\w+")
_HANDLE: Final = re.compile(r"\b[PD][1-9][0-9]{0,8}\b")
_DOES: Final = (
    r"(?:\s+(?:also|then|later|first|finally|again))?\s+(?:said|says|proposed|proposes|suggested|"
    r"suggests|decided|decides|agreed|agrees|opposed|opposes|objected|objects|supported|supports|"
    r"argued|argues|asked|asks|held|holds|believed|believes|thought|thinks|wanted|wants)\b"
)
_DECIDED: Final = re.compile(
    r"\bdecided (?:to|on|that|against|in favou?r)\b|\b(?:made|reached|took) (?:a|the) decision\b"
    r"|\b(?:is|are|was|were|has been|have been) (?:decided|approved|ratified|adopted)\b"
    r"|\bdecision (?:was|is) (?:made|taken|reached|to|that)\b",
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    r"\b(?:no|not|nobody|never|nothing|none|yet|whether|should|could|must|may|will|would|until|if)\b"
    r"|n't",
    re.IGNORECASE,
)
_DECIDING: Final = re.compile(
    r"\b(?:decid|decision|resol(?:ved|ution)|ratif|approv|adopt|accept|agree|settle|vote|carried|"
    r"consensus)|\+1",
    re.IGNORECASE,
)
_DECLINES: Final = re.compile(  # "I apologize, but I cannot summarize the given text"
    r"\W*(?:unfortunately, |sorry, )?(?:but )?(?:I(?:'m| am) (?:sorry|unable)|I apologi[sz]e"
    r"|I (?:cannot|can't|can not|could not) (?:summari[sz]e|see|find|provide|access)"
    r"|as an AI\b|please (?:provide|share|paste|give me)\b|no (?:text|discussion) (?:was|is) "
    r"(?:given|provided))",
    re.IGNORECASE,
)
_DECISIONS: Final = frozenset({
    "accepted", "adopted", "rejected", "claimed", "ratified", "disputed", "superseded", "carried",
    "failed",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class SummaryGrounds:
    """What a summary of a range is held against besides its lines.

    `names` are the session's participants, `decides` whether its ledger notes that anything
    was decided in the range, `items` the handles that there are.
    """

    names: frozenset[str]
    decides: bool
    items: frozenset[str]

    @classmethod
    def of(cls, memory: Memory, effect: SummaryEffect) -> SummaryGrounds:
        summary_range = memory.ranges.get((effect.level, effect.first))
        changes = () if summary_range is None else summary_range.changes
        items = [*(f"P{ref}" for ref in memory.proposals), *(f"D{ref}" for ref in memory.decisions)]
        return cls(
            frozenset(memory.participants),
            any(change.kind in _DECISIONS for change in changes),
            frozenset(items),
        )


def refuse_unfounded(text: str, lines: Lines, grounds: SummaryGrounds) -> None:
    """Raises `Unfounded`, with the reason, where `text` says what `lines` and ledger do not."""
    fault = (
        _find_refusal(text)
        or _find_stranger(text, lines, grounds.names)
        or _find_missing_item(text, lines, grounds.items)
        or _find_decision(text, lines, grounds)
        or _find_circle(text)
        or _find_copy(text, lines)
        or _find_length(text, lines)
    )
    if fault:
        raise Unfounded(f"the summary {fault}")


def _find_stranger(text: str, lines: Lines, names: Collection[str]) -> str:
    """Who is to have said something, and neither spoke here nor is spoken of."""
    there = {name for name, _ in lines}
    talk = "\n".join(content for _, content in lines).casefold()
    for name in sorted(names):
        if name in there or name.casefold() in talk:
            continue
        if re.search(rf"(?<!\w){re.escape(name)}{_DOES}", text):
            return f"has {name!r} say something, who did not speak"
    return ""


def _find_refusal(text: str) -> str:
    return "declines, and sums nothing up" if _DECLINES.match(text) is not None else ""


def _find_missing_item(text: str, lines: Lines, items: Collection[str]) -> str:
    talk = " ".join(content for _, content in lines)
    handles = set(_HANDLE.findall(text)) - set(_HANDLE.findall(talk)) - set(items)
    return f"names {min(handles)}, which there is not" if handles else ""


def _find_decision(text: str, lines: Lines, grounds: SummaryGrounds) -> str:
    """A decision that neither the ledger has nor anybody speaks of."""
    if grounds.decides or any(_DECIDING.search(content) for _, content in lines):
        return ""
    for sentence in _SENTENCE.findall(text):
        if _DECIDED.search(sentence) and not _NOT.search(sentence):
            return "tells of a decision where the ledger has none and nobody speaks of one"
    return ""


def _find_circle(text: str) -> str:
    """Whether sentences end the same several times, whoever and whatever they begin with."""
    sentences = (_WORD.findall(sentence.casefold()) for sentence in _SENTENCE.findall(text))
    ends = Counter(tuple(words[-_END:]) for words in sentences if len(words) > _END)
    return "says the same again and again" if max(ends.values(), default=0) >= _SAID_AGAIN else ""


def _find_copy(text: str, lines: Lines) -> str:
    """Whether most of it stands in the talk, word for word: the talk cut short is no summary."""
    words = _WORD.findall(text.casefold())
    talk = " ".join(word for _, content in lines for word in _WORD.findall(content.casefold()))
    runs = [" ".join(words[start : start + _END]) for start in range(len(words) - _END + 1)]
    copied = sum(f" {run} " in f" {talk} " for run in runs)
    most = len(words) >= _COPIED_WORDS and copied * 1000 > _COPIED * len(runs)
    return "gives back the talk" if most else ""


def _find_length(text: str, lines: Lines) -> str:
    size = max(_SHORT, sum(count_tokens(content) for _, content in lines))
    return "is longer than what it is of" if count_tokens(text) > size else ""
