"""The place in a message of the words that a model quotes. Pure.

A model copies words, not characters: it straightens quotation marks, joins lines,
writes a ligature as two letters. So both are compared folded (compatibility
forms, plain punctuation, no case, runs of white space as one space), and what is
found is told in characters of the message as it stands.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from parley.memory.text.plain_text import to_plain

_DROPPED: Final = ("Cf", "Cc")  # joiners, marks of direction: nobody quotes them
_PAIRS: Final = ('""', "''", "“”", "‘’", "«»", "||")

Span = tuple[int, int]


def locate_quote(content: str, quote: str) -> Span | None:
    """The first place in `content` that says `quote`, half-open; None where none does.

    `content[start:end]` is never empty, and is what `quote` says but for its folding.
    """
    needle = _fold_text(_strip_marks(quote))[0].strip()
    if not any(char.isalnum() or char in "+-" for char in needle):
        return None
    text, starts, ends = _fold_text(content)
    at = text.find(needle)
    return None if at < 0 else (starts[at], ends[at + len(needle) - 1])


def _strip_marks(quote: str) -> str:
    """`quote` without the marks that a model puts around it, and the dots it breaks off with."""
    text = quote.strip().removeprefix("…").removeprefix("...")
    text = text.removesuffix("…").removesuffix("...").strip()
    if len(text) > 1 and text[0] + text[-1] in _PAIRS:
        return text[1:-1]
    return text


@lru_cache(maxsize=256)
def _fold_text(text: str) -> tuple[str, list[int], list[int]]:
    """`text` folded; for each folded character where its own begins, and where it ends."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text):
        folded = _fold_cluster(text[start:end])
        for char in folded:
            if char == " " and (not out or out[-1] == " "):
                continue
            out.append(char)
            starts.append(start)
            ends.append(end)
    return "".join(out), starts, ends


def _fold_cluster(cluster: str) -> str:
    """One cluster in the form in which texts are compared."""
    if cluster.isspace():
        return " "
    shown = unicodedata.normalize("NFKC", to_plain(cluster)).casefold()
    visible = "".join(char for char in shown if unicodedata.category(char) not in _DROPPED)
    return " ".join(visible.split()) if " " in visible or visible.isspace() else visible


def _clusters(text: str) -> Iterator[Span]:
    """Characters with the marks that combine with them: what is normalized together."""
    start = 0
    for index in range(1, len(text)):
        if not _joins(text[index]):
            yield start, index
            start = index
    if text:
        yield start, len(text)


def _joins(char: str) -> bool:
    """True for a mark, and for the vowel or the tail of a syllable of Hangul."""
    return char > "\u02ff" and (unicodedata.combining(char) > 0 or "\u1160" <= char <= "\u11ff")
