"""Where clauses and sentences end. Pure; offsets are characters, half-open."""

from __future__ import annotations

import re
from typing import Final

from parley.memory.text.graphemes import is_boundary
from parley.memory.text.plain_text import TOPIC_LIMIT, clip, one_line

_CLAUSE_END: Final = re.compile(
    r"[ .!?;,。！？；](?:(?<= )- |(?<=[.!?;])(?=\s|$)"
    r"|(?<=,)\s(?=(?:because|since|so that|which|but)\b)|(?<=[。！？；]))"
)
_REACH: Final = 600  # characters each way; longer "sentences" are pasted data
# Scripts without spaces: a stop of theirs needs none after it, nor does one before a letter
# of theirs. Kana, ideographs and what is written among them.
IDEOGRAPHIC: Final = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# Each kind stands behind the stop that begins it, so that nothing else is looked at.
_STOP: Final = re.compile(
    rf"""[\n.!?…。！？](?:(?<=\n)|(?<=[.!?…])[.!?"')\]*]{{0,8}}(?=\s|$)"""
    rf"""|(?<=[。！？])[。！？.!?"')\]*」』）]{{0,8}}|(?<=[!?…])[!?…]*(?=[{IDEOGRAPHIC}「『【])"""
    rf"""|(?<=[{IDEOGRAPHIC}]\.)(?=[{IDEOGRAPHIC}「『【]))"""
)
_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|approx|mr|mrs|ms|dr|fig|resp)\.$",
    re.IGNORECASE,
)


def topic_line(text: str) -> str:
    """The first clause of `text` on one line, in at most 100 characters."""
    line = one_line(text)
    stop = _CLAUSE_END.search(line, 12)  # a clause of fewer characters names nothing
    return clip(line[: stop.start()] if stop else line.rstrip(" .;:,"), TOPIC_LIMIT)


def sentence_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around `start`..`end` begins and ends, spaces left out.

    A line's end is a sentence's end. Looks at most 600 characters each way.
    """
    low = max(0, start - _REACH)
    first = low
    for stop in reversed(list(_STOP.finditer(text, low, start))):
        if not _abbreviates(text, stop):
            first = stop.end()
            break
    high = min(len(text), end + _REACH)
    last = high
    for stop in _STOP.finditer(text, max(start, end - 1), high):
        if not _abbreviates(text, stop):
            last = stop.start() if stop[0] == "\n" else stop.end()
            break
    last = max(last, end)
    while first < start and text[first].isspace():
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    return first, last


def _abbreviates(text: str, stop: re.Match[str]) -> bool:
    if stop[0] != "." or stop.end() >= len(text):
        return False
    return _ABBREVIATION.search(text[max(0, stop.start() - 8) : stop.end()]) is not None


def clip_sentence(text: str, start: int, end: int, limit: int = 200) -> str:
    """The sentence around `start`..`end`, clipped so that the span's beginning is in it."""
    if end - start > limit:  # the clipped text begins with the span, whatever surrounds it
        first, last = start, end
    else:
        first, last = sentence_span(text, start, end)
    if last - first > limit and end - first > limit - 1:
        first = max(first, start)
        while first > 0 and not is_boundary(text, first):
            first -= 1
    return clip(text[first:last], limit)
