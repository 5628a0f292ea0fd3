"""The lines of a Markdown text taken in one by one, as fields of blocks.

One class and long functions: nearly every line of a session passes here, and a call more a
line is felt. What a line may be is in `block_lines`; here is what it does to the lines
before: it goes on with an open paragraph, ends a list, stands under a heading.
"""

from __future__ import annotations

import re
from typing import Any, Final

from parley.memory.text.block_lines import (
    BOLD,
    COMMON_ITEM,
    DULL,
    DULL_PAIRS,
    FENCE,
    HEADING,
    IMAGE,
    ITEM,
    LETTER,
    LETTER_STARTS,
    LIST_STARTS,
    LISTS,
    MARK_ENDS,
    QUOTED,
    SPACES,
    ends_table,
    fence_end,
    html_end,
    indent,
    indented_end,
    is_header,
    is_prose,
    is_rule,
    lettered_lines,
)
from parley.memory.text.pasted_code import PASTED, pasted_end

Row = list[Any]  # the fields of a `Block`, in its order, as they are found
_BOLD_LEVEL: Final = 7  # of a heading that is a bold line alone: below all six of Markdown
_NESTED: Final = 16  # items that may begin on one line
_KIND, _START, _END, _LEVEL, _MARKER, _PARENT, _CHECKED, _IS_BOLD = range(8)


