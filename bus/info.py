"""What the bus tells of a session besides its entries. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """Where a session stands.

    `folded` is how far some worker has folded it, by seq; `due` says for each
    lane how many members of this session wait in it. `origin` names where an
    imported or forked session came from.
    """

    session: str
    incarnation: str
    head: int
    n: int
    folded: int = 0
    base: int = 0
    status: Literal["open", "closed", "archived"] = "open"
    skips: tuple[int, ...] = ()
    last_activity_ms: int = 0
    origin: str | None = None
    due: dict[str, int] = field(default_factory=dict)
