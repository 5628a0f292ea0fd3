"""Stretches of a session that belong together, such as goals and tasks, and steps in them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from parley.bus.entries.fields import Content, EntryModel, EpisodeRef, Name

EpisodeKind = Literal["phase", "stage", "round", "exchange", "goal", "task"]
Ending = Literal["completed", "failed", "superseded", "abandoned"]
StepForm = Literal["reasoning", "tool_execution", "validation", "replanning"]


class EpisodeOpened(EntryModel):
    """A stretch of the session that belongs together begins; its handle is E1, E2, …"""

    kind: Literal["episode.opened"] = "episode.opened"
    participant: Name
    episode: EpisodeKind
    title: Content
    parent: int | EpisodeRef | None = None  # n or handle; the innermost open one that can hold it
    after: tuple[int | EpisodeRef, ...] = ()  # episodes that must be completed before


class EpisodeClosed(EntryModel):
    """It ends: the episode named, or the innermost open one."""

    kind: Literal["episode.closed"] = "episode.closed"
    participant: Name
    re: int | str | None = None  # n or handle
    episode: EpisodeKind | None = None  # the innermost of this kind
    status: Ending = "completed"
    result: str = ""  # what it came to


class Step(EntryModel):
    """One step of somebody's work on a task."""

    kind: Literal["step"] = "step"
    participant: Name
    form: StepForm
    content: Content
    ok: bool = True
    discovered: dict[str, str] = Field(default_factory=dict)  # worth keeping when the task is over
    confidence: int | None = Field(default=None, ge=0, le=1000)  # per mille
    episode: int | EpisodeRef | None = None
