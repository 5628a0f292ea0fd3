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

from parley.memory.extraction.writing.back_references import has_fields
from parley.memory.extraction.writing.cards import current_cards
from parley.memory.summaries.sentence_roles import shipped_roles
from parley.memory.text.courtesies import is_courtesy
from parley.memory.text.markdown_blocks import Block, split_blocks
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.sentences import IDEOGRAPHIC
from parley.memory.text.similarity import content_stems

_SENTENCE_LIMIT: Final = 240  # characters of one sentence in a summary
_READ: Final = 20_000  # characters of one message; what a summary can quote is in its beginning
_MAX_SENTENCES: Final = 200  # of one message
_LEAST_WORDS: Final = 4  # a shorter sentence says nothing out of its place
_LEAST_ASKED: Final = 6  # words of a question that is more than bare
_NEAR_END: Final = 4  # sentences; a question before them is answered by its message itself
_LEAST_STEMS: Final = 3
_CHARS_PER_MARK: Final = 12  # of code: with fewer the text is no sentence
_WEIGH_SHARED: Final = 30  # of a sentence all of whose words the talk comes back to
_WEIGH_FIRST: Final = 22  # the first sentence of a message; its last one half of that
_WEIGH_MARKED: Final = 20  # what its author set in bold
_WEIGH_PERSON: Final = 20  # said by a person, or by whoever is in the chair
_WEIGH_HANGING: Final = 25
_WEIGH_PROGRESS: Final = 35  # what was going on until the same participant spoke again
_WEIGH_LEADING: Final = 12  # what leads a list in, and is told with its heads
_WEIGH_TITLE: Final = 12
_WEIGH_ITEM: Final = 6
_WEIGH_LONG: Final = 12  # more than forty words
_WEIGH_NAMES: Final = 18  # mostly names of code
_WEIGH_ASKING: Final = 25  # a question behind the first message, which others may have answered
_LEAST_OF_REQUEST: Final = 8  # words of a question that says what is asked for
_MANY_WORDS: Final = 40
_MOST_GISTS: Final = 4  # of one message
_MARKED_SHARE: Final = 3  # of a sentence's characters, one in so many set in bold
_TITLE_CHARS: Final = 100
_TALK: Final = ("paragraph", "item")
_ENDS: Final = (*".!…。！", '."', ".)", "。」")
_STOPS: Final = (*_ENDS, ":", "?", "!", ";", ",", "？")
_PROSE: Final = ("paragraph", "item", "heading", "quote", "row")
_SENTENCE: Final = re.compile(
    r"(?:[^.!?…。！？]|[.!?…](?![.!?…\"')\]*]*(?:\s|$)))+[.!?…。！？\"')\]*」』）]*"
)
_NO_STOP: Final = re.compile(r"(?:\b(?:mrs?|ms|dr|vs|cf|e\.g|i\.e|fig|resp)|\s)\.$", re.IGNORECASE)
_IDEOGRAPHS: Final = re.compile(f"[{IDEOGRAPHIC}]")
_CODE: Final = re.compile(r"[=(){}\[\]_;<>|\\]")
_FIELD: Final = re.compile(
    r"""["'](?P<name>[^"'{}\n]{1,60})["']\s*:\s*"""
    r"""["'](?P<value>.{0,600}?)["']\s*(?=[,}\]]\s*(?:["'}]|$))"""
)
_DATA: Final = re.compile(r"""\{\s*["'][\w ]{1,40}["']\s*:\s*["'\[{]""")  # an object of data begins
_SHORT_FIELD: Final = 80  # characters
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
    marked: bool = False  # set in bold by its author
    title: bool = False  # the line that its message opens with
    item: bool = False  # of a list
    leads: bool = False  # leads a list in


class Talk(NamedTuple):
    """What an interval's talk offers: up to four sentences of each message, the weightiest of
    it first, messages in log order; and the questions that nobody answered.
    """

    gists: tuple[Sentence, ...]
    questions: tuple[Sentence, ...]


