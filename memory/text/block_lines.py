"""What a single line of Markdown may be, and how far a block of several lines runs. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_letters
from typing import Final

from parley.memory.text.pasted_code import PASTED

SPACES: Final = frozenset(  # white space within a line
    " \t\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
WHITE: Final = SPACES | {"\n"}
MARK_ENDS: Final = frozenset(".)")  # of a letter that may mark an item
_SYMBOLS: Final = frozenset("•‣◦▪●○■□→➔➜➤►▶✓✔✗✘✅❌☐☑")  # that mark items in want of Markdown
LETTER_STARTS: Final = _SYMBOLS | {"("}
DULL: Final = frozenset("#>-*+_=|<`~:!$@{[0123456789") | WHITE | LETTER_STARTS | {""}  # no prose?
INITIALS: Final = frozenset(word[:3] for word in PASTED)
DULL_PAIRS: Final = frozenset(word[:2] for word in PASTED) | {
    letter + end for letter in ascii_letters for end in MARK_ENDS
}
LISTS: Final = frozenset("-*+0123456789")
LIST_STARTS: Final = LISTS | {" "}
ITEM: Final = re.compile(
    r"([-*+]|\d{1,9}[.)])(?:([ \t]+)(?:\[([ xX])\](?=[ \t]+\S)[ \t]+)?(?=\S)|[ \t]*$)"
)
COMMON_ITEM: Final = re.compile(  # an item whose text can be nothing but words
    r"( *)([-*+]|\d{1,9}[.)]) {1,4}(?![\s>#\[]|[-+*](?:[ \t]|$)|\d{1,9}[.)]|```|~~~|[-_*]{3})(?=.)"
)
LETTER: Final = re.compile(
    rf"(\([A-Za-z0-9]{{1,2}}\)|[A-Za-z][.)]|[{''.join(sorted(_SYMBOLS))}]\ufe0f?)([ \t]+)"
    r"(?:\[([ xX])\](?=[ \t]+\S)[ \t]+)?(?=\S)"
)
HEADING: Final = re.compile(r"#{1,6}(?=[ \t]|$)")
FENCE: Final = re.compile(r"(`{3,})[^`]*$|(~{3,})")
QUOTED: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]|#{1,6}[ \t]|`{3}|~{3}|\|")
BOLD: Final = re.compile(r"(?:\*\*(?![\s*])(?:[^*]|\*(?!\*))*[^\s*]\*\*|__(?![\s_])[^_]*[^\s_]__)$")
IMAGE: Final = re.compile(
    r"(?:!\[[^\[\]]*\]\([^()]*\)[ \t]*|\[!\[[^\[\]]*\]\([^()]*\)\]\([^()]*\)[ \t]*)+$"
)
_HTML_ANY: Final = re.compile(
    r"<(?:(script|pre|style|textarea)(?=[\s>]|$)|(!--)|(\?)|(!\[CDATA\[)|(![A-Za-z])|"
    r"/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|"
    r"details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|"
    r"head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|"
    r"option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)"
    r"(?=[\s>]|/>|$))",
    re.IGNORECASE,
)
_HTML_ALONE: Final = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:[ \t][^<>]*)?>[ \t]*$")
_HTML_ENDS: Final = (
    None,
    re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    re.compile("-->"),
    re.compile(r"\?>"),
    re.compile(r"\]\]>"),
    re.compile(">"),
)
_NEAR: Final = 3  # lines between two of a symbol, wrapped ones among them
_PIPE: Final = re.compile(r"(?<!\\)\|")
_COLUMN: Final = re.compile(r":?-+:?$")


def html_end(lines: Sequence[str], number: int, skipped: int, interrupts: bool) -> int:
    """The line behind the HTML that begins on line `number`; 0 where none does."""
    match = _HTML_ANY.match(lines[number], skipped)
    if match is None and (interrupts or not _HTML_ALONE.match(lines[number], skipped)):
        return 0
    closing = _HTML_ENDS[match.lastindex or 0] if match else None
    for end in range(number, len(lines)):
        line = lines[end]
        if closing is None:
            if not line.strip():
                return end
        elif closing.search(line):
            return end + 1
    return len(lines)


def fence_end(lines: Sequence[str], number: int, fence: str, base: int) -> int:
    """The line behind the code that `fence`, on line `number`, opens in column `base`."""
    for index in range(number + 1, len(lines)):
        line = lines[index]
        if base and line.strip() and indent(line) < base:
            return index
        if fence in line and not line.strip().strip(fence[0]) and indent(line) - base < 4:
            return index + 1
    return len(lines)


def indented_end(lines: Sequence[str], number: int) -> int:
    """The line behind the code whose indent makes it such, trailing blank ones left out."""
    end = number + 1
    for index in range(number + 1, len(lines)):
        line = lines[index]
        if line.startswith(("    ", "\t")) or indent(line) >= 4:
            if line.strip():
                end = index + 1
        elif line.strip():
            break
    return end


def is_header(line: str, dashes: str) -> bool:
    """True where `line` above the line of `dashes` is the header of a table."""
    columns = row_cells(dashes)
    return "|" in line and len(columns) == len(row_cells(line)) and all(map(_COLUMN.match, columns))


def is_rule(body: str) -> bool:
    marks = body.replace(" ", "").replace("\t", "")
    return len(marks) > 2 and marks[0] in "-*_" and not marks.strip(marks[0])


def is_prose(body: str, item: re.Match[str] | None) -> bool:
    """True where a line of text goes on with `body`, the rest of a line of a quote."""
    if item is not None:
        return item[2] is not None
    return body[:1] not in ("", "#", "|") and not is_rule(body)


def indent(line: str) -> int:
    """The column of the first character that is not white space."""
    width = len(line) - len(line.lstrip(" \t"))
    return len(line[:width].expandtabs(4)) if "\t" in line[:width] else width


def ends_table(body: str) -> bool:
    first = body[0]
    if first not in DULL or first == "|":
        return False
    return bool(
        first == ">"
        or ITEM.match(body)
        or HEADING.match(body)
        or FENCE.match(body)
        or is_rule(body)
        or _HTML_ANY.match(body)
    )


def lettered_lines(lines: Sequence[str]) -> frozenset[int]:
    """The lines of items that Markdown has not: "A)", "a.", "(1)" in order, or "→" in a row.

    Two or more make a list, in one column; of one symbol near each other.
    """
    numbers: set[int] = set()
    last: dict[tuple[int, str, str], tuple[int, int]] = {}  # style to place of the mark, line
    for number, line in enumerate(lines):
        body = line.lstrip(" ")
        match = LETTER.match(body)
        if match is None:
            continue
        mark = match[1].strip("().")
        if mark[0] in _SYMBOLS:
            style, place = (len(line) - len(body), mark, ""), number
            follows = style in last and number - last[style][0] <= _NEAR
        else:
            place = int(mark) if mark.isdecimal() else ord(mark) if len(mark) == 1 else 0
            case = "1" if mark.isdecimal() else "A" if mark.isupper() else "a"
            style = (len(line) - len(body), "(" if match[1][0] == "(" else match[1][-1], case)
            follows = place > 0 and style in last and last[style][0] + 1 == place
        if follows:
            numbers |= {last[style][1], number}
        last[style] = (place, number)
    return frozenset(numbers)


def row_cells(line: str) -> list[str]:
    """The cells of a line of a table, without the bars at its ends."""
    cells = [cell.strip() for cell in _PIPE.split(line.strip())]
    if cells and not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return cells
