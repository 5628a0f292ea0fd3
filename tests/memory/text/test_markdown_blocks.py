"""The blocks of a message: what each line is, what it stands under, what its words are."""

from __future__ import annotations

import re
import time
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parley.memory.text.block_lines import FENCE, row_cells
from parley.memory.text.block_words import plain
from parley.memory.text.markdown_blocks import Block, split_blocks

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_QUOTE_MARKS: Final = re.compile(r"^(?:[ \t]*>)+[ \t]*")
_ANY_MARKER: Final = re.compile(r"[^\s]+[ \t]*(?:\[[ xX]\][ \t]+)?")
_HASHES: Final = re.compile(r"#{1,6}(?:[ \t]+|$)")
_CLOSING_HASHES: Final = re.compile(r"(?:^|[ \t])#+$")


def block_text(text: str, block: Block) -> str:  # noqa: C901  # a kind each
    """The words that a block of `text` spans, on one line; code and HTML keep their lines.

    Without marker, quote marks, hashes, underline and fences; the cells of a row are
    parted by " | ". Emphasis stays.
    """
    source = text[block.start : block.end]
    kind = block.kind
    if kind == "rule":
        return ""
    if kind == "html":
        return source
    lines = [line.strip(" \t") for line in _LINE_END.split(source)]
    if kind == "code":
        return _code_text(source)
    if kind == "row":
        return " | ".join(row_cells(lines[0]))
    if kind == "heading":
        if source[0] == "#" and len(lines) == 1:
            return _without_hashes(source)
        if not block.bold:
            lines.pop()
        if block.marker:
            lines[0] = _ANY_MARKER.sub("", lines[0], count=1)
    elif kind == "quote":
        lines = [_QUOTE_MARKS.sub("", line, count=1) for line in lines]
        if block.marker and lines[0].startswith(block.marker):
            lines[0] = _ANY_MARKER.sub("", lines[0], count=1)
    elif kind == "item":
        lines[0] = _ANY_MARKER.sub("", lines[0], count=1)
    lines[0] = _without_hashes(lines[0]) if kind in ("item", "quote") else lines[0]
    return " ".join(line.removesuffix("\\") for line in lines if line)


def _without_hashes(line: str) -> str:
    match = _HASHES.match(line)
    return _CLOSING_HASHES.sub("", line[match.end() :]).strip() if match else line


def _code_text(source: str) -> str:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    fence = FENCE.match(lines[0])
    if fence:
        if len(lines) > 1 and not lines[-1].strip().strip(lines[0][0]):
            lines.pop()
        del lines[0]
    return "\n".join(lines)


def shown(text: str) -> list[tuple[str, str]]:
    """Kind and words of each block."""
    return [(block.kind, block_text(text, block)) for block in split_blocks(text)]


def items(text: str) -> list[tuple[str, int, int]]:
    """Marker, level and parent of each item."""
    return [
        (block.marker, block.level, block.parent)
        for block in split_blocks(text)
        if block.kind == "item"
    ]


def test_plain_text_is_one_paragraph() -> None:
    """Its span is the text without white space at its end."""
    assert split_blocks("We move on Friday.  ") == [Block("paragraph", 0, 18)]
    assert split_blocks("") == split_blocks("   ") == split_blocks("\n \n") == []


def test_hard_wrapped_lines_are_joined() -> None:
    """By one space; blank lines part paragraphs; line ends of any kind count."""
    text = "We move\n  on Friday.\\\nAll of us.\n\nThen rest."
    assert shown(text) == [
        ("paragraph", "We move on Friday. All of us."), ("paragraph", "Then rest."),
    ]  # fmt: skip
    assert shown(text.replace("\n", "\r\n")) == shown(text.replace("\n", "\r")) == shown(text)


def test_headings_govern_what_follows() -> None:
    """With hashes or underlined; a deeper one stands under the last of a lower level."""
    text = "# Plan #\n\nOne.\n\nSteps\n-----\nTwo.\n\n## More\n\n# End"
    blocks = split_blocks(text)
    assert [(block.kind, block.level, block.parent) for block in blocks] == [
        ("heading", 1, -1), ("paragraph", 0, 0), ("heading", 2, 0), ("paragraph", 0, 2),
        ("heading", 2, 0), ("heading", 1, -1),
    ]  # fmt: skip
    assert [block_text(text, block) for block in blocks] == [
        "Plan", "One.", "Steps", "Two.", "More", "End",
    ]  # fmt: skip
    assert shown("- one\n  ---") == [("heading", "one")]


@pytest.mark.parametrize("line", ["**Plan:**", "**1. Title**", "__Plan__", "**a *b* c**"])
def test_a_line_that_is_bold_alone_is_a_heading(line: str) -> None:
    """Of level 7, below those with hashes; its emphasis stays in its words."""
    text = f"# Top\n{line}\n- one\n"
    bold = split_blocks(text)[1]
    assert (bold.kind, bold.level, bold.parent, bold.bold) == ("heading", 7, 0, True)
    assert block_text(text, bold) == line
    assert items(text) == [("-", 0, 1)]


