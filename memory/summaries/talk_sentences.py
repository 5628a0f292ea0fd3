"""The sentences of a stretch of talk that a summary may quote: prose, and never code.

Of paragraphs and items of lists; pasted code, terminals, tables, quotes and headings are
nobody's sentences. Linear in the text, of which the first 20,000 characters of a message count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from parley.memory.summaries.filled_forms import is_form, is_run, run_words
from parley.memory.summaries.list_heads import opens_bold
from parley.memory.text.courtesies import is_courtesy
from parley.memory.text.markdown_blocks import Block, split_blocks
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.sentences import IDEOGRAPHIC

_SENTENCE_LIMIT: Final = 240  # characters of one sentence in a summary
_READ: Final = 20_000  # characters of one message; what a summary can quote is in its beginning
_MAX_SENTENCES: Final = 200  # of one message
_LEAST_WORDS: Final = 4  # a shorter sentence says nothing out of its place
_CHARS_PER_MARK: Final = 12  # of code: with fewer the text is no sentence
WEIGHED: Final = 600  # characters of a list whose parts are looked for
_MARKED_SHARE: Final = 3  # of a sentence's characters, one in so many set in bold
_TITLE_CHARS: Final = 100
_LEAST_OUTLINED: Final = 700  # characters
_PARTS: Final = 3
_BOLD_LINE: Final = re.compile(r"\n\*\*[^*\n]{2,40}\*\*")
_MARGIN: Final = 20
_BELOW: Final = ("paragraph", "item", "row", "quote", "heading")
_MOST_BELOW: Final = 40  # items of a list
TALK: Final = ("paragraph", "item")
ENDS: Final = (*".!…。！", '."', ".)", "。」")
_STOPS: Final = (*ENDS, ":", "?", "!", ";", ",", "？")
_PROSE: Final = ("paragraph", "item", "heading", "quote", "row")
_SENTENCE: Final = re.compile(
    r"(?:[^.!?…。！？]|[.!?…](?![.!?…\"')\]*]*(?:\s|$)))+[.!?…。！？\"')\]*」』）]*"
)
_NO_STOP: Final = re.compile(r"(?:\b(?:mrs?|ms|dr|vs|cf|e\.g|i\.e|fig|resp)|\s)\.$", re.IGNORECASE)
_IDEOGRAPHS: Final = re.compile(f"[{IDEOGRAPHIC}]")
_CODE: Final = re.compile(r"[=(){}\[\]_;<>|\\]")
_CODE_LINE: Final = re.compile(
    r"-{3}|from [\w.]+ import\b|import [\w.]+$|\w+ = [\[{(\"'\w]|.*? -{3} import\b"
)
_DATA: Final = re.compile(r"""\{\s*["'][\w ]{1,40}["']\s*:\s*["'\[{]""")  # an object of data begins
_SHORT: Final = 40  # characters of what is quoted for an item, where more stands behind it
_SIGNS: Final = re.compile(r"^[^\w(\[\"'`$/@.+<-]+")  # faces and ticks before words


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
    leads: bool = False  # leads a list or a table in
    reach: int = 0  # where that ends
    block: int = 0  # which block of its message it stands in
    run: bool = False  # what a run of code came to
    under: str = ""  # the head that stands before it, of the first sentence behind one
    brief: bool = False  # all that its message says
    outline: bool = False  # stands for the heads of the parts of its message
    person: bool = False  # said by a person, or by whoever is in the chair


def says_something(text: str, least: int = _LEAST_WORDS) -> bool:
    """False of a greeting, and of what is too short to be understood out of its place."""
    if is_courtesy(text) or len(_CODE.findall(text)) * _CHARS_PER_MARK > len(text):
        return False
    if _CODE_LINE.match(text):
        return False
    return len(text.split()) >= least or len(_IDEOGRAPHS.findall(text)) > 2 * least


def quote_line(line: Line, start: int, end: int) -> str:
    """The sentence of a message around `start`..`end`, on one line; "" where that is code.

    With the next one where it only leads in to it ("My recommendation:"), or is too short to say
    what it is about ("Plan approved").
    """
    quoted: list[str] = []
    for sentence in list_sentences(line, _PROSE):
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


def any_sentence(lines: Sequence[Line]) -> Sentence | None:
    """The first sentence that is no greeting, where no longer one is to be had."""
    sentences = (sentence for line in lines for sentence in list_sentences(line, TALK))
    return next((each for each in sentences if not is_courtesy(each.text)), None)


def list_sentences(line: Line, kinds: Sequence[str]) -> Iterator[Sentence]:
    """The sentences of a message's blocks of these kinds, 200 at most."""
    content, count = line.content[:_READ], 0
    if is_run(content):
        end = content.find("\n") if "\n" in content else len(content)
        yield Sentence(
            line.n, one_line(line.participant), run_words(content), 0, max(end, 1), run=True
        )
        return
    blocks, form = split_blocks(content), is_form(content)
    outline = not form and _has_outline(content, blocks)
    for index, block in enumerate(blocks):
        title = index == 0 and _is_title(content, blocks)
        reach = _list_end(content, blocks, index)
        if outline and not index:
            yield Sentence(
                line.n, one_line(line.participant),
                clip(_strip_marks(content[block.start : block.end]), _SENTENCE_LIMIT),
                block.start, block.end if title else block.start,
                title=title, leads=True, outline=True, block=-1,
            )  # fmt: skip
        if block.kind not in kinds and not (title or block.bold or reach):
            continue
        data = None if form else _DATA.search(content, block.start, block.end)
        stop = block.end if data is None else data.start()  # what a tool is called with
        first = block.start + (len(block.marker) if block.kind == "item" else 0)
        if block.kind == "heading":
            first = (
                block.start
                + len(content[block.start : stop])
                - len(content[block.start : stop].lstrip("# "))
            )
        under = _head_before(content, blocks, index)
        spans = [(first, stop)] if block.kind == "row" else _spans(content, first, stop)
        for start, end in spans:
            words = content[start:end]
            text = clip(_strip_marks(words), _SENTENCE_LIMIT)
            if text:
                bold = sum(map(len, words.split("**")[1::2])) if "**" in words else 0
                yield Sentence(
                    line.n, one_line(line.participant), text, start, end,
                    marked=_MARKED_SHARE * bold >= len(words),
                    title=title and start == first, item=block.kind == "item",
                    leads=reach > 0 and end == block.end, reach=reach, block=index,
                    under=under if start == first else "",
                )  # fmt: skip
                count += 1
                if count == _MAX_SENTENCES:
                    return


def _has_outline(content: str, blocks: Sequence[Block]) -> bool:
    """True of a message of some length with three parts that have heads."""
    if len(content) < _LEAST_OUTLINED:
        return False
    heads = headings = 0
    for index, block in enumerate(blocks[1:], 1):
        if block.kind == "heading":
            below = blocks[index + 1] if index + 1 < len(blocks) else block
            text = content[below.start : min(below.end, below.start + WEIGHED)]
            prose = len(_CODE.findall(text)) * _CHARS_PER_MARK <= len(text)
            headings += 1
            heads += prose and below.kind in _BELOW
        elif block.kind in TALK and not _is_led(blocks, block):
            heads += opens_bold(content[block.start + len(block.marker) : block.start + _MARGIN])
            heads += len(_BOLD_LINE.findall(content, block.start, block.end))
    return heads >= _PARTS and 2 * heads > headings


def _is_led(blocks: Sequence[Block], block: Block) -> bool:
    """True of an item that something leads in, or the title of its message."""
    if block.kind != "item":
        return False
    return blocks[1].kind == "item" or (
        block.parent >= 0 and blocks[block.parent].kind != "heading"
    )


def _head_before(content: str, blocks: Sequence[Block], index: int) -> str:
    """The words of the heading or the lead-in right before a block; "" where none stands there."""
    before = blocks[index - 1] if index else None
    if before is None or blocks[index].kind == "item":
        return ""
    if before.kind != "heading" and not _ends_as_lead(content, before):
        return ""
    words = content[before.start : before.end]
    return words if len(words) < _TITLE_CHARS else ""


def _list_end(content: str, blocks: Sequence[Block], index: int) -> int:
    """Where the list or the table ends that the block `index` leads in; 0 of any other.

    What leads in ends with a colon, or is a heading or the title of the message, or the first
    row of a table without one.
    """
    block = blocks[index]
    if block.kind == "row":
        before = blocks[index - 1] if index else block
        if block.level or before.kind == "heading" or _ends_as_lead(content, before):
            return 0
    elif not (
        block.kind == "heading"
        or _ends_as_lead(content, block)
        or (index == 0 and _is_title(content, blocks))
    ):
        return 0
    kind = "" if block.kind != "row" else "row"
    end = 0
    for following in blocks[index + 1 : index + 1 + _MOST_BELOW]:
        if following.kind not in ("item", "row") or following.kind != (kind or following.kind):
            break
        if block.kind == following.kind == "item" and following.level <= block.level:
            break
        kind, end = following.kind, following.end
    return end


def _ends_as_lead(content: str, block: Block) -> bool:
    return content[block.start : block.end].rstrip("*_ ").endswith(":")


def _is_title(content: str, blocks: Sequence[Block]) -> bool:
    """True where a message opens with a short line that is no sentence."""
    block = blocks[0]
    words = content[block.start : block.end].rstrip(" *_#")
    return (
        len(blocks) > 1
        and block.kind in ("paragraph", "heading")
        and block.end - block.start < _TITLE_CHARS
        and not words.endswith((*ENDS, "?", "？", ":"))
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
