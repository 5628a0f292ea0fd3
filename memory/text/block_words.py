"""The words of a block: without its marks on one line, and without inline marks. Pure."""

from __future__ import annotations

import re
from typing import Final

from parley.memory.text.block_lines import FENCE, row_cells
from parley.memory.text.markdown_blocks import Block

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_QUOTE_MARKS: Final = re.compile(r"^(?:[ \t]*>)+[ \t]*")
_ANY_MARKER: Final = re.compile(r"[^\s]+[ \t]*(?:\[[ xX]\][ \t]+)?")
_HASHES: Final = re.compile(r"#{1,6}(?:[ \t]+|$)")
_CLOSING_HASHES: Final = re.compile(r"(?:^|[ \t])#+$")


def block_text(text: str, block: Block) -> str:  # noqa: C901  # a kind each
    """The words of a block of `text` on one line, as code's and HTML's lines alone stay.

    Without marker, quote marks, hashes, underline and fences; the cells of a row are
    parted by " | ". Emphasis stays: `plain` takes it off.
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


_INLINE: Final = re.compile(r"[*_`~\[<\\]")
# Each begins with its mark, which is looked for faster than a place with nothing before it.
_SPAN: Final = re.compile(r"(`(?<!``)`{0,2})(?!`)([^`]+)(?<!`)\1(?!`)")
_LINK: Final = re.compile(
    r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?"
    r"(?:[ \t]+(?:\"[^\"]*\"|'[^']*'))?\)|\[[^\[\]]*\])"
)
_ADDRESS: Final = re.compile(r"<((?:https?|mailto):[^<>\s]*)>")
_STRONG: Final = re.compile(r"\*\*(?![\s*])((?:[^*]|\*(?!\*))*)(?<!\s)\*\*")
_STRONG_LOW: Final = re.compile(r"__(?<!\w__)(?![\s_])((?:[^_]|_(?!_))*)(?<!\s)__(?!\w)")
_STRUCK: Final = re.compile(r"~~(?!\s)([^~]*)(?<!\s)~~")
_STRESSED: Final = re.compile(r"\*(?<![\w*]\*)(?![\s*])([^*]*)(?<!\s)\*(?![\w*])")
_STRESSED_LOW: Final = re.compile(r"_(?<!\w_)(?![\s_])([^_]*)(?<!\s)_(?!\w)")
_MARKED: Final = (  # in this order, each where its mark occurs
    ("<", _ADDRESS), ("**", _STRONG), ("__", _STRONG_LOW), ("~~", _STRUCK), ("*", _STRESSED),
    ("_", _STRESSED_LOW),
)  # fmt: skip
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS: Final = "*_~[]<>\\`"
_HIDDEN: Final = {ord(mark): 0xF0000 + index for index, mark in enumerate(_MARKS)}
_SHOWN: Final = {hidden: mark for mark, hidden in _HIDDEN.items()}


def plain(text: str) -> str:
    """`text` without inline marks: emphasis, code spans, links and images to their words."""
    if _INLINE.search(text) is None:
        return text
    text = _ESCAPED.sub(lambda mark: mark[1].translate(_HIDDEN), text) if "\\" in text else text
    if "`" in text:
        text = _SPAN.sub(lambda span: span[2].strip().translate(_HIDDEN), text)
    if "](" in text or "][" in text:
        text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))  # twice: an image that is a link
    for mark, marked in _MARKED:
        if mark in text:
            text = marked.sub(r"\1", text)
    return text if text.isascii() else text.translate(_SHOWN)
