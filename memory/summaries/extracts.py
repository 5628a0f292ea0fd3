"""Summaries without a model: the sentences that carry a discussion, as they were said.

What reading finds (decisions, proposals, dissent, questions) comes first, then
the sentences whose words the rest shares most; all in the order of the talk,
each with its speaker. Deterministic, and O(n log n) in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.patterns.speech_acts import SpeechActReader
from parley.memory.text.plain_text import clip, one_line, sentence_span, to_plain
from parley.memory.text.similarity import content_stems

_READ: Final = 20_000  # characters of one message; what a summary can quote is in its beginning
_MAX_SENTENCES: Final = 200  # of one message
_SENTENCE_LIMIT: Final = 280  # characters of one sentence in a summary
_LEAST_WORDS: Final = 4  # a shorter sentence says nothing out of its place
_WEIGHTS: Final = {
    "decide": 9, "ratify": 9, "accept": 8, "reject": 8, "dispute": 8, "withdraw": 7,
    "propose": 7, "amend": 7, "oppose": 6, "abstain": 3, "support": 2,
}  # fmt: skip
_QUESTION_WEIGHT: Final = 4
_SENTENCE: Final = re.compile(r"[^\n.!?…]*(?:[.!?…](?!\s|$)[^\n.!?…]*)*[.!?…]*")


@dataclass(frozen=True, slots=True)
class _Sentence:
    place: int
    speaker: str
    text: str
    weight: int
    words: frozenset[str]
    length: int  # words as people count them


def extract_summary(lines: Sequence[tuple[str, str]], reader: SpeechActReader, words: int) -> str:
    """The summary of `lines`, (participant, content) each, in at most `words` words.

    One line a speaker's turn: `name: sentence sentence`. "" where nothing was
    said or `words` is below 1.
    """
    sentences: list[_Sentence] = []
    for speaker, content in lines:
        for text, weight in _marked(content[:_READ], reader):
            sentences.append(_read(len(sentences), one_line(speaker), text, weight))
    return _told(_chosen(sentences, words))


def condense_extracts(texts: Sequence[str], words: int) -> str:
    """One summary of several extracts, oldest first, in at most `words` words."""
    sentences: list[_Sentence] = []
    for text in texts:
        for line in text[:_READ].splitlines():
            speaker, mark, said = line.partition(": ")
            if not mark:
                speaker, said = "", line
            for sentence in _sentences(said):
                weight = _QUESTION_WEIGHT if sentence.endswith("?") else 0
                sentences.append(_read(len(sentences), speaker, sentence, weight))
    return _told(_chosen(sentences, words))


# -- sentences -----------------------------------------------------------------


def _marked(content: str, reader: SpeechActReader) -> Iterator[tuple[str, int]]:
    """The sentences of a message with the weight of what they do."""
    text = to_plain(content)
    weights: dict[tuple[int, int], int] = {}
    for detection in reader.read(content):
        if not detection.vote:
            span = _said(text, detection)
            weights[span] = max(weights.get(span, 0), _WEIGHTS.get(detection.act, 0))
    taken = sorted(weights)
    for start, end in _spans(text):
        inside = [span for span in taken if span[0] < end and start < span[1]]
        weight = max((weights[span] for span in inside), default=0)
        if not weight and text[start:end].endswith("?"):
            weight = _QUESTION_WEIGHT
        yield content[start:end], weight


def _said(text: str, detection: Detection) -> tuple[int, int]:
    return sentence_span(
        text, detection.start, max(detection.end, min(detection.text_end, detection.end + 1))
    )


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of `text`, 200 at most."""
    count = 0
    for match in _SENTENCE.finditer(text):
        start, end = match.span()
        while start < end and text[start].isspace():
            start += 1
        if start < end:
            yield start, end
            count += 1
            if count == _MAX_SENTENCES:
                return


def _sentences(text: str) -> Iterator[str]:
    for start, end in _spans(text):
        yield text[start:end]


def _read(place: int, speaker: str, text: str, weight: int) -> _Sentence:
    sentence = clip(one_line(text), _SENTENCE_LIMIT)
    return _Sentence(
        place, speaker, sentence, weight, frozenset(content_stems(sentence)), len(sentence.split())
    )


# -- choosing ------------------------------------------------------------------


def _chosen(sentences: Sequence[_Sentence], words: int) -> list[_Sentence]:
    """The weightiest and most central sentences that fit, in the order of the talk."""
    shared = Counter(word for each in sentences for word in each.words)
    ranked = sorted(
        sentences, key=lambda each: (-each.weight, -_centrality(each, shared), each.place)
    )
    kept: list[_Sentence] = []
    seen: set[frozenset[str]] = set()
    left = words
    for each in ranked:
        cost = each.length + len(each.speaker.split())
        if cost > left or each.words in seen or (not each.weight and each.length < _LEAST_WORDS):
            continue
        kept.append(each)
        seen.add(each.words)
        left -= cost
    if not kept and ranked:
        kept = _cut(ranked[0], words)
    return sorted(kept, key=lambda each: each.place)


def _cut(each: _Sentence, words: int) -> list[_Sentence]:
    """The beginning of a sentence that is too long, or too short to have been chosen."""
    room = words - len(each.speaker.split())
    if room < 1:
        return []
    said = each.text.split()
    text = each.text if len(said) <= room else " ".join(said[:room]) + "…"
    return [replace(each, text=text)]


def _centrality(each: _Sentence, shared: Counter[str]) -> int:
    """How much of the talk shares the sentence's words, in hundredths a word.

    Divided by a little more than its words, so that two common words do not
    outrank a sentence.
    """
    return 100 * sum(shared[word] - 1 for word in each.words) // (len(each.words) + 4)


def _told(chosen: Iterable[_Sentence]) -> str:
    lines: list[str] = []
    last: str | None = None
    for each in chosen:
        if each.speaker == last and lines:
            lines[-1] += f" {each.text}"
        else:
            lines.append(f"{each.speaker}: {each.text}" if each.speaker else each.text)
        last = each.speaker
    return "\n".join(lines)
