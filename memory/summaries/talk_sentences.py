"""The sentences of a stretch of talk that a summary may quote: prose, and never code.

Of paragraphs and items of lists; pasted code, terminals, tables, quotes and headings are
nobody's sentences. Linear in the text, of which the first 20,000 characters of a message count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from parley.memory.text.courtesies import is_courtesy
from parley.memory.text.markdown_blocks import split_blocks
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.sentences import IDEOGRAPHIC
from parley.memory.text.similarity import content_stems

_SENTENCE_LIMIT: Final = 240  # characters of one sentence in a summary
_READ: Final = 20_000  # characters of one message; what a summary can quote is in its beginning
_MAX_SENTENCES: Final = 200  # of one message
_LEAST_WORDS: Final = 4  # a shorter sentence says nothing out of its place
_LEAST_ASKED: Final = 6  # words of a question that is more than bare
_LEAST_STEMS: Final = 3
_CHARS_PER_MARK: Final = 12  # of code: with fewer the text is no sentence
_WEIGH_OUTCOME: Final = 30  # beside at most 100 for words that the talk shares
_MOST_OUTCOMES: Final = 2
_WEIGH_NEWEST: Final = 20
_WEIGH_HANGING: Final = 25
_TALK: Final = ("paragraph", "item")
_ENDS: Final = (*".!…。！", '."', ".)", "。」")
_STOPS: Final = (*_ENDS, ":", "?", "!", ";", ",", "？")
_PROSE: Final = ("paragraph", "item", "heading", "quote", "row")
_SENTENCE: Final = re.compile(
    r"(?:[^.!?…。！？]|[.!?…](?![.!?…\"')\]*]*(?:\s|$)))+[.!?…。！？\"')\]*」』）]*"
)
_NO_STOP: Final = re.compile(r"(?:\b(?:mrs?|ms|dr|vs|cf|e\.g|i\.e|fig|resp)|\s)\.$", re.IGNORECASE)
_IDEOGRAPHS: Final = re.compile(f"[{IDEOGRAPHIC}]")
# How something came out, what was wrong, what somebody ruled.
_OUTCOME: Final = re.compile(
    r"\b(?:verdicts?|in (?:summary|short|conclusion)|conclusions?|overall|outcomes?|root cause"
    r"|turn(?:s|ed) out|key (?:insight|point|finding)s?|fixed|pass(?:es|ed|ing)|"
    r"fail(?:s|ed|ing|ure)|works now|working now|broken|completed?|implemented|committed|merged"
    r"|deployed|resolved|winner|prefer(?:s|red|ence)|wrong"
    r"|consensus|decided|final(?:ly)?|totals?|tally|scored?|disagree|reject(?:s|ed)?|approved?|because"
    r"|the (?:problem|issue|cause|reason|bug|catch) (?:is|was))\b"
    r"|\b\d+ ?(?:/|of|out of) ?\d+\b|\d ?%|[✅❌]",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"[=(){}\[\]_;<>|\\]")
_SHORT: Final = 40  # characters of what is quoted for an item, where more stands behind it
_SIGNS: Final = re.compile(r"^[^\w(\[\"'`$/@.+<-]+")  # faces and ticks before words
_HANGING: Final = re.compile(r"\W*(?:this|that|these|those|it|they|he|she|such)\b", re.IGNORECASE)


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
    weight: int = 0


class Talk(NamedTuple):
    """What an interval's talk offers: central sentences, best first, and open questions."""

    central: tuple[Sentence, ...]
    questions: tuple[Sentence, ...]