@pytest.mark.parametrize(
    "text", ["**Plan**: go", "**Plan:**\nwe go", "we go\n**Plan:**", "**a** and **b**", "** a **"]
)
def test_a_paragraph_with_bold_words_stays_one(text: str) -> None:
    """Bold alone means the whole paragraph."""
    assert [block.kind for block in split_blocks(text)] == ["paragraph"]


def test_items_stand_under_their_lead_in() -> None:
    """The paragraph before the list, else the heading; inner ones under the outer item."""
    text = "# Plan\n\nWe do:\n\n1. one\n   - a\n   - b\n     lazy\nlazy too\n2) two"
    assert items(text) == [("1.", 0, 1), ("-", 1, 2), ("-", 1, 2), ("2)", 0, 1)]
    assert shown(text)[4] == ("item", "b lazy lazy too")
    assert items("# Plan\n* one\n+ two") == [("*", 0, 0), ("+", 0, 0)]


def test_a_paragraph_of_an_item_stands_under_it() -> None:
    """Also code; what is not indented is no longer of the list."""
    text = "- one\n\n  more\n\n  ```\n  x\n  ```\n\nover"
    assert [(block.kind, block.parent) for block in split_blocks(text)] == [
        ("item", -1), ("paragraph", 0), ("code", 0), ("paragraph", -1),
    ]  # fmt: skip


def test_a_number_that_goes_on_joins_the_list_before() -> None:
    """What stood between, not indented, is no lead-in of the second; bullets are of the number."""
    text = "Steps:\n\n1. one\n- a\n- b\n\ntalk\n\n2. two\n```\nx\n```\n3. three"
    assert items(text) == [
        ("1.", 0, 0), ("-", 0, 1), ("-", 0, 1), ("2.", 0, 0), ("3.", 0, 0),
    ]  # fmt: skip


def test_only_a_list_that_begins_may_interrupt_a_paragraph() -> None:
    """A wrapped line with a year at its front is text."""
    assert len(split_blocks("We moved in\n2019. Then\n* \nwe stayed.")) == 1
    assert len(split_blocks("We do\n1. this")) == 2


def test_task_marks_are_kept_apart() -> None:
    """Beside the marker; other brackets are text."""
    text = "- [ ] open\n- [x] done\n- [X] too\n- [y] text\n- [ ]"
    blocks = split_blocks(text)
    assert [block.checked for block in blocks] == [False, True, True, None, None]
    assert [block_text(text, block) for block in blocks][:4] == ["open", "done", "too", "[y] text"]


def test_an_empty_item_takes_the_line_below() -> None:
    """Where that is indented, and no blank line parts them."""
    assert shown("-\n  one") == [("item", "one")]
    assert shown("-\n\n  one") == [("item", ""), ("paragraph", "one")]


def test_items_that_begin_on_one_line_are_one_block() -> None:
    """The innermost, so that each line belongs to one block."""
    text = "- 1. one\n  2. two"
    assert items(text) == [("1.", 1, -1), ("2.", 1, -1)]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("Options:\nA) one\nB) two", ["A)", "B)"]),
        ("A. one\nmore\nB. two\nC. three", ["A.", "B.", "C."]),
        ("We do\n(1) this\n(2) that", ["(1)", "(2)"]),
        ("(a) this\n\n(b) that", ["(a)", "(b)"]),
        ("A) alone", []),
        ("A) one\nC) three", []),
        ("J. Smith\nK. Jones", ["J.", "K."]),
        ("Option A: one\nOption B: two", []),
        ("✅ Good:\n→ one\n  more\n→ two", ["→", "→"]),
        ("• one\n• two", ["•", "•"]),
        ("✅ one\n\nLong talk.\n\n\n✅ two", []),
    ],
)
def test_letters_and_symbols_mark_items_where_two_follow(text: str, marks: list[str]) -> None:
    """Beyond CommonMark; a letter alone is text."""
    assert [marker for marker, _, _ in items(text)] == marks


def test_rows_of_a_table() -> None:
    """A header row with the line of dashes, and a row each; the rows stand under the header."""
    text = "Costs\n\n| a | b |\n|---|:-:|\n| 1 | 2 \\| 3 |\nx | y\n\nover"
    blocks = split_blocks(text)
    assert [(block.kind, block.level, block.parent) for block in blocks] == [
        ("paragraph", 0, -1), ("row", 0, -1), ("row", 1, 1), ("row", 1, 1), ("paragraph", 0, -1),
    ]  # fmt: skip
    assert [block_text(text, block) for block in blocks[1:4]] == ["a | b", "1 | 2 \\| 3", "x | y"]
    assert split_blocks("a | b\n--- | --- | ---")[0].kind == "paragraph"
    assert [block.kind for block in split_blocks("talk\na | b\n-|-")] == ["paragraph", "row"]


