"""The blocks of a message's Markdown: paragraphs, headings, items, rows, quotes, code.

Block structure only, as CommonMark and its pipe tables see it, with extensions for what
people and agents paste: lettered lists, a line that is bold alone as a heading, terminals,
tracebacks, diffs, logs and data outside fences as code. Every line that is not blank
belongs to exactly one block. Pure; linear in the length of the text.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple

from parley.memory.text.block_lines import (
    BOLD,
    DULL,
    FENCE,
    HEADING,
    IMAGE,
    ITEM,
    LETTER,
    LETTERED,
    LISTS,
    QUOTED,
    SPACES,
    ends_table,
    fence_end,
    html_end,
    indent,
    indented_end,
    is_header,
    is_rule,
    lettered_lines,
)
from parley.memory.text.pasted_code import pasted_end, pasted_starts

BlockKind = Literal["paragraph", "heading", "item", "row", "quote", "code", "image", "rule", "html"]
BOLD_LEVEL: Final = 7  # of a heading that is a bold line alone: below all six of Markdown


class Block(NamedTuple):
    """One block; `start` and `end` are characters of the message, its indent left out.

    A block runs from its marker to the end of its last line that is not blank. Lines in
    it that continue a list or a quote still have their indent or their quote marks:
    `block_text` takes them off.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0  # of a heading 1 to 7; nesting of an item, 0 outermost; depth of a quote; row 0
    marker: str = ""  # "-", "1.", "A)"; also of another block that an item begins with
    parent: int = -1  # index of the item, lead-in, header row or heading it stands under
    checked: bool | None = None  # the task mark of an item
    bold: bool = False  # a heading for being bold alone


_new: Final = tuple.__new__
_NESTED: Final = 16  # items that may begin on one line
_KIND, _START, _END, _LEVEL, _MARKER, _PARENT, _CHECKED, _IS_BOLD = range(8)


def split_blocks(text: str) -> list[Block]:
    """The blocks of `text` in their order.

    They never overlap, and each line that is not blank lies in exactly one.
    """
    if text[:1] not in DULL and text[0] not in "TPd" and "\n" not in text and "\r" not in text:
        return [_new(Block, ("paragraph", 0, len(text.rstrip()), 0, "", -1, None, False))]
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return list(map(Block._make, _Scan(text).rows()))


Row = list[Any]  # the fields of a block, as they are found


