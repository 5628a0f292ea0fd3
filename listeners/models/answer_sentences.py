"""Where the sentences of an answer end. Pure."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from parley.listeners.models.model_port import Completion
from parley.memory.text.plain_text import clip

_SENTENCE_END: Final = re.compile(r"[.!?…][\"')\]*”’]*(?=\s|$)|[。！？][」』）]?|\n")


def split_sentences(text: str) -> list[str]:
    """The sentences and lines of `text` in order, which they make up."""
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


def whole_part(answer: Completion) -> str:
    """The text of `answer`; of one that was cut off, up to where its last whole sentence ends."""
    return end_at_sentence(answer.text) if answer.cut else answer.text


def end_at_sentence(text: str) -> str:
    """`text`, which was cut off, up to where its last whole sentence or line ends.

    Where there is none, up to its last whole word, with an ellipsis.
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    whole = text[: ends[-1]].rstrip() if ends else ""
    return whole or clip(text, max(1, len(text) - 1))
