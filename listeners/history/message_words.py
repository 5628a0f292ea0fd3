"""The words of a session's messages, kept so that a search is a look through memory.

Without a look at the log, which others read. Words match whatever their case, and however their
accents are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, cast
from unicodedata import normalize

from parley.bus.entries import Message, Record

ROOM: Final = 24 << 20  # bytes of one session's words, beyond which its log is read instead
_EACH: Final = 48  # bytes that a message takes beside its words


def fold_case(text: str) -> str:
    """`text` as searches compare it: composed, and in small letters."""
    return text.lower() if text.isascii() else normalize("NFC", normalize("NFC", text).casefold())


def _searched(text: str) -> bytes:
    return fold_case(text).encode("utf-8", "surrogatepass")


class MessageWords:
    """What was said at each number, and by whom; `size` is in bytes, near enough."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}  # each once
        self._authors: list[str | None] = [None]  # by number; None for what is no message
        self._contents: list[bytes] = [b""]
        self.size = 0

    @property
    def is_whole(self) -> bool:
        """Whether all that was added is kept."""
        return self.size <= ROOM

    def add(self, record: Record) -> None:
        """`record`, the primary entry of the next number."""
        if not self.is_whole:
            return
        author, content = None, b""
        if record.is_talk:
            message = cast("Message", record.entry)
            author = self._names.setdefault(message.participant, message.participant)
            content = _searched(message.content)
        self._authors.append(author)
        self._contents.append(content)
        self.size += len(content) + _EACH
        if not self.is_whole:
            self._authors.clear()
            self._contents.clear()

    def find(
        self, numbers: Iterable[int], words: Sequence[str], by: str | None, most: int
    ) -> list[int]:
        """The first `most` of `numbers`, in their order, whose messages hold all of `words`."""
        contents, authors = self._contents, self._authors
        longest, *rest = sorted(map(_searched, words), key=len, reverse=True) or [b""]
        known = len(contents)
        matches: list[int] = []
        for n in numbers:
            if (
                n < known
                and longest in contents[n]
                and authors[n] is not None
                and by in (None, authors[n])
                and all(word in contents[n] for word in rest)
            ):
                matches.append(n)
                if len(matches) == most:
                    break
        return matches