class BlockScan:
    """The reading of one text, whose line ends are all "\\n"; good for one call of `rows`."""

    __slots__ = (
        "_blocks", "_bold", "_empty", "_fenced", "_heading", "_headings", "_lettered",
        "_lines", "_numbered", "_open", "_quoted", "_stack", "_text",
    )  # fmt: skip

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = text.split("\n")
        self._blocks: list[Row] = []
        self._open = False  # a line of text continues the last block
        self._bold = False  # the open block is a bold line alone so far
        self._stack: list[tuple[int, int]] = []  # of each open item: column of its text, its block
        self._headings: list[tuple[int, int]] = []  # those that govern: level, block
        self._heading = -1
        self._numbered = (-1, -1)  # the last outermost numbered item: number, block
        self._quoted = -2  # the last line with a quote mark
        self._fenced = ""  # the fence that is open inside a quote
        self._empty = (-1, -1)  # of an item that has no text yet: line, block
        self._lettered: frozenset[int] | None = None  # lines of lettered items, once asked for

    def rows(self) -> list[Row]:  # noqa: C901  # nearly all lines are read here, without a call
        """The fields of every block."""
        blocks, stack = self._blocks, self._stack
        dull, pairs, starts, common = DULL, DULL_PAIRS, LIST_STARTS, COMMON_ITEM.match
        pos = resume = 0
        numbered = enumerate(self._lines)
        for number, line in numbered:
            end = pos + len(line)
            if (first := line[:1]) not in dull and line[:2] not in pairs:
                if self._open:
                    if self._bold:
                        self._unbold()
                    blocks[-1][2] = end
                else:
                    if stack:
                        stack.clear()
                    blocks.append(["paragraph", pos, end, 0, "", self._heading, None, False])
                    self._open = True
            elif not line:
                if self._bold:
                    self._set_bold()
                self._open = False
            elif first in starts and (match := common(line)):
                if not self._common_item(match, pos, end):
                    resume = self._read(number, line, pos)
            elif first == "*" and line.startswith("**") and self._bold_start(line, pos, end):
                pass
            else:
                resume = self._read(number, line, pos)
            pos = end + 1
            if resume:
                for _ in range(number + 1, resume):
                    pos += len(next(numbered)[1]) + 1
                resume = 0
        if self._bold:
            self._set_bold()
        return blocks

    def _common_item(self, match: re.Match[str], pos: int, end: int) -> bool:
        """Take in an item that begins with words; False where it takes a closer look."""
        stack, blocks = self._stack, self._blocks
        column = match.end(1)
        marker = match[2]
        bullet = marker in "-*+"
        depth = deepest = len(stack)
        while depth and stack[depth - 1][0] > column:
            depth -= 1
        if column >= 4 and column - (stack[depth - 1][0] if depth else 0) >= 4:
            return False
        if self._open:
            if depth == deepest and not bullet and marker[:-1] != "1":
                return False
            if self._bold:
                self._set_bold()
        elif self._empty[0] >= 0:
            return False
        if depth == deepest:
            parent = stack[-1][1] if depth else self._item_parent(marker, 0)
        else:
            sibling = blocks[stack[depth][1]]
            if (sibling[4] in "-*+") is bullet:
                parent = sibling[5]
            else:
                parent = self._item_parent(marker, depth)
            del stack[depth:]
        if not bullet and not depth:
            self._numbered = (int(marker[:-1]), len(blocks))
        stack.append((match.end(), len(blocks)))
        self._open = True
        blocks.append(["item", pos + column, end, depth, marker, parent, None, False])
        return True

    def _bold_start(self, line: str, pos: int, end: int) -> bool:
        """Take in a line that begins bold; False where it takes a closer look."""
        if line[-1] not in "* \t":
            self._prose(pos, end, 0)
            return True
        if self._open or not BOLD.match(line):
            return False
        self._stack.clear()
        self._blocks.append(["heading", pos, end, _BOLD_LEVEL, "", -1, None, True])
        self._open = self._bold = True
        return True

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
        fills = False  # the text of an item whose marker stands alone
        if self._empty[0] >= 0:
            if stack and stack[-1][1] == self._empty[1]:
                if number > self._empty[0] + 1:
                    stack.pop()
                else:
                    fills = column >= stack[-1][0]
            self._empty = (-1, -1)
        depth = len(stack)
        while depth and stack[depth - 1][0] > column:
            depth -= 1
        if column - (stack[depth - 1][0] if depth else 0) >= 4:
            if self._open:
                self._extend(pos + len(line))
                return 0
            if not depth:
                return self._indented(number, pos, skipped)
        if first in LISTS:
            resume = self._list_line(number, line, pos, skipped, column, depth)
        elif first in DULL and first not in LETTER_STARTS:
            resume = self._marked_line(number, line, pos, skipped, column, depth)
        elif body.startswith(PASTED):
            resume = self._pasted_block(number, pos, skipped, depth)
        elif first in LETTER_STARTS or body[1:2] in MARK_ENDS:
            resume = self._lettered_item(number, line, pos, skipped, column, depth)
        else:
            resume = -1
        if resume >= 0:
            return resume
        if fills:
            self._open = True
        self._prose(pos + skipped, pos + len(line), depth)
        return 0

    # What a line does to the blocks.

    def _close(self) -> None:
        if self._bold:
            self._set_bold()
        self._open = False

    def _extend(self, end: int) -> None:
        if self._bold:
            self._unbold()
        self._blocks[-1][_END] = end

    def _prose(self, start: int, end: int, depth: int) -> None:
        """A line of text: goes on with what is open, else begins a paragraph."""
        if self._open:
            self._extend(end)
        else:
            self._add("paragraph", start, end, depth)
            self._open = True

    def _add(self, kind: str, start: int, end: int, depth: int, level: int = 0) -> Row:
        """A block that nothing continues, in the item `depth` deep."""
        if self._bold:
            self._set_bold()
        self._open = False
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
        self._govern(_BOLD_LEVEL, len(self._blocks) - 1)

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
        if first == "*" and line.startswith("**", skipped) and not self._open and not depth:
            resume = self._bold_line(line, pos, skipped, depth)
            if resume >= 0:
                return resume
        if first in "-*" and line[-1] in "-* \t:|":
            resume = self._ruled(number, line, pos, skipped, depth)
            if resume >= 0:
                return resume
        match = ITEM.match(line, skipped)
        if match:
            if not self._open or self._interrupts(match, depth):
                return self._item(number, line, pos, skipped, column, depth, match)
            return -1
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
        self._open = False
        if not depth:
            self._govern(level, len(self._blocks) - 1)
        return True

    def _bold_line(self, line: str, pos: int, skipped: int, depth: int) -> int:
        """A line that is bold alone, a heading until a line continues it; -1: it is not."""
        if self._open or depth or not BOLD.match(line.rstrip(" \t"), skipped):
            return -1
        row = self._add("heading", pos + skipped, pos + len(line), depth, _BOLD_LEVEL)
        row[_IS_BOLD] = self._bold = True
        self._open = True
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
        if marker[0] not in "-*+" and depth == 1 and marker[:-1].isdecimal():
            self._numbered = (int(marker[:-1]), len(blocks))
        if gap is None:
            self._open, self._empty = False, (number, len(blocks))
            blocks.append(row)
            return 0
        if first and task is None and first in "`~>#":
            resume = self._begun(number, line, pos, after, row)
            if resume >= 0:
                return resume
        blocks.append(row)
        self._open = True
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
            self._open = False
            return end
        self._open = False
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

    def _lettered_item(
        self, number: int, line: str, pos: int, skipped: int, column: int, depth: int
    ) -> int:
        """An item with a letter or symbol; -1: it is text, as no other follows."""
        match = LETTER.match(line, skipped)
        if match is None:
            return -1
        if self._lettered is None:
            self._lettered = lettered_lines(self._lines)
        if number not in self._lettered:
            return -1
        return self._item(number, line, pos, skipped, column, depth, match)

    def _item_parent(self, marker: str, depth: int) -> int:
        """The block that an item at `depth` stands under."""
        stack, blocks = self._stack, self._blocks
        if depth:
            if len(stack) > depth and blocks[stack[depth][1]][_KIND] == "item":
                return int(blocks[stack[depth][1]][_PARENT])
            return stack[depth - 1][1]
        bullet = marker[-1] not in MARK_ENDS
        if not bullet and marker[:-1].isdecimal():
            last, index = self._numbered
            if index >= 0 and int(marker[:-1]) == last + 1:
                return int(blocks[index][_PARENT])
        if stack:
            index = stack[0][1]
            if bullet and blocks[index][_MARKER][-1:] in MARK_ENDS:
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
        fence = rest[:3] if rest[:3] in ("```", "~~~") else ""
        if goes_on and (self._fenced or not rest):
            if fence == self._fenced:
                self._fenced = ""
            self._open = False
            blocks[-1][_END] = end
        elif goes_on and self._open and level <= blocks[-1][_LEVEL] and not QUOTED.match(rest):
            self._extend(end)
        else:
            row = self._add("quote", pos + skipped, end, depth, level)
            self._fenced = fence
            match = ITEM.match(rest)
            if match:
                row[_MARKER] = match[1]
                row[_CHECKED] = None if match[3] is None else match[3] != " "
            self._open = not fence and is_prose(rest, match)
        self._quoted = number
        return 0

    def _html(self, number: int, pos: int, skipped: int, depth: int) -> int:
        """A block of HTML; -1: the line is text."""
        end = html_end(self._lines, number, skipped, self._open)
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
        above = self._text.rfind("\n", blocks[-1][_START], blocks[-1][_END])
        start = blocks[-1][_START] if above < 0 else above + 1
        if not is_header(self._text[start : blocks[-1][_END]], body):
            return -1
        if above < 0:
            blocks.pop()
        else:  # what stands above the header is a paragraph of its own
            blocks[-1][_END] = above
        return self._rows(number, line, pos, start, depth)

    def _rows(self, number: int, line: str, pos: int, start: int, depth: int) -> int:
        """The rows of the table whose header begins at `start`; the line behind them."""
        blocks, lines = self._blocks, self._lines
        self._bold = False
        start += indent(self._text[start : start + 4])
        header = len(blocks)
        self._add("row", start, pos + len(line), depth)
        pos += len(line) + 1
        for index in range(number + 1, len(lines)):
            line = lines[index]
            body = line.lstrip(" \t")
            if not body.strip() or ends_table(body):
                return index
            skipped = len(line) - len(body)
            if skipped < (self._stack[-1][0] if self._stack else 0):
                return index
            row: Row = ["row", pos + skipped, pos + len(line), 1, "", header, None, False]
            blocks.append(row)
            pos += len(line) + 1
        return len(lines)
