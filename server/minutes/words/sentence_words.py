"""The words that a sentence of the minutes is about, and what a word is. Pure."""

from __future__ import annotations

import re
from typing import Final

from parley.memory.text.sentences import IDEOGRAPHIC
from parley.memory.text.similarity import content_stems

READ: Final = 50_000  # characters of a message: what is longer is pasted, not said
WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
WITHOUT_SPACES: Final = re.compile(f"[{IDEOGRAPHIC}]")


def topic_words(text: str) -> list[str]:
    """The content words of `text` without common endings; none where all are stop words."""
    return content_stems(f"minutes {text}")[
        1:
    ]  # of stop words alone `content_stems` gives them all