class _Scan:
    """Where the reading of one text stands."""

    __slots__ = (
        "_blocks", "_bold", "_empty", "_fenced", "_heading", "_headings", "_last", "_lettered",
        "_lines", "_numbered", "_open", "_pasted", "_quoted", "_stack", "_text",
    )  # fmt: skip

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = text.split("\n")
        self._blocks: list[Row] = []
        self._open = 0  # lines of the last block, while a line may still continue it
        self._last = 0  # where the last of these lines begins
        self._bold = False  # the open block is a bold line alone so far
        self._stack: list[tuple[int, int]] = []  # of each open item: column of its text, its block
        self._headings: list[tuple[int, int]] = []  # those that govern: level, block
        self._heading = -1
        self._numbered = (-1, -1)  # the last outermost numbered item: number, block
        self._quoted = -2  # the last line with a quote mark
        self._fenced = ""  # the fence that is open inside a quote
        self._empty = -2  # the line of an item that has no text yet
        self._lettered = lettered_lines(self._lines) if LETTERED.search(text) else ()
        self._pasted = pasted_starts(text)

    def rows(self) -> list[Row]:
        """The fields of every block."""
        blocks, lettered, pasted = self._blocks, self._lettered, self._pasted
        pos = resume = 0
        for number, line in enumerate(self._lines):
            if number < resume:
                pass
            elif line[:1] not in DULL and not (
                (lettered and number in lettered) or (pasted and line.startswith(pasted))
            ):
                end = pos + len(line)
                if self._open:
                    if self._bold:
                        self._unbold()
                    self._open += 1
                    self._last = pos
                    blocks[-1][2] = end
                else:
                    if self._stack:
                        self._stack.clear()
                    blocks.append(["paragraph", pos, end, 0, "", self._heading, None, False])
                    self._open = 1
                    self._last = pos
            elif line:
                resume = self._read(number, line, pos)
            else:
                if self._bold:
                    self._set_bold()
                self._open = 0
            pos += len(line) + 1
        if self._bold:
            self._set_bold()
        return self._trimmed()

    def _trimmed(self) -> list[Row]:
        """The blocks without white space at their ends."""
        text = self._text
        for row in self._blocks:
            end = row[2]
            if text[end - 1].isspace():
                start = row[1]
                row[2] = start + len(text[start:end].rstrip())
        return self._blocks

    def _read(  # noqa: C901  # every line passes here: no calls to spare
        self, number: int, line: str, pos: int
    ) -> int:
        """Take in a line that may begin a block; the line to go on with."""
        body = line.lstrip(" \t")
        first = body[:1]
        if first in SPACES and first:
            body = body.lstrip()
            first = body[:1]
        if not body:
            self._close()
            return 0
        skipped = len(line) - len(body)
        column = skipped
        if skipped and "\t" in line:
            column = len(line[:skipped].expandtabs(4))
        stack = self._stack
        if self._empty >= 0:
            if number > self._empty + 1 and stack:
                del stack[-1]
            elif not self._open and stack and column >= stack[-1][0]:
                self._open = 1  # the text of an item whose marker stands alone
            self._empty = -2
        depth = len(stack)
        while depth and stack[depth - 1][0] > column:
            depth -= 1
        if column - (stack[depth - 1][0] if depth else 0) >= 4:
            if self._open:
                self._extend(pos, pos + len(line))
                return 0
            if not depth:
                return self._indented(number, pos, skipped)
        if first in DULL:
            if first in LISTS:
                resume = self._list_line(number, line, pos, skipped, column, depth)
            else:
                resume = self._marked_line(number, line, pos, skipped, column, depth)
            if resume >= 0:
                return resume
        elif self._lettered and number in self._lettered:
            match = LETTER.match(body)
            if match:
                return self._item(number, line, pos, skipped, column, depth, match)
        elif self._pasted and body.startswith(self._pasted):
            end = pasted_end(self._lines, number)
            if end:
                return self._code(number, end, pos, skipped, depth)
        self._prose(line, pos, skipped, depth)
        return 0

    # What a line does to the blocks.

    def _close(self) -> None:
        if self._bold:
            self._set_bold()
        self._open = 0

    def _extend(self, pos: int, end: int) -> None:
        if self._bold:
            self._unbold()
        self._open += 1
        self._last = pos
        self._blocks[-1][_END] = end

    def _prose(self, line: str, pos: int, skipped: int, depth: int) -> None:
        """A line of text: goes on with what is open, else begins a paragraph."""
        if self._open:
            self._extend(pos, pos + len(line))
        else:
            self._add("paragraph", pos + skipped, pos + len(line), depth)
            self._open = 1
            self._last = pos + skipped

    def _add(self, kind: BlockKind, start: int, end: int, depth: int, level: int = 0) -> Row:
        """A block that nothing continues, in the item `depth` deep."""
        if self._bold:
            self._set_bold()
        self._open = 0
        stack = self._stack
        if len(stack) > depth:
            del stack[depth:]
        parent = stack[-1][1] if stack else self._heading
        row: Row = [kind, start, end, level, "", parent, None, False]
        self._blocks.append(row)
        return row

    def _unbold(self) -> None:
        self._bold = False
        row = self._blocks[-1]
        row[_KIND], row[_LEVEL], row[_IS_BOLD] = "paragraph", 0, False

    def _set_bold(self) -> None:
        self._bold = False
        self._govern(BOLD_LEVEL, len(self._blocks) - 1)

    def _govern(self, level: int, index: int) -> None:
        """Let the block `index`, a heading, stand above what follows."""
        headings = self._headings
        while headings and headings[-1][0] >= level:
            headings.pop()
        self._blocks[index][_PARENT] = headings[-1][1] if headings else -1
        headings.append((level, index))
        self._heading = index
        self._numbered = (-1, -1)

    # What may begin with a mark.

    def _list_line(
        self, number: int, line: str, pos: int, skipped: int, column: int, depth: int
    ) -> int:
        """A line that begins as an item, a rule or an underline does; -1: it is text."""
        first = line[skipped]
        if first in "-*" and line[-1] in "-* \t:|":
            resume = self._ruled(number, line, pos, skipped, depth)
            if resume >= 0:
                return resume
        match = ITEM.match(line, skipped)
        if match:
            if not self._open or self._interrupts(match, depth):
                return self._item(number, line, pos, skipped, column, depth, match)
            return -1
        if first == "*":
            return self._bold_line(line, pos, skipped, depth)
        if first in "-+*":
            return -1
        return self._pasted_block(number, pos, skipped, depth)

    def _interrupts(self, match: re.Match[str], depth: int) -> bool:
        """True where an item may follow the open block without a blank line."""
        if depth < len(self._stack) or self._blocks[-1][_KIND] == "quote":
            return True
        if match[2] is None:
            return False
        mark = match[1]
        return mark in "-*+" or mark[:-1] == "1"

    def _ruled(self, number: int, line: str, pos: int, skipped: int, depth: int) -> int:
        """An underline, the second line of a table, or a rule; -1: none of them."""
        body = line[skipped:].rstrip(" \t")
        first = body[0]
        if first == "-":
            resume = self._table(number, line, pos, skipped, depth)
            if resume >= 0:
                return resume
            if self._open and not body.strip("-") and self._underlined(pos, line, 2, depth):
                return 0
        marks = body.replace(" ", "").replace("\t", "")
        if len(marks) > 2 and not marks.strip(first):
            self._add("rule", pos + skipped, pos + len(line), depth)
            return 0
        return -1

    def _underlined(self, pos: int, line: str, level: int, depth: int) -> bool:
        """Make the open paragraph a heading, whose underline this line is."""
        if depth < len(self._stack):
            return False
        row = self._blocks[-1]
        if row[_KIND] == "quote":
            return False
        self._bold = False
        row[_KIND], row[_END], row[_LEVEL], row[_IS_BOLD] = "heading", pos + len(line), level, False
        self._open = 0
        if not depth:
            self._govern(level, len(self._blocks) - 1)
        return True

    def _bold_line(self, line: str, pos: int, skipped: int, depth: int) -> int:
        """A line that is bold alone, a heading until a line continues it; -1: it is not."""
        if self._open or depth or not BOLD.match(line.rstrip(" \t"), skipped):
            return -1
        row = self._add("heading", pos + skipped, pos + len(line), depth, BOLD_LEVEL)
        row[_IS_BOLD] = self._bold = True
        self._open = 1
        self._last = pos + skipped
        return 0

    def _marked_line(  # noqa: C901  # a mark each
        self, number: int, line: str, pos: int, skipped: int, column: int, depth: int
    ) -> int:
        """A line that begins with another mark; -1: it is text."""
        first = line[skipped]
        if first == "#":
            match = HEADING.match(line, skipped)
            if not match:
                return -1
            level = match.end() - skipped
            self._add("heading", pos + skipped, pos + len(line), depth, level)
            if not depth:
                self._govern(level, len(self._blocks) - 1)
            return 0
        if first in "`~":
            match = FENCE.match(line, skipped)
            if not match:
                return -1
            end = self._fence_end(number, match, depth)
            return self._code(number, end, pos, skipped, depth)
        if first in "|:":
            return self._table(number, line, pos, skipped, depth)
        if first == ">":
            return self._quote(number, line, pos, skipped, depth)
        if first == "_":
            if line[-1] in "_ \t":
                resume = self._ruled(number, line, pos, skipped, depth)
                return resume if resume >= 0 else self._bold_line(line, pos, skipped, depth)
            return -1
        if first == "<":
            return self._html(number, pos, skipped, depth)
        if first == "=":
            body = line[skipped:].rstrip(" \t")
            if self._open and not body.strip("=") and self._underlined(pos, line, 1, depth):
                return 0
            return -1
        if first in "![" and not self._open and IMAGE.match(line, skipped):
            self._add("image", pos + skipped, pos + len(line), depth)
            return 0
        return -1 if first == "!" else self._pasted_block(number, pos, skipped, depth)

    # Items.

    def _item(  # noqa: C901  # half of all lines pass here
        self,
        number: int, line: str, pos: int, skipped: int, column: int, depth: int,
        match: re.Match[str],
    ) -> int:  # fmt: skip
        """An item, or several that begin on one line; the line to go on with."""
        if self._bold:
            self._set_bold()
        stack, blocks = self._stack, self._blocks
        parent = self._item_parent(match[1], depth)
        for _ in range(_NESTED):
            marker, gap, task = match.groups()
            del stack[depth:]
            width = len(marker)
            if gap is None:
                column += width + 1
            elif "\t" in gap:
                column = len((" " * (column + width) + gap).expandtabs(4))
            else:
                column += width + (len(gap) if len(gap) < 5 else 1)
            stack.append((column, len(blocks)))
            depth += 1
            if gap is None:
                break
            after = match.end()
            first = line[after]
            if first not in LISTS or task is not None:
                break
            inner = ITEM.match(line, after)
            if inner is None or is_rule(line[after:]):
                break
            match, skipped = inner, after
        else:
            first, after = "", len(line)
        start = pos + skipped
        row: Row = [
            "item", start, pos + len(line), depth - 1, marker, parent,
            None if task is None else task != " ", False,
        ]  # fmt: skip
        self._last = start
        if marker[0] not in "-*+" and depth == 1 and marker[:-1].isdecimal():
            self._numbered = (int(marker[:-1]), len(blocks))
        if gap is None:
            blocks.append(row)
            self._open, self._empty = 0, number
            return 0
        if first and first in "`~>#":
            resume = self._begun(number, line, pos, after, row)
            if resume >= 0:
                return resume
        blocks.append(row)
        self._open = 1
        return 0

    def _begun(self, number: int, line: str, pos: int, after: int, row: Row) -> int:
        """An item that begins with code, a quote or a heading; -1: with text."""
        first = line[after]
        if first in "`~":
            match = FENCE.match(line, after)
            if not match:
                return -1
            end = self._fence_end(number, match, len(self._stack))
            row[_KIND], row[_LEVEL] = "code", 0
            row[_START], row[_END] = pos + after, self._offset(number, end, pos)
            self._blocks.append(row)
            self._open = 0
            return end
        self._open = 0
        if first == "#":
            if not HEADING.match(line, after):
                return -1
            self._blocks.append(row)
            return 0
        index = len(self._blocks)
        self._quoted = -2
        resume = self._quote(number, line, pos, after, len(self._stack))
        quote = self._blocks[index]
        quote[_MARKER], quote[_PARENT], quote[_CHECKED] = row[_MARKER], row[_PARENT], row[_CHECKED]
        return resume

    def _item_parent(self, marker: str, depth: int) -> int:
        """The block that an item at `depth` stands under."""
        stack, blocks = self._stack, self._blocks
        if depth:
            if len(stack) > depth and blocks[stack[depth][1]][_KIND] == "item":
                return int(blocks[stack[depth][1]][_PARENT])
            return stack[depth - 1][1]
        bullet = marker in "-*+"
        if not bullet and marker[:-1].isdecimal():
            last, index = self._numbered
            if index >= 0 and int(marker[:-1]) == last + 1:
                return int(blocks[index][_PARENT])
        if stack:
            index = stack[0][1]
            if bullet and blocks[index][_MARKER] not in ("-", "*", "+"):
                return index  # bullets below a numbered line that are not indented
            return int(blocks[index][_PARENT])
        if blocks and blocks[-1][_KIND] == "paragraph":
            return len(blocks) - 1
        return self._heading

    # Blocks of several lines.

    def _offset(self, number: int, end: int, pos: int) -> int:
        """Where the line before `end` ends, `number` beginning at `pos`."""
        return pos + sum(map(len, self._lines[number:end])) + end - number - 1

    def _code(self, number: int, end: int, pos: int, skipped: int, depth: int) -> int:
        self._add("code", pos + skipped, self._offset(number, end, pos), depth)
        return end

    def _fence_end(self, number: int, match: re.Match[str], depth: int) -> int:
        """The line behind the fenced code that begins on line `number`."""
        return fence_end(
            self._lines, number, match[1] or match[2], self._stack[depth - 1][0] if depth else 0
        )

    def _indented(self, number: int, pos: int, skipped: int) -> int:
        """Code by its indent."""
        end = indented_end(self._lines, number)
        return self._code(number, end, pos, skipped, 0)

    def _pasted_block(self, number: int, pos: int, skipped: int, depth: int) -> int:
        """Code that was pasted without a fence; -1: it is none."""
        end = pasted_end(self._lines, number)
        return self._code(number, end, pos, skipped, depth) if end else -1

    def _quote(self, number: int, line: str, pos: int, skipped: int, depth: int) -> int:
        """A line of a quote."""
        if line.startswith(">>> ", skipped):
            end = pasted_end(self._lines, number)
            if end:
                return self._code(number, end, pos, skipped, depth)
        blocks = self._blocks
        end = pos + len(line)
        rest = line[skipped:].lstrip("> \t")
        level = line.count(">", skipped, len(line) - len(rest))
        rest = rest.rstrip()
        goes_on = bool(
            blocks
            and blocks[-1][_KIND] == "quote"
            and (self._open or self._quoted == number - 1)
            and depth == len(self._stack)
        )
        begins = not self._open or level > blocks[-1][_LEVEL] if goes_on else True
        fence = rest[:3] if rest[:3] in ("```", "~~~") else ""
        if goes_on and self._fenced:
            if fence == self._fenced:
                self._fenced = ""
            blocks[-1][_END] = end
        elif goes_on and not rest:
            blocks[-1][_END] = end
            self._open = 0
        elif goes_on and not begins and not QUOTED.match(rest):
            self._extend(pos, end)
        else:
            row = self._add("quote", pos + skipped, end, depth, level)
            self._fenced = fence
            marked = ITEM.match(rest)
            if marked:
                row[_MARKER] = marked[1]
                row[_CHECKED] = None if marked[3] is None else marked[3] != " "
            self._open = int(bool(rest) and not fence and not rest.startswith(("#", "|")))
        self._quoted = number
        return 0

    def _html(self, number: int, pos: int, skipped: int, depth: int) -> int:
        """A block of HTML; -1: the line is text."""
        end = html_end(self._lines, number, skipped, bool(self._open))
        if not end:
            return -1
        self._add("html", pos + skipped, self._offset(number, end, pos), depth)
        return end

    def _table(self, number: int, line: str, pos: int, skipped: int, depth: int) -> int:
        """The table whose second line this is; -1: it is none."""
        blocks = self._blocks
        if not self._open or blocks[-1][_KIND] not in ("paragraph", "heading"):
            return -1
        body = line[skipped:].rstrip()
        if body.strip("|-: \t") or "-" not in body or depth < len(self._stack):
            return -1
        header = self._text[self._last : blocks[-1][_END]]
        if not is_header(header, body):
            return -1
        return self._rows(number, line, pos, depth)

    def _rows(self, number: int, line: str, pos: int, depth: int) -> int:
        """The rows of the table whose header is the last open line; the line behind it."""
        blocks, lines = self._blocks, self._lines
        start = self._last
        if self._open > 1:  # what stands above the header is a paragraph of its own
            blocks[-1][_END] = start - 1
        else:
            start = blocks[-1][_START]
            blocks.pop()
        self._bold = False
        start += indent(self._text[start : start + 4])
        header = len(blocks)
        self._add("row", start, pos + len(line), depth)
        pos += len(line) + 1
        for index in range(number + 1, len(lines)):
            line = lines[index]
            body = line.lstrip(" \t")
            if not body or ends_table(body):
                return index
            skipped = len(line) - len(body)
            if skipped < (self._stack[-1][0] if self._stack else 0):
                return index
            row: Row = ["row", pos + skipped, pos + len(line), 1, "", header, None, False]
            blocks.append(row)
            pos += len(line) + 1
        return len(lines)