def read_talk(lines: Sequence[Line]) -> Talk:
    """The sentences of each of `lines` that carry most, and the questions left at the end.

    What carries most plays a part in the minutes (rules, corrects, reports, objects, asks),
    opens its message, is marked by its author, or shares its words with the rest of the talk.
    """
    roles, wordings = shipped_roles(), current_cards().texts
    spoken = [list(_sentences(line, _TALK)) for line in lines]
    stems = [[frozenset(content_stems(each.text)) for each in sentences] for sentences in spoken]
    shared = Counter(stem for each in stems for words in each for stem in words)
    common = max(1, max(shared.values(), default=1) - 1)
    last = {line.participant: place for place, line in enumerate(lines)}
    taken: set[frozenset[str]] = set()
    gists: list[Sentence] = []
    for place, (line, sentences, words_of) in enumerate(zip(lines, spoken, stems, strict=True)):
        ranked = []
        opened = False
        person = roles.people.occurs(line.participant)
        if is_form(line.content):
            sentences = sentences[:1]
            words_of = words_of[:1]
        for index, (sentence, words) in enumerate(zip(sentences, words_of, strict=True)):
            text = sentence.text
            says = sentence.leads or (len(words) >= _LEAST_STEMS and _says_something(text))
            if words in taken or not says or has_fields(text, wordings):
                continue
            asks = text.endswith(("?", "？"))
            if (asks and len(text.split()) < _LEAST_OF_REQUEST) or roles.filler.occurs(text):
                continue
            taken.add(words)
            weight = _WEIGH_SHARED * sum(shared[word] - 1 for word in words)
            weight = weight // (len(words) + 4) // common + roles.weigh(text)
            if not opened and not sentence.title and len(words) >= _LEAST_STEMS:
                weight += _WEIGH_FIRST
                opened = True
            elif index == len(sentences) - 1:
                weight += _WEIGH_FIRST // 2
            weight += _WEIGH_MARKED * sentence.marked + _WEIGH_PERSON * person
            weight -= _WEIGH_TITLE * sentence.title + _WEIGH_ITEM * sentence.item
            weight += _WEIGH_LEADING * sentence.leads
            weight -= _WEIGH_ASKING * (asks and place > 0)
            weight -= _WEIGH_HANGING * bool(_HANGING.match(text))
            weight -= _WEIGH_LONG * (len(text.split()) > _MANY_WORDS)
            weight -= _WEIGH_NAMES * (not _is_whole(text) and _names_code(text))
            if roles.progress.occurs(text):
                weight -= _WEIGH_PROGRESS * (2 if last[line.participant] != place else 1) // 2
            ranked.append((-weight, index))
        for weight, index in sorted(ranked)[:_MOST_GISTS]:
            gists.append(replace(sentences[index], weight=-weight))
    return Talk(tuple(gists), _open_questions(spoken))


def _open_questions(spoken: Sequence[Sequence[Sentence]]) -> tuple[Sentence, ...]:
    """The questions of six words or more that the last message ends with, two at most."""
    asked = [
        sentence
        for sentence in (spoken[-1][-_NEAR_END:] if spoken else ())
        if sentence.text.endswith(("?", "？")) and _says_something(sentence.text, _LEAST_ASKED)
    ]
    return tuple(asked[-2:])


def _names_code(text: str) -> bool:
    """True where a third of `text` stands in code spans."""
    return 3 * sum(map(len, text.split("`")[1::2])) >= len(text)


def is_form(content: str) -> bool:
    """True of a message that is one object of data, a form that somebody filled in."""
    return content.lstrip().startswith(("{", "[{"))


def form_words(content: str) -> str:
    """The fields of a form, "name: value", short ones first; "" where it has none."""
    fields = [(pair["name"], one_line(pair["value"])) for pair in _FIELD.finditer(content[:_READ])]
    filled = [f"{name}: {value}" for name, value in fields if value]
    return "; ".join(sorted(filled, key=lambda field: len(field) > _SHORT_FIELD))


def _says_something(text: str, least: int = _LEAST_WORDS) -> bool:
    """False of a greeting, and of what is too short to be understood out of its place."""
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


def _sentences(line: Line, kinds: Sequence[str]) -> Iterator[Sentence]:
    """The sentences of a message's blocks of these kinds, 200 at most."""
    content, count = line.content[:_READ], 0
    blocks, form = split_blocks(content), is_form(content)
    for index, block in enumerate(blocks):
        title = index == 0 and _is_title(content, blocks)
        if block.kind not in kinds and not (title or block.bold):
            continue
        data = None if form else _DATA.search(content, block.start, block.end)
        stop = block.end if data is None else data.start()  # what a tool is called with
        listed = index + 1 < len(blocks) and blocks[index + 1].kind == "item"
        leads = listed and content[block.start : block.end].rstrip("*_ ").endswith(":")
        first = block.start + (len(block.marker) if block.kind == "item" else 0)
        for start, end in _spans(content, first, stop):
            words = content[start:end]
            text = clip(_strip_marks(words), _SENTENCE_LIMIT)
            if text:
                bold = sum(map(len, words.split("**")[1::2])) if "**" in words else 0
                yield Sentence(
                    line.n, one_line(line.participant), text, start, end,
                    marked=_MARKED_SHARE * bold >= len(words),
                    title=title, item=block.kind == "item", leads=leads and end == block.end,
                )  # fmt: skip
                count += 1
                if count == _MAX_SENTENCES:
                    return


def _is_title(content: str, blocks: Sequence[Block]) -> bool:
    """True where a message opens with a short line that is no sentence."""
    block = blocks[0]
    words = content[block.start : block.end].rstrip(" *_#")
    return (
        len(blocks) > 1
        and block.kind in ("paragraph", "heading")
        and block.end - block.start < _TITLE_CHARS
        and not words.endswith((*_ENDS, "?", "？", ":"))
    )


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
