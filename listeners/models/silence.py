"""Answers by which a model says nothing: a silence, a pass, a stage direction. Pure."""

from __future__ import annotations

import re
from typing import Final

_EDGES: Final = re.compile(r"\A[\W_]+|[\W_]+\Z")
_BLANK: Final = " \"'.*_"
_LAST_LINE: Final = re.compile(r"\n[^\S\n]*\(silent\)\W*\Z", re.IGNORECASE)
_LEADS_IN: Final = re.compile(r":\W*\Z|\A\W*[0-9]{1,3}\W*\Z")  # to a list without items
_WORDS: Final = frozenset({
    "silent", "silence", "pass", "none", "null", "n/a", "nothing", "no answer", "no response",
    "no reply",
})  # fmt: skip
_NOW: Final = r"at this (?:point|time|moment|stage),?|for now,?|(?:right )?now,?|currently,?|well,"
_WHERE: Final = (
    r"here|yet|to (?:add|say|contribute)|(?:to|on|about|in) (?:this|that|it|the)"
    r"(?: (?:discussion|conversation|deliberation|topic|matter|question|turn|round))?"
)
_NOTHING: Final = (
    r"(?:nothing(?: (?:more|new|else|further))?(?= to (?:add|say|contribute))"
    r"|no(?: (?:more|new|other|further|additional))? (?:comments?|remarks?|additions?))"
)
_PASSES: Final = re.compile(
    rf"(?:(?:{_NOW}) )?(?:"
    r"(?:I|we)(?:'ll|'d| will| would| shall| choose to| prefer to)? (?:also )?"
    r"(?:pass|skip|say nothing|(?:be|am|are|stay|remain|keep) (?:silent|quiet))"
    rf"|(?:(?:I|we)(?: (?:do )?(?:also )?have|'ve(?: got)?) |there (?:is|are) |there's )?{_NOTHING}"
    rf")(?: (?:{_WHERE}|{_NOW}))*(?:,? (?:as(?! (?:many|much|few|well|soon|long|is)\b)"
    r"|because|since) (?![^.!?\n]*\b[PDV][0-9])[^.!?\n]*)?",
    re.IGNORECASE,
)
_DIRECTION: Final = re.compile(
    r"\((?P<words>[^()\n]{2,100})\)|\[(?P<in>[^\[\]\n]{2,100})\]|\*{1,2}(?P<starred>[^*\n]{2,100})\*{1,2}"
    r"|_(?P<lined>[^_\n]{2,100})_"
)
_SPEAKS: Final = re.compile(r"\b(?:I|we|my|our|you|let|yes|no)\b|[PDVn] ?[0-9]|\?|:", re.IGNORECASE)
_ACTED: Final = re.compile(  # what somebody is seen to do, with whoever does it before it
    r"(?:(?:the )?[\w.-]+ )?(?:\w+ly )?"
    r"(?:nod|smile|sigh|pause|wait|listen|look|lean|think|remain|stay|sit|stand|shrug|laugh|shake|glance"
    r"|raise|take|turn|watch|write|read|frown|stare)"
    r"(?:e?s|ing)?(?: [^.!?;:]*)?\.?",
    re.IGNORECASE,
)


def drop_last_silence(text: str) -> str:
    """`text` without a last line that says "(silent)"."""
    kept = _LAST_LINE.sub("", text)
    return text if kept == text else kept.rstrip()


def is_silence(text: str) -> bool:
    """Whether nothing can be seen of it, or all it does is to lead in, or to say that it passes.

    A stage direction, between brackets or stars, is what somebody does who says nothing.
    """
    lines = [line.strip(_BLANK) for line in text.split("\n") if line.strip()]
    if lines and all(_LEADS_IN.search(line) is not None for line in lines):
        return True
    if text.lower().startswith("(silent)") or all(map(_passes, filter(None, text.split("\n")))):
        return True
    return all(char in _BLANK or not char.isprintable() for char in text)


def _passes(line: str) -> bool:
    words = _EDGES.sub("", line)
    if words.lower() in _WORDS or _PASSES.fullmatch(words.replace("’", "'")) is not None:
        return True
    direction = _DIRECTION.fullmatch(line.strip(" ."))
    if direction is None:
        return False
    acted = next(filter(None, direction.groups()))
    return _SPEAKS.search(acted) is None and _ACTED.fullmatch(acted) is not None
