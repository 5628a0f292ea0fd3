"""Texts held to so many UTF-8 bytes: whole first sentences where they fill most of the room.

Pure. The size of a result is never above its limit, and no grapheme is split.
"""

from __future__ import annotations

import re
from typing import Final

from parley.memory.text.graphemes import is_boundary
from parley.memory.text.plain_text import ELLIPSIS
from parley.memory.text.text_sizes import measure_text

_END: Final = re.compile(r"""[.!?…]["')\]*]{0,8}(?=\s|$)|[。！？]|\n""")
_ELLIPSIS_BYTES: Final = len(ELLIPSIS.encode())


def byte_size(text: str) -> int:
    """UTF-8 bytes of `text`."""
    return measure_text(text, "bytes")


def shorten_bytes(text: str, cap: int, target: int) -> str:
    """`text` where it has at most `cap` bytes, else its beginning in at most `target` of them."""
    return text if byte_size(text) <= cap else clip_bytes(text, min(cap, target))


def clip_bytes(text: str, limit: int) -> str:
    """`text`, or its first sentences, or its beginning and an ellipsis, in `limit` bytes.

    Sentences where they fill at least half of the limit, else a cut at white
    space in its second half. Idempotent; "" where not even an ellipsis fits.
    """
    head = cut_bytes(text, limit)
    if head == text:
        return text
    if (end := _sentences_end(text, head)) * 2 >= len(head) > 0:
        return text[:end]
    if limit < _ELLIPSIS_BYTES:
        return ""
    head = cut_bytes(text, limit - _ELLIPSIS_BYTES)
    return text[: _word_end(text, len(head))] + ELLIPSIS


def cut_bytes(text: str, limit: int) -> str:
    """The longest beginning of `text` in `limit` bytes that splits no grapheme."""
    if limit < 1:
        return ""
    data = text[: limit + 1].encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return text
    end = limit
    while data[end] & 0xC0 == 0x80:  # inside a character
        end -= 1
    cut = len(data[:end].decode("utf-8", "surrogatepass"))
    while cut > 0 and not is_boundary(text, cut):
        cut -= 1
    return text[:cut]


def _sentences_end(text: str, head: str) -> int:
    """Where the last sentence that ends within `head` does, white space left out; 0: none does."""
    end = 0
    for match in _END.finditer(text, 0, len(head) + 1):
        stop = match.start() if match[0] == "\n" else match.end()
        if stop <= len(head) and is_boundary(text, stop):
            end = stop
    return end


def _word_end(text: str, cut: int) -> int:
    """The last white space in the second half before `cut`, else `cut`."""
    for space in range(cut, cut // 2, -1):
        if text[space].isspace() and is_boundary(text, space):
            end = space
            while end > 0 and text[end - 1].isspace() and is_boundary(text, end - 1):
                end -= 1
            return end
    return cut


def first_sentence(text: str, limit: int, start: int = 0) -> str:
    """`text` up to the end of the first sentence behind `start`, clipped to `limit` bytes."""
    match = _END.search(text, start)
    if match is not None and is_boundary(text, match.end()):
        text = text[: match.end()]
    return clip_bytes(text.strip(), limit)