def test_quotes() -> None:
    """A line without a mark may continue one; a deeper quote, an item in it begins another."""
    text = "> one\ntwo\n> three\n>\n> four\n>> five\n\nsix\n> - a\n> - b"
    assert shown(text) == [
        ("quote", "one two three"), ("quote", "four"), ("quote", "five"), ("paragraph", "six"),
        ("quote", "a"), ("quote", "b"),
    ]  # fmt: skip
    assert [block.level for block in split_blocks(text)] == [1, 1, 2, 0, 1, 1]
    assert shown("> ```\n> x\n\ny")[1] == ("paragraph", "y")


def test_fenced_code() -> None:
    """Up to a fence as long, else to the end; in an item to the end of that."""
    text = "a\n````py\n```\n- x\n````\nb\n~~~\n# c\n\n"
    assert shown(text) == [
        ("paragraph", "a"), ("code", "```\n- x"), ("paragraph", "b"), ("code", "# c"),
    ]  # fmt: skip
    assert shown("- ```\n  x\nb") == [("code", "  x"), ("paragraph", "b")]
    assert split_blocks("``` a ` b")[0].kind == "paragraph"


def test_code_by_indent() -> None:
    """After a blank line; a continued paragraph and a list have none."""
    assert [kind for kind, _ in shown("a\n\n    b\n\n\tc\nd")] == ["paragraph", "code", "paragraph"]
    assert shown("a\n    b") == [("paragraph", "a b")]
    assert shown("- a\n\n        b") == [("item", "a"), ("paragraph", "b")]


def test_rules_images_and_html() -> None:
    """Each on lines of its own."""
    text = "a\n\n---\n* * *\n![x](y) ![z](w)\n<div>\nb\n</div>\n\n<!-- c\n\nd -->\n<b>\n\nMy <b>"
    assert [block.kind for block in split_blocks(text)] == [
        "paragraph", "rule", "rule", "image", "html", "html", "html", "paragraph",
    ]  # fmt: skip


PIECES = (
    "- ", "* ", "1. ", "2) ", "A) ", "B) ", "(1) ", "→ ", "> ", "# ", "## ", "```", "~~~", "---",
    "===", "|", "|-|", "a | b", "**b**", "![x](y)", "<div>", "<!--", "-->", "$ ls", ">>> x",
    "{", "}", "[x] ", "    ", "  ", "\t", "word", "more words.", "\n", "\n\n", "\r\n", "\u00a0",
    "2026-01-01 10:00 INFO x", "Traceback (most recent call last):", "@@ -1 +1 @@", "@", ":",
    "\u3000",
)  # fmt: skip
MESSAGES = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=200)


@given(MESSAGES)
@example("- - - - - - - - - - - - - - - - - - - - x\n  y")
@example("1. " * 40)
@example("a\n\u00a0\nb")
def test_each_line_belongs_to_one_block(text: str) -> None:
    """Spans are in order, lie in the text, never overlap; parents come before."""
    blocks = split_blocks(text)
    ends = [0, *(block.end for block in blocks)]
    for number, (block, before) in enumerate(zip(blocks, ends, strict=False)):
        assert before <= block.start < block.end <= len(text)
        assert -1 <= block.parent < number
        block_text(text, block)
    pos = 0
    for line in text.replace("\r\n", " \n").replace("\r", "\n").split("\n"):
        end = pos + len(line)
        of = [block for block in blocks if block.start < end and block.end > pos]
        assert len(of) == (1 if line.strip() else len(of)) <= 1, (line, of)
        pos = end + 1


@given(MESSAGES)
def test_reading_is_deterministic(text: str) -> None:
    """The same blocks each time, and of other line ends."""
    blocks = split_blocks(text)
    assert split_blocks(text) == blocks
    if "\r" not in text:
        other = text.replace("\n", "\r")
        assert split_blocks(other) == blocks
        assert [block_text(other, block) for block in blocks if block.kind != "html"] == [
            block_text(text, block) for block in blocks if block.kind != "html"
        ]


HOSTILE = (
    ">", "> ", "- ", "* ", "1. ", "- - x\n", "`", "```\n", "{\n", "[", "    ", "|", "|-", "a|b\n",
    "**", "_", "__a ", "<", "<!--\n", "<a ", "![](", "[![](", "$ a\n", "@@ -", "#", "A) x\n",
    "(1) ", ">>> a\n", "=", "\t", "\n", "> ```\n", "- ```\n", "2026-01-01 10:00 a ", "**a*", "~~a ",
    "[a](", "\\", "a\n- ", "1. a\n", "Traceback (most recent call last)\n", "\u00a0", "\r",
)  # fmt: skip


def took(text: str) -> float:
    """Seconds of processor time that it takes to read `text`, the best of two."""
    times = []
    for _ in range(2):
        started = time.process_time()
        for block in split_blocks(text):
            plain(block_text(text, block))
        times.append(time.process_time() - started)
    return min(times)


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("frame", ["{}", "> a\nb{}c\nd", "- a{}b", "# {}x", "10:00 a{}b"])
def test_time_grows_with_length(piece: str, frame: str) -> None:
    """Eight times the text takes far less than the 64 times of what is quadratic."""
    short, long = (took(frame.format(piece * (size // len(piece)))) for size in (2048, 16384))
    assert long < 20 * max(short, 0.002)
