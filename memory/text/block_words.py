"""The words of a text without the inline marks of Markdown. Pure."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import Final

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
_WORDS: Final = itemgetter(1)  # of a match: as "\\1", without a template to fill in
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS: Final = "*_~[]<>\\`"
_HIDDEN: Final = {ord(mark): 0xF0000 + index for index, mark in enumerate(_MARKS)}
_SHOWN: Final = {chr(hidden): chr(mark) for mark, hidden in _HIDDEN.items()}
_HIDDEN_MARK: Final = re.compile(f"[{''.join(_SHOWN)}]")


def plain(text: str) -> str:
    """`text` without inline marks: emphasis, code spans, links and images to their words."""
    if _INLINE.search(text) is None:
        return text
    text = _ESCAPED.sub(lambda mark: mark[1].translate(_HIDDEN), text) if "\\" in text else text
    if "`" in text:
        text = _SPAN.sub(lambda span: span[2].strip().translate(_HIDDEN), text)
    if "](" in text or "][" in text:
        text = _LINK.sub(_WORDS, _LINK.sub(_WORDS, text))  # twice: an image that is a link
    for mark, marked in _MARKED:
        if mark in text:
            text = marked.sub(_WORDS, text)
    return text if text.isascii() else _HIDDEN_MARK.sub(lambda mark: _SHOWN[mark[0]], text)
