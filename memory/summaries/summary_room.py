"""The room that a summary has left: characters, and words."""

from __future__ import annotations

import sys
from typing import Final

from parley.memory.summaries.item_words import end_clause
from parley.memory.summaries.list_heads import whole_choices
from parley.memory.text.plain_text import clip

TEXT_LIMIT: Final = 270  # characters of one line's words
LEAST_TEXT: Final = 30  # a shorter piece of a sentence says nothing
FEW_WORDS: Final = 44  # of a line
_HANGING: Final = " ,;:-–—(["  # what a text is not cut behind
_CHARS_OF_WORD: Final = 6


class Room:
    """The characters and words that are left."""

    def __init__(self, chars: int, words: int) -> None:
        self.chars, self.words = chars, words

    def size(self) -> int:
        """The characters that are left, as far as the words last."""
        return min(self.chars, self.words * _CHARS_OF_WORD)

    def has(self, text: str) -> bool:
        return len(text) <= self.chars and len(text.split()) <= self.words

    def take(self, text: str) -> bool:
        if not self.has(text):
            return False
        self.chars -= len(text)
        self.words -= len(text.split())
        return True

    def is_short(self, text: str) -> bool:
        """True where `text` would fit in a line, and does not fit in what is left."""
        return len(text) <= TEXT_LIMIT and len(text.split()) <= FEW_WORDS

    def clip(self, text: str, limit: int, beside: str, most: int = sys.maxsize) -> str:
        """`text`, cut to what is left with `beside` before it, and to `most` words.

        "" where that is too little.
        """
        room = min(limit, self.chars - len(beside))
        words = text.split(" ")
        left = min(most, self.words) - len(beside.split())
        if left <= 0:
            return ""
        size = room if len(words) <= left else min(room, len(" ".join(words[:left])))
        whole = text
        if len(text) > size:
            text = end_clause(text, size)
        if len(text) > size:
            text = clip(text[: size + 1], size).rstrip(_HANGING)
        if text != whole:
            text = whole_choices(text, whole)
        return "" if len(text) > room < LEAST_TEXT else text
