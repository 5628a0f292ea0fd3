"""A record and its facts as it goes to clients, encoded once for all of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bus.entries import Record
from memory.items import Fact

Group = Literal["messages", "floor", "other"]


@dataclass(frozen=True, slots=True)
class Frame:
    """`sse` is a whole event, `ws` the text of a frame."""

    seq: int
    group: Group
    sse: bytes
    ws: str


def frame(record: Record, facts: Sequence[Fact]) -> Frame:
    raise NotImplementedError
