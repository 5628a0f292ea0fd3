"""A Markdown text as plain lines: what it says, without what it is drawn by. Pure."""

from __future__ import annotations

import re
from typing import Final

from parley.memory.text.block_words import plain
from parley.memory.text.markdown_blocks import Block, split_blocks

_MARKED: Final = re.compile(r"[#>*+\-\d`~=|_\[\]\\<]")  # some is in every mark
_LEAD: Final = re.compile(
    r"\s*(?:#{1,6}[ \t]+|[-*+•][ \t]+|\(?\d{1,3}[.)][ \t]+)?(?:\[[ xX]\][ \t]+)?"
)
_CLOSED: Final = re.compile(r"[ \t]+#+[ \t]*$|\n[=-]+[ \t]*$")  # a heading
_KEPT: Final = ("code", "row", "quote", "image", "rule")


def plain_blocks(text: str) -> str:
    """`text`, each heading, item and paragraph on a line of its own, without marks.

    A heading ends with a colon before what stands under it. Code, quotations and tables stay as
    they are.
    """
    if _MARKED.search(text) is None:
        return text
    blocks = split_blocks(text)
    lines = [_line(text, block) for block in blocks]
    for index, block in enumerate(blocks[:-1]):
        if block.kind == "heading" and lines[index][-1:].isalnum():
            lines[index] += ":"
    return "\n".join(line for line in lines if line)


def _line(text: str, block: Block) -> str:
    words = text[block.start : block.end]
    if block.kind in _KEPT:
        return words
    if block.kind == "heading":
        words = _CLOSED.sub("", words)
    lead = _LEAD.match(words) if block.kind in ("heading", "item") else None
    if lead:
        words = " ".join(words[lead.end() :].split())
    return plain(words).strip()
