"""What work taught, here and in other sessions, as memory holds it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from parley.memory.state.item_state import Cite
from parley.memory.state.store import StateTree

InsightKind = Literal["discovered", "success", "error", "replanned"]


class Insight(StateTree):
    """Something learnt at work. `ref` 4 is written I4."""

    ref: int
    kind: InsightKind
    text: str
    size: int  # tokens
    cites: list[Cite]  # of the first and the newest entry that shows it
    count: int = 1
    episode: int | None = None  # ref of the task or goal that taught it first

    @property
    def handle(self) -> str:
        return f"I{self.ref}"


class Insights(StateTree):
    last: int = 0
    by_ref: dict[int, Insight] = field(default_factory=dict, name="held")
    keys: dict[str, int] = {}  # ref by key of the folded text: the same words are the same insight
    dropped: int = 0
    size: int = 0  # tokens of all of them


class Lesson(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """What another session learnt."""

    session: str
    ref: str
    n: int
    text: str
    topic: str = ""
    standing: str = ""
    weight: int = 0
