"""The sentences of a stretch of talk that a summary may quote: prose, and never code.

Of paragraphs and items of lists; pasted code, terminals, tables, quotes and headings are
nobody's sentences. Linear in the text, of which the first 20,000 characters of a message count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from parley.memory.text.markdown_blocks import split_blocks
from parley.memory.text.plain_text import IDEOGRAPHIC, clip, one_line
from parley.memory.text.similarity import content_stems

SENTENCE_LIMIT: Final = 240  # characters of one sentence in a summary
_READ: Final = 20_000  # characters of one message; what a summary can quote is in its beginning
_MAX_SENTENCES: Final = 200  # of one message
_LEAST_WORDS: Final = 4  # a shorter sentence says nothing out of its place
_LEAST_ASKED: Final = 6  # words of a question that is more than bare
_LEAST_STEMS: Final = 3
_LEAD_IN: Final = 25  # characters: "**My recommendation**" and the like need what follows them
_CANDIDATES: Final = 4  # of one interval: two for its summary, two in place of what items quote
_TALK: Final = ("paragraph", "item")
_ENDS: Final = (*".!…。！", '."', ".)", "。」")
_PROSE: Final = ("paragraph", "item", "heading", "quote", "row")
_SENTENCE: Final = re.compile(
    r"(?:[^.!?…。！？]|[.!?…](?![.!?…\"')\]*]*(?:\s|$)))+[.!?…。！？\"')\]*」』）]*"
)
_NO_STOP: Final = re.compile(r"(?:\b(?:mrs?|ms|dr|vs|cf|e\.g|i\.e|fig|resp)|\s)\.$", re.IGNORECASE)
_IDEOGRAPHS: Final = re.compile(f"[{IDEOGRAPHIC}]")
_GREETING: Final = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|welcome|dear|thanks?|thank you"
    r"|hallo|guten (?:morgen|tag|abend)|danke|willkommen|bonjour|bonsoir|salut|merci|hola"
    r"|buen[oa]s|gracias|ol[áa]|bom dia|boa (?:tarde|noite)|obrigad[oa]|שלום|תודה)(?!\w)"
    r"|こんにちは|おはよう|ありがとう|皆さん|你好|大家好|谢谢|早上好|早安)",
    re.IGNORECASE,
)


class Line(NamedTuple):
    """One message of the range."""

    n: int
    participant: str
    content: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of entry `n`, on one line; `start`..`end` are its characters there."""

    n: int
    participant: str
    text: str
    start: int
    end: int


class Talk(NamedTuple):
    """What an interval's talk offers: central sentences, best first, and open questions."""

    central: tuple[Sentence, ...]
    questions: tuple[Sentence, ...]


def read_talk(lines: Sequence[Line]) -> Talk:
    """The sentences of `lines` that carry most, and the questions that nobody took up after."""
    sentences = [sentence for line in lines for sentence in _sentences(line, _TALK)]
    stems = [frozenset(content_stems(sentence.text)) for sentence in sentences]
    shared = Counter(stem for each in stems for stem in each)
    ranked: list[tuple[bool, int, int]] = []
    questions: list[Sentence] = []
    later: dict[str, set[str]] = {}  # stem -> who says it after the sentence in hand
    for place in range(len(sentences) - 1, -1, -1):
        sentence, words = sentences[place], stems[place]
        if says_something(sentence.text) and len(words) >= _LEAST_STEMS:
            if not sentence.text.endswith(("?", "？")):
                weight = 100 * sum(shared[word] - 1 for word in words) // (len(words) + 4)
                ranked.append((not _is_whole(sentence.text), -weight, place))
            elif _is_open(sentence, words, later):
                questions.append(sentence)
        for word in words:
            later.setdefault(word, set()).add(sentence.participant)
    chosen: list[Sentence] = []
    seen: set[frozenset[str]] = set()
    for _, _, place in sorted(ranked):
        if stems[place] not in seen:
            seen.add(stems[place])
            chosen.append(sentences[place])
        if len(chosen) == _CANDIDATES:
            break
    return Talk(tuple(chosen), tuple(questions[:2]))


def says_something(text: str, least: int = _LEAST_WORDS) -> bool:
    """False of a greeting, and of what is too short to be understood out of its place."""
    if _GREETING.match(text):
        return False
    return len(text.split()) >= least or len(_IDEOGRAPHS.findall(text)) > 2 * least


def quote_line(line: Line, start: int, end: int) -> str:
    """The sentence of a message around `start`..`end`, on one line; "" where that is code.

    With the next one where it only leads in to it: "My recommendation:".
    """
    text = ""
    for sentence in _sentences(line, _PROSE):
        if text or (sentence.start < end and start < sentence.end):
            text = f"{text} {sentence.text}".strip()
            if not text.endswith(":") and len(text) >= _LEAD_IN:
                break
    return text


def _is_whole(text: str) -> bool:
    """True of a sentence that ends as one does, and is not mostly names of code."""
    return text.endswith(_ENDS) and 3 * sum(map(len, text.split("`")[1::2])) < len(text)


def any_sentence(lines: Sequence[Line]) -> Sentence | None:
    """The first sentence that is no greeting, where no longer one is to be had."""
    sentences = (sentence for line in lines for sentence in _sentences(line, _TALK))
    return next((each for each in sentences if not _GREETING.match(each.text)), None)


def _is_open(sentence: Sentence, words: frozenset[str], later: dict[str, set[str]]) -> bool:
    """True of a question of six words whose words, two and a third of them, no other says after."""
    if not says_something(sentence.text, _LEAST_ASKED):
        return False
    asker = {sentence.participant}
    taken_up = sum(bool(later.get(word, asker) - asker) for word in words)
    return taken_up < max(2, len(words) // 3)


def _sentences(line: Line, kinds: Sequence[str]) -> Iterator[Sentence]:
    """The sentences of a message's blocks of these kinds, 200 at most."""
    content, count = line.content[:_READ], 0
    for block in split_blocks(content):
        if block.kind not in kinds:
            continue
        first = block.start + (len(block.marker) if block.kind == "item" else 0)
        for start, end in _spans(content, first, block.end):
            text = clip(_strip_marks(content[start:end]), SENTENCE_LIMIT)
            if text:
                yield Sentence(line.n, one_line(line.participant), text, start, end)
                count += 1
                if count == _MAX_SENTENCES:
                    return


def _spans(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of `content[start:end]`; a stop after an abbreviation or a space is none."""
    for match in _SENTENCE.finditer(content, start, end):
        if not _NO_STOP.search(content, max(start, match.end() - 6), match.end()):
            yield start, match.end()
            start = match.end()
    if start < end:
        yield start, end


def _strip_marks(text: str) -> str:
    """On one line, without emphasis and the marks that a line begins with."""
    return one_line(text).replace("**", "").replace("__", "").lstrip("|>#*- ")
