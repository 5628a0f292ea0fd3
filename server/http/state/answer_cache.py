"""Answers that were worked out before: what is past does not change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

ANSWERS: Final = 256
BYTES: Final = 32 << 20


class AnswerCache:
    """Bytes by what they answer, the least recently used let go of."""

    def __init__(self, most: int = ANSWERS, room: int = BYTES) -> None:
        self._most, self._room = most, room
        self._size = 0
        self._held: OrderedDict[Hashable, bytes] = OrderedDict()

    def get(self, key: Hashable) -> bytes | None:
        data = self._held.get(key)
        if data is not None:
            self._held.move_to_end(key)
        return data

    def put(self, key: Hashable, answer: bytes) -> None:
        """Keep it; what is larger than all the room is let go of at once."""
        self._size += len(answer) - len(self._held.pop(key, b""))
        self._held[key] = answer
        while len(self._held) > self._most or self._size > self._room:
            _, gone = self._held.popitem(last=False)
            self._size -= len(gone)
