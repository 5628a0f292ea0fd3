"""A message made ready for reading: code, addresses and quotations put out of sight.

`PreparedText` keeps offsets: what is hidden becomes filler of the same length, which
no pattern matches. Built only for messages in which something matched.
"""

from __future__ import annotations

import re
from typing import Final

from parley.memory.text.sentences import IDEOGRAPHIC, sentence_span

Span = tuple[int, int]

_FILLER: Final = "\x1a"
_MAX_QUOTES: Final = 16

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,500}`", re.DOTALL)
_ADDRESS: Final = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://\S+|\bwww\.\S+", re.IGNORECASE)
# A mark inside a Hebrew abbreviation is no quotation: דו"ח, ע"י; in ה"רעיון" it is one.
_GERSHAYIM: Final = r"""(?:(?<=[א-ת])"(?=[א-ת](?![א-ת]))|(?<=[א-ת]{2})"(?=[א-ת]))"""
_QUOTED: Final = re.compile(
    rf"""^[ \t]*>[^\n]*|(?!{_GERSHAYIM})"(?:[^"\n]|{_GERSHAYIM}){{1,600}}"|"""
    r"""(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){1,300}'(?!\w)|"""
    r"「[^「」\n]{1,600}」|『[^『』\n]{1,600}』|《[^《》\n]{1,100}》",
    re.MULTILINE,
)
_QUOTE_MARKS: Final = re.compile("[\"'>「『《]")
# Hebrew letters and ideographs may touch a handle: "לP1", "P1に".
_JOINED: Final = rf"[^\Wא-ת{IDEOGRAPHIC}]"
_HANDLE: Final = re.compile(rf"(?<!{_JOINED})[PD][1-9][0-9]{{0,8}}(?!{_JOINED})(?!\.\d)")


class PreparedText:
    """`text` (already plain) with its hidden parts, its quotations and its handles."""

    __slots__ = ("_sentences", "_spoken", "named", "quotes", "subject", "text", "unquoted")

    def __init__(self, text: str) -> None:
        self.text = text
        self._spoken = _hidden(text, _code_and_addresses(text))
        quoted: list[Span] = []
        if _QUOTE_MARKS.search(text):
            quoted = [match.span() for match in _QUOTED.finditer(self._spoken)]
        self.unquoted = _hidden(self._spoken, quoted)
        self.quotes = tuple(_inside(text, span) for span in quoted[:_MAX_QUOTES])
        # What RE2 searches: it takes bytes three times as fast, and in ASCII
        # their offsets are those of the characters.
        ascii_only = self.unquoted.isascii()
        self.subject: str | bytes = self.unquoted.encode() if ascii_only else self.unquoted
        self.named = _HANDLE.search(self._spoken) is not None
        self._sentences: dict[Span, Span] = {}

    def handles(self, start: int, end: int) -> tuple[str, ...]:
        """The handles between `start` and `end`, each once, in order."""
        if not self.named:
            return ()
        matches = _HANDLE.finditer(self._spoken, start, end)
        return tuple(dict.fromkeys(match[0] for match in matches))

    def sentence(self, start: int, end: int) -> Span:
        """The sentence around a span, in the text without its hidden parts."""
        span = self._sentences.get((start, end))
        if span is None:
            span = self._sentences[start, end] = sentence_span(self.unquoted, start, end)
        return span


def _code_and_addresses(text: str) -> list[Span]:
    spans = [match.span() for match in _CODE.finditer(text)] if "`" in text else []
    if "://" in text or "www." in text:
        spans += [match.span() for match in _ADDRESS.finditer(text)]
    return sorted(spans)


def _hidden(text: str, spans: list[Span]) -> str:
    if not spans:
        return text
    pieces, at = [], 0
    for start, end in spans:
        if end <= at:
            continue
        start = max(start, at)
        pieces += [text[at:start], _FILLER * (end - start)]
        at = end
    return "".join([*pieces, text[at:]])


def _inside(text: str, span: Span) -> Span:
    """The quotation without its marks."""
    start, end = span
    inner = text[start:end].lstrip(" \t>\"'「『《")
    start = end - len(inner)
    return start, start + len(inner.rstrip("\"' \t」』》"))
