"""Sentences that open or end a message without saying anything: greetings, thanks, politeness.

Greetings of the packs' languages; politeness in English.
"""

from __future__ import annotations

import re
from typing import Final

_GREETING: Final = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|welcome|dear|thanks?|thank you"
    r"|hallo|guten (?:morgen|tag|abend)|danke|willkommen|bonjour|bonsoir|salut|merci|hola"
    r"|buen[oa]s|gracias|ol[áa]|bom dia|boa (?:tarde|noite)|obrigad[oa]|שלום|תודה)(?!\w)"
    r"|こんにちは|おはよう|ありがとう|皆さん|你好|大家好|谢谢|早上好|早安)",
    re.IGNORECASE,
)
_POLITENESS: Final = re.compile(
    r"\W*(?:(?:i|we) (?:\w+ )?(?:appreciate|understand|acknowledge|hear|see|respect)\b"
    r"|you(?:'re| are) (?:\w+ )?right"
    r"|(?:that's|that is|this is) an? (?:good|great|fair|valid|excellent)"
    r"|(?:good|great|fair|excellent) (?:point|question|work|job)\b"
    r"|i(?:'m| am) (?:sorry|glad|happy)|i apologi[sz]e|sorry|let me (?:know|tell)|feel free"
    r"|(?:certainly|sure|absolutely|of course)[!,.])",
    re.IGNORECASE,
)

_OFFER: Final = re.compile(
    r"\W*(?:if (?:you|anyone|there)\b[^.!?]{0,120}\b)?(?:please )?"
    r"(?:let (?:me|us) know (?:if|should|when|whether|how i)\b[^.!?]{0,120}|let (?:me|us) know"
    r"|feel free to (?:ask|reach|contact)\b[^.!?]{0,120})\W*",
    re.IGNORECASE,
)


def is_offer(text: str) -> bool:
    """True of a sentence that offers further help and says nothing else."""
    return _OFFER.fullmatch(text) is not None


def is_courtesy(text: str) -> bool:
    """True of a sentence that begins as a greeting or a politeness does."""
    return bool(_GREETING.match(text) or _POLITENESS.match(text))


def drop_courtesies(text: str) -> str:
    """`text` without sentences before the last that begin it and are mere politeness."""
    while (end := _SENTENCE.match(text)) and end.end() < len(text) and is_courtesy(end[0]):
        text = text[end.end() :]
    return text


_SENTENCE: Final = re.compile(r"[^.!?]{1,80}[.!?]+\s+")


def is_placeholder(text: str) -> bool:
    """True of what stands where a decision would, while there is none: "none yet", "TBD"."""
    return _PLACEHOLDER.fullmatch(text) is not None


_PLACEHOLDER: Final = re.compile(
    r"\W*(?:n/?a|none|nothing|nil|tb[ad]|pending|undecided|unclear|outstanding|in progress"
    r"|to be (?:decided|determined|agreed|made|confirmed)|awaiting [^.!?;]{1,40}"
    r"|not (?:yet )?(?:made|reached|decided|taken|agreed)"
    r"|no (?:decision|consensus|agreement)(?: (?:was |has been )?(?:made|reached|taken))?)"
    r"(?:,? (?:so far|yet|at this (?:time|point|stage)|for now|still|as of now|today))?\W*",
    re.IGNORECASE,
)
