"""Calls of tools, what they returned, and what a participant was shown of its surroundings."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from parley.bus.entries.fields import Content, EntryModel, EpisodeRef, Name


class ToolCalled(EntryModel):
    """A tool is being called, or would have been: memory may hold its result already.

    A `lookup` asks for a kept result and runs nothing: where none is kept, nobody waits for it.
    """

    kind: Literal["tool.called"] = "tool.called"
    participant: Name
    tool: Name
    call_id: Name
    arguments: dict[str, Any] = Field(default_factory=dict)
    version: str = ""  # of the tool; results of another version are other results
    lookup: bool = False


class ToolReturned(EntryModel):
    """A tool's result. `ttl` exchanges it may be served again for; only read-only successes are."""

    kind: Literal["tool.returned"] = "tool.returned"
    participant: Name
    tool: Name
    call_id: Name
    content: str = ""
    ok: bool = True
    error: str | None = None  # the kind of failure, such as TimeoutError
    arguments: dict[str, Any] = Field(default_factory=dict)
    version: str = ""
    read_only: bool = False
    ttl: int | None = Field(default=None, ge=0)  # the session's `cache.ttl` when None
    episode: int | EpisodeRef | None = None  # n or handle of a goal or task; the current one


class ContextInjected(EntryModel):
    """What `participant` was shown of its surroundings under `key`, such as a screen."""

    kind: Literal["context.injected"] = "context.injected"
    participant: Name
    key: Name
    content: Content
