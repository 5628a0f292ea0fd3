"""A few sentences that show what a talk without decisions was about, by topic. Pure.

Those that have most of the words that the talk, and its topic, keep coming back to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import log2
from typing import Any, Final, NamedTuple

from parley.bus.entries import Record
from parley.memory.text.plain_text import clip, one_line, to_plain
from parley.memory.text.similarity import content_stems
from parley.server.minutes.course.topics import COMMON, TOPIC
from parley.server.minutes.words.attribution import Voice
from parley.server.minutes.words.mentions import NameIndex

Row = dict[str, Any]

_SENTENCES: Final = 7  # in all
_STRETCHES: Final = 4  # of a talk without topics: each has its own
_LEAST: Final = 12  # messages of a topic that is worth a sentence
_WORDS: Final = range(9, 45)  # of a sentence that can stand alone
_TEXT: Final = 240
_ENOUGH: Final = 0.4  # of what the best sentence of all is worth
_TELLING: Final = 1.3  # the worth of a sentence that gives a reason, or wants something
_ALONE: Final = 0.85  # and of each word in it that points back at another
_READ: Final = 4000
_STOP: Final = re.compile(r"(?<=[.!?])\s+(?=\S)|\n+")
_DRESS: Final = re.compile(r"\*+|`")
_LED: Final = re.compile(r"\s*([^\s:][^:\n]{0,40}):\s+")  # "Ana: " of whoever writes it down
_WORD: Final = re.compile(r"[^\W\d_][\w'-]*")
# Talk about the talk, and what begins in the middle of a thought.
_NOT: Final = re.compile(
    r"\s*(?:[+-]\d|q[+-?]|ack\b|scribe|present|agenda|s/|[*#>|{(`-]|\d[.)]|…|/me\b|.*://"
    r"|(?:proposal|proposed|resolved|resolution|action|topic|issue|poll)\b[^:]{0,20}:"
    r"|(?:i'm|i am) (?:an?|from|the)\b"
    r"|(?:yes|no|yeah|ok|okay|thanks?|thank you|hi|hello|sorry|and|but|or|so|which|because)\b)",
    re.IGNORECASE,
)
_CUES: Final = re.compile(
    r"\b(?:because|problem|concern\w*|need(?:s|ed)?|should|instead|important|must|propos\w+|agree\w*"
    r"|disagree\w*|plan|difficult|allow\w*|requires?|rather than|the question|the idea|the goal"
    r"|in scope|out of scope|consensus)\b",
    re.IGNORECASE,
)
_BACK: Final = re.compile(r"\b(?:it|this|that|they|them|he|she|these|those)\b", re.IGNORECASE)


class _Sentence(NamedTuple):
    n: int
    who: str
    text: str
    span: tuple[int, int]
    stems: frozenset[str]

    def row(self, topic: str) -> Row:
        return {
            "participant": self.who,
            "text": clip(self.text, _TEXT),
            "n": self.n,
            "cites": [[self.n, *self.span]],
            "topic": topic,
        }


def find_discussion(
    messages: Sequence[Record],
    voices: Mapping[int, Voice],
    names: NameIndex,
    left_out: Collection[int],
) -> list[Row]:
    """Each `participant text n cites topic`, in order; `topic` where topics were called out.

    Nothing of the entries `left_out`: what is told elsewhere, such as a document.
    """
    parts = [*_parts([record for record in messages if record.n not in left_out])]
    sentences = [[*_sentences(part, voices, names)] for _, part in parts]
    weights = _weights([one for said in sentences for one in said])
    top = max((_worth(one, weights) for said in sentences for one in said), default=0)
    least = _ENOUGH * top
    length = sum(len(part) for _, part in parts if len(part) >= _LEAST)
    rows = []
    for (topic, part), said in zip(parts, sentences, strict=True):
        most = max(1, round(_SENTENCES * len(part) / length)) if len(part) >= _LEAST else 0
        rows += [one.row(topic) for one in _best(said, weights, most, least)]
    return rows


def _parts(messages: Sequence[Record]) -> Iterator[tuple[str, list[Record]]]:
    """By topics as they were called out; of a talk without them, stretches of equal length."""
    topic, part, called = "", list[Record](), False
    for record in messages:
        entry: Any = record.entry
        if mark := TOPIC.match(entry.content):
            if part and called:
                yield topic, part
            topic, part = clip(one_line(entry.content[mark.end() :].split("\n")[0]), 80), []
            called = True
        else:
            part.append(record)
    if called:
        yield topic, part
    else:
        size = max(_LEAST, -(-len(part) // _STRETCHES))
        yield from (("", part[first : first + size]) for first in range(0, len(part), size))


def _sentences(
    messages: Sequence[Record], voices: Mapping[int, Voice], names: NameIndex
) -> Iterator[_Sentence]:
    speaking: dict[str, str] = {}  # by who writes it down: "..." goes on with the same
    for record in messages:
        entry: Any = record.entry
        text = to_plain(entry.content[:_READ])
        who, at = voices[record.n]
        if (led := _LED.match(text, at)) and (named := names.find(led[1])):
            who, at = named, led.end()
        elif text.startswith(".."):
            who = speaking.get(entry.participant, who)
        speaking[entry.participant] = who
        for stop in [*(each.span() for each in _STOP.finditer(text, at)), (len(text), len(text))]:
            first, last, at = at, stop[0], stop[1]
            words = _DRESS.sub("", one_line(text[first:last])).lstrip(". ")
            if len(_WORD.findall(words)) in _WORDS and not _NOT.match(words) and "?" not in words:
                stems = frozenset(content_stems(words)) - COMMON
                yield _Sentence(record.n, who, words, (first, last), stems)


def _weights(sentences: Sequence[_Sentence]) -> dict[str, float]:
    counts = Counter(stem for one in sentences for stem in one.stems)
    return {stem: log2(count) for stem, count in counts.items() if count > 1}


def _worth(one: _Sentence, weights: Mapping[str, float]) -> float:
    full = sum(weights.get(stem, 0) for stem in one.stems) / (len(one.text.split()) + 8) ** 0.7
    telling = _TELLING if _CUES.search(one.text) else 1
    return float(full * telling * _ALONE ** len(_BACK.findall(one.text)))


def _best(
    said: Sequence[_Sentence], weights: Mapping[str, float], most: int, least: float
) -> list[_Sentence]:
    """The `most` of them that say most, each at least `least`, and no two of the same."""

    def worth(one: _Sentence) -> float:
        return _worth(one, weights)

    chosen: list[_Sentence] = []
    for one in sorted(said, key=lambda one: (-worth(one), one.n)):
        if (
            len(chosen) < most
            and worth(one) >= least
            and all(3 * len(one.stems & other.stems) < 2 * len(one.stems) for other in chosen)
        ):
            chosen.append(one)
    return sorted(chosen, key=lambda one: (one.n, one.span))
