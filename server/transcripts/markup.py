"""Plain words out of markup: HTML, and the character references that captions use."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import Final

_LONG_REFERENCE: Final = re.compile(r"&#[xX]?[0-9a-fA-F]{9,}")  # no character; `int` refuses them
_MANY_LINES: Final = re.compile(r"\n[ \t]*\n\s*\n+")
_BREAKS: Final = frozenset({
    "p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "hr",
})  # fmt: skip
_UNSEEN: Final = frozenset({"script", "style", "head", "title", "blockquote"})  # quotes too


def unescaped(text: str) -> str:
    """`text` with `&amp;` and its like as the characters they stand for."""
    return html.unescape(_LONG_REFERENCE.sub("\ufffd", text)) if "&" in text else text


def words_of_html(text: str) -> str:
    """What a page says, without its tags, styles and what it quotes."""
    reader = _Words()
    reader.feed(_LONG_REFERENCE.sub("\ufffd", text))
    reader.close()
    return _MANY_LINES.sub("\n\n", "".join(reader.parts)).strip()


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _UNSEEN:
            self._unseen.append(tag)
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if self._unseen and self._unseen[-1] == tag:
            self._unseen.pop()
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)