def read_talk(lines: Sequence[Line]) -> Talk:
    """The sentence of each of `lines` that carries most, and the questions that nobody took up.

    What carries most shares its words with the rest of the talk, or says how something came
    out; newer messages go before older ones.
    """
    sentences = [sentence for line in lines for sentence in _sentences(line, _TALK)]
    stems = [frozenset(content_stems(sentence.text)) for sentence in sentences]
    shared = Counter(stem for each in stems for stem in each)
    common = max(1, max(shared.values(), default=1) - 1)
    ranked: list[tuple[bool, int, int]] = []
    questions: list[Sentence] = []
    later: dict[str, set[str]] = {}  # stem -> who says it after the sentence in hand
    for place in range(len(sentences) - 1, -1, -1):
        sentence, words = sentences[place], stems[place]
        if _says_something(sentence.text) and len(words) >= _LEAST_STEMS:
            if not sentence.text.endswith(("?", "？")):
                weight = 100 * sum(shared[word] - 1 for word in words) // (len(words) + 4) // common
                weight += _WEIGH_OUTCOME * len(_OUTCOME.findall(sentence.text)[:_MOST_OUTCOMES])
                if weight:  # what nobody comes back to is small talk
                    weight += _WEIGH_NEWEST * place // len(sentences)
                    weight -= _WEIGH_HANGING * bool(_HANGING.match(sentence.text))
                ranked.append((not _is_whole(sentence.text), -weight, place))
            elif _is_open(sentence, words, later):
                questions.append(sentence)
        for word in words:
            later.setdefault(word, set()).add(sentence.participant)
    earliest = {stems[place]: place for place in range(len(stems) - 1, -1, -1)}
    chosen: dict[int, Sentence] = {}
    for _, weight, place in sorted(ranked):
        sentence = sentences[place]
        if earliest[stems[place]] == place and sentence.n not in chosen:
            chosen[sentence.n] = replace(sentence, weight=-weight)
    return Talk(tuple(chosen.values()), tuple(questions[:2]))


def _says_something(text: str, least: int = _LEAST_WORDS) -> bool:
    """False of a greeting, and of what is too short to be understood out of its place."""
    if text.startswith(("{", "[{")):  # a form that somebody filled in
        return False
    if is_courtesy(text) or len(_CODE.findall(text)) * _CHARS_PER_MARK > len(text):
        return False
    return len(text.split()) >= least or len(_IDEOGRAPHS.findall(text)) > 2 * least


def quote_line(line: Line, start: int, end: int) -> str:
    """The sentence of a message around `start`..`end`, on one line; "" where that is code.

    With the next one where it only leads in to it ("My recommendation:"), or is too short to say
    what it is about ("Plan approved").
    """
    quoted: list[str] = []
    for sentence in _sentences(line, _PROSE):
        if sentence.start < end and start < sentence.end:
            quoted.append(sentence.text)
        elif quoted:
            if not quoted[-1].endswith(":") and sum(map(len, quoted)) >= _SHORT:
                break
            quoted.append(sentence.text)
    for end_of_line in (0, -1):
        while len(quoted) > 1 and is_courtesy(quoted[end_of_line]):
            del quoted[end_of_line]
    ends = [text if text.endswith(_STOPS) else f"{text};" for text in quoted[:-1]]
    return _SIGNS.sub("", " ".join([*ends, *quoted[-1:]]))


def _is_whole(text: str) -> bool:
    """True of a sentence that ends as one does, and is not mostly names of code."""
    return text.endswith(_ENDS) and 3 * sum(map(len, text.split("`")[1::2])) < len(text)


def any_sentence(lines: Sequence[Line]) -> Sentence | None:
    """The first sentence that is no greeting, where no longer one is to be had."""
    sentences = (sentence for line in lines for sentence in _sentences(line, _TALK))
    return next((each for each in sentences if not is_courtesy(each.text)), None)


def _is_open(sentence: Sentence, words: frozenset[str], later: dict[str, set[str]]) -> bool:
    """True of a question of six words whose words, two and a third of them, no other says after."""
    if not _says_something(sentence.text, _LEAST_ASKED):
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
            text = clip(_strip_marks(content[start:end]), _SENTENCE_LIMIT)
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
