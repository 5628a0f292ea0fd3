"""The blocks of a message's Markdown: paragraphs, headings, items, rows, quotes, code.

Block structure only, as CommonMark and its pipe tables see it, with extensions for what
people and agents paste: lettered lists, a line that is bold alone as a heading, terminals,
tracebacks, diffs, logs and data outside fences as code. Every line that is not blank
belongs to exactly one block. Pure; linear in the length of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from parley.memory.text.block_lines import DULL, INITIALS, WHITE
from parley.memory.text.block_scan import BlockScan

BlockKind = Literal["paragraph", "heading", "item", "row", "quote", "code", "image", "rule", "html"]


class Block(NamedTuple):
    """One block; `start` and `end` are characters of the message, its indent left out.

    A block runs from its marker to the end of its last line that is not blank. Lines in
    it that continue a list or a quote still have their indent or their quote marks.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0  # heading 1 to 7; item 0 outermost; depth of a quote; row 0 header, 1 others
    marker: str = ""  # "-", "1.", "A)"; also of another block that an item begins with
    parent: int = -1  # index of the item, lead-in, header row or heading it stands under
    checked: bool | None = None  # the task mark of an item
    bold: bool = False  # a heading for being bold alone


# As `_make`, in less time.
_block: Final[Callable[[Iterable[Any]], Block]] = partial(tuple.__new__, Block)


def split_blocks(text: str) -> list[Block]:
    """The blocks of `text` in their order.

    They never overlap, and each line that is not blank lies in exactly one.
    """
    if text[:1] not in DULL and text[:3] not in INITIALS and "\n" not in text and "\r" not in text:
        return [_block(("paragraph", 0, len(text.rstrip()), 0, "", -1, None, False))]
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    rows = BlockScan(text).rows()
    for row in rows:
        if text[row[2] - 1] in WHITE:
            row[2] = row[1] + len(text[row[1] : row[2]].rstrip())
    return list(map(_block, rows))
