"""What an item asks for, without what only leads up to it. Other talk than English stays. Pure.

An item found in the course of talk is a stretch of what somebody said: praise, then "Let's draft
the budget", then why. In a list of what was decided the middle stands alone: "draft the budget".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from parley.memory.text.plain_text import to_plain

_STOP: Final = re.compile(r"(?<=[.!?])\s+(?=\S)")
_WORD: Final = re.compile(r"[^\W_]+")
_ENGLISH: Final = re.compile(r"\b(?:the|of|to|we|is|and|it|for|that)\b", re.IGNORECASE)
_ASK: Final = re.compile(
    r"\b(?:let'?s|let us|what if|how about|what about|why (?:not|don't we)|please"
    r"|propos\w+|suggest\w*"
    r"|(?:shall|should|could|can|might) we|we(?: \w+)? (?:could|can|should|might|may|ought|must"
    r"|need to|have to|will|shall)|(?:perhaps|maybe) we|i (?:recommend|urge|move|vote)"
    r"|i(?:'d| would) (?:like|rather|prefer|go|vote|say)|should|must|shall)\b",
    re.IGNORECASE,
)
# What leads to the thing that is asked for, and says nothing of it.
_LEAD: Final = re.compile(
    r"(?:(?:so|and|but|then|also|well|now|ok(?:ay)?|yes|perhaps|maybe|however|in the meantime"
    r"|instead"
    r"|furthermore|additionally)[\s,:-]+)*"
    r"(?:(?:i (?:would )?(?:suggest|propose|recommend|think|urge you(?: to)?)"
    r"|i'd (?:suggest|propose))(?: that)?[\s,:]+)?"
    r"(?:let'?s |let us |what if we |how about we |(?:shall|should|could|can) we |why don't we "
    r"|we (?:can|could|should|might|may|will) )?(?:just |also |maybe |perhaps |then )*",
    re.IGNORECASE,
)
_PRAISE: Final = re.compile(
    r"(?:excellent|great|good|perfect|wonderful|fantastic|brilliant|absolutely|agreed?|exactly|indeed"
    r"|thanks?|thank you|yes|yeah|sure|ok(?:ay)?|right|understood|confirmed|i (?:fully |completely "
    r"|totally |really )?(?:agree|appreciate|understand|like|love)|i'd appreciate"
    r"|(?:that|this|it)(?:'s| is| sounds| seems| looks| makes)|sounds|makes sense)\b",
    re.IGNORECASE,
)
_WHY: Final = re.compile(
    r"(?:this|that|it|which) (?:will|would|should|could|can|allows?|shows?|way)\b", re.IGNORECASE
)
_ASKS: Final = re.compile(
    r"\b(?:what|which|who|how|where|when) (?:should|do|does|shall|can|would|is|are)"
    r" (?:i|we|you|it)\b"
    r"|\b(?:do|would|are|can) you\b[^.!]*(?:\?|$)",
    re.IGNORECASE,
)
_POINTS_BACK: Final = re.compile(r"\b(?:that|this|it|those|these|them|there)\b", re.IGNORECASE)
_EMPTY: Final = frozenset(
    """
    a an the that this it those these them there to of on in at for with and or but so be is are do
    can could should would will we i you our my your not no go get keep one some any just
    """.split()  # noqa: SIM905  # a list of fifty quoted words reads worse
)
_FEW: Final = 3  # words with a meaning of their own, below which an item says nothing alone
_SOME: Final = 5  # of one that points back at what was said before it


def is_of_prose(rule: str | None) -> bool:
    """Whether an item, by the rule that found it, is a stretch of prose that nobody marked."""
    return (rule or "").startswith(("writing/", "prose/"))


def item_words(text: str, rule: str | None) -> str:
    """What an item found by `rule` asks for; as it is where somebody worded it as an item."""
    return ask_words(text) if is_of_prose(rule) else text


def is_question(text: str) -> bool:
    """Whether it asks others what to do, and so says nothing that could be decided."""
    return bool(_ASKS.search(to_plain(text)))


def ask_words(text: str) -> str:
    """`text` without praise before it, what leads to it ("Let's"), and reasons after it.

    The whole where nothing would be left, and of a text that is not English.
    """
    plain = to_plain(text)
    if not _ENGLISH.search(plain):
        return text
    spans = [*_sentences(plain)]
    kept = [span for span in spans if not _is_praise(plain[slice(*span)])] or spans
    asking = next((span for span in kept if _ASK.search(plain[slice(*span)])), kept[0])
    first = asking[0]
    lead = _LEAD.match(plain, first)
    start = lead.end() if lead else first
    end = asking[1]
    for begin, stop in kept:
        if begin > asking[0] and begin - end <= 2 and not _WHY.match(plain, begin):
            end = stop
        elif begin > asking[0]:
            break
    words = text[start:end].strip()
    return words if len(_WORD.findall(words)) >= _FEW else text


def asks_for_something(text: str) -> bool:
    """Whether it says, in itself, what is to be done or to hold: neither thanks nor an opinion."""
    plain = to_plain(text)
    if not _ENGLISH.search(plain):
        return True
    asking = [plain[slice(*span)] for span in _sentences(plain) if _ASK.search(plain[slice(*span)])]
    return any(not is_fragment(ask_words(sentence)) for sentence in asking)


def is_fragment(text: str) -> bool:
    """Whether nobody could tell from it what it is about: "not do that", "we keep it"."""
    words = [word.casefold() for word in _WORD.findall(to_plain(text))]
    own = sum(word not in _EMPTY for word in words)
    return own < (_SOME if _POINTS_BACK.search(text) else _FEW)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for stop in _STOP.finditer(text):
        yield at, stop.start()
        at = stop.end()
    yield at, len(text)


def _is_praise(sentence: str) -> bool:
    """Whether it only says yes, or thanks: praise with nothing asked for in it."""
    return bool(_PRAISE.match(sentence)) and not _ASK.search(sentence)
