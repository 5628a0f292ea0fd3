"""Plain words out of markup: HTML, and the character references that captions use."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

_LONG_REFERENCE: Final = re.compile(r"&#[xX]?[0-9a-fA-F]{9,}")  # no character; `int` refuses them
_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,20})(?:[\s/][^<>]{0,8000})?>")
_MANY_LINES: Final = re.compile(r"\n(?:[ \t]*\n){2,}")
_BREAKS: Final = frozenset({
    "p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "hr",
})  # fmt: skip
_UNSEEN: Final = frozenset({"script", "style", "head", "title", "blockquote"})  # quotes too


def unescape(text: str) -> str:
    """`text` with `&amp;` and its like as the characters they stand for."""
    return html.unescape(_LONG_REFERENCE.sub("\ufffd", text)) if "&" in text else text


def html_to_text(text: str) -> str:
    """What a page says, without its tags, styles and what it quotes.

    In linear time: the parser of the standard library takes quadratic time for
    comments that do not end.
    """
    words = "".join(_pieces(text))
    return _MANY_LINES.sub("\n\n", unescape(words)).strip()


def _pieces(text: str) -> Iterator[str]:
    """The text between tags, with a line feed for those that begin a line."""
    unseen: list[str] = []  # the tags that hide what stands in them
    at = 0
    while at < len(text):
        opens = text.find("<", at)
        opens = len(text) if opens < 0 else opens
        if not unseen:
            yield text[at:opens]
        tag = _TAG.match(text, opens)
        if tag is not None:
            at = tag.end()
            name = tag[2].lower()
            if name in _UNSEEN and not tag[1]:
                unseen.append(name)
            elif unseen and unseen[-1] == name:
                unseen.pop()
            elif name in _BREAKS and not unseen:
                yield "\n"
        else:
            at = _past(text, opens)
            if opens < len(text) and at == opens + 1 and not unseen:
                yield "<"


def _past(text: str, opens: int) -> int:
    """Where what begins like a tag and is none ends: a comment, a declaration, a bare `<`."""
    for begin, end in (("<!--", "-->"), ("<!", ">"), ("<?", ">")):
        if text.startswith(begin, opens):
            end_at = text.find(end, opens + len(begin))
            return len(text) if end_at < 0 else end_at + len(end)
    return opens + 1
