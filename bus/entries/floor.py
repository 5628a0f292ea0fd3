"""The floor: asked for, granted, released, and whatever a moderator does about it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from parley.bus.entries.fields import EntryModel, Name

Intent = Literal["answer", "propose", "amend", "support", "oppose", "ask", "decide", "vote"]


class FloorBid(EntryModel):
    """A listener asks for the floor, having heard entry `heard`. Void unless `epoch` is current."""

    kind: Literal["floor.bid"] = "floor.bid"
    participant: Name
    epoch: int = Field(ge=0)
    heard: int = Field(default=0, ge=0)  # n
    urgency: int = Field(default=1, ge=0, le=3)
    intent: Intent = "answer"
    re: int | str | None = None  # what it answers: n or handle
    novelty: str = ""  # what it would add, in a few words
    reason: str = ""
    how: Literal["self", "panel", "rules", "addressed", "person"] = "self"


class FloorPassed(EntryModel):
    """A listener has nothing to add now; `ready`: nothing at all, until it speaks again.

    `failed`: nobody knows, because its model did not answer. `withdrawn`: it takes its bid back,
    and has not passed.
    """

    kind: Literal["floor.passed"] = "floor.passed"
    participant: Name
    epoch: int = Field(ge=0)
    heard: int = Field(default=0, ge=0)
    ready: bool = False
    failed: bool = False
    withdrawn: bool = False
    reason: str = ""
    how: Literal["self", "panel", "rules", "person"] = "self"


class FloorGranted(EntryModel):
    """`participant` holds the floor in `epoch`, the one after the current; only one such lands."""

    kind: Literal["floor.granted"] = "floor.granted"
    participant: Name
    epoch: int = Field(ge=1)
    lease_ms: int = Field(default=90_000, ge=1)
    by: str | None = None  # a moderator's word; None: the policy's
    score: dict[str, int] = Field(default_factory=dict)  # what spoke for it
    reason: str = ""


Release = Literal["spoke", "silent", "failed", "expired", "interrupted", "revoked", "budget"]


class FloorReleased(EntryModel):
    """The floor is free: `epoch`, the one after the current, begins."""

    kind: Literal["floor.released"] = "floor.released"
    participant: Name  # who held it
    epoch: int = Field(ge=1)
    reason: Release = "spoke"
    by: str | None = None


class FloorNudged(EntryModel):
    """Somebody is asked to speak, or (`warning`) told where the talk stands."""

    kind: Literal["floor.nudged"] = "floor.nudged"
    participant: str = ""  # whom; "": everyone
    warning: Literal["quiet", "hops", "circling"] = "quiet"
    re: int | str | None = None  # circling: the proposal that comes back
    earlier: str = ""  # circling: the handle of what it repeats
    content: str = ""


class FloorPaused(EntryModel):
    """No agent is given the floor until it is resumed; of `hops`, until a person speaks."""

    kind: Literal["floor.paused"] = "floor.paused"
    reason: str = "moderator"
    by: str | None = None


class FloorResumed(EntryModel):
    kind: Literal["floor.resumed"] = "floor.resumed"
    by: str | None = None


class FloorMuted(EntryModel):
    """`participant` is not given the floor, or (`muted` false) is again."""

    kind: Literal["floor.muted"] = "floor.muted"
    participant: Name
    muted: bool = True
    by: str | None = None
