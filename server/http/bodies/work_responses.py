"""What routes of notebooks, work, tools, rules and lessons answer."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from parley.server.http.bodies.session_responses import Answer, Tree


class NotePage(Answer):
    """A notebook; `base` is the n that a write on it names, `limit` its length at most."""

    text: str
    standing: str
    base: int
    limit: int


class RevisionRow(Answer):
    n: int
    kind: str
    cause: int
    base: int
    text: str
    size: int
    why: str
    at: str | None
    model: str | None
    attempts: int
    sizes: list[int]
    clipped: bool
    stood: bool
    reason: str


class GoalRow(Answer):
    ref: str
    kind: str
    title: str
    status: str
    participant: str | None = None
    parent: str | None = None
    after: list[str] = Field(default_factory=list)
    opened_n: int | None = None
    opened_at: str | None = None
    closed_n: int | None = None
    closed_at: str | None = None
    result: str = ""
    tally: Tree | None = None
    context: list[str] = Field(default_factory=list)
    depth: int | None = None


class StepRow(Answer):
    n: int
    ref: str


class KeptRow(Answer):
    """A result that is kept; `arguments` are JSON, with their keys in order."""

    tool: str
    arguments: str
    remaining: int
    original: int
    hits: int
    bytes: int
    n: int
    call_id: str
    text: str


class FoundRow(Answer):
    tool: str
    call_id: str
    result: str
    n: int
    kept: bool
    remaining: int
    ttl: int


class BegunRow(Answer):
    """A call that is the caller's: run the tool, and put its result under this `call_id`."""

    call_id: str


class ScreenRow(Answer):
    """Chat messages to show the model; none where it was shown them."""

    messages: list[Tree]


class UpdatePromptRow(Answer):
    """What to ask a model; its answer is written on `base`, in `limit` characters at most."""

    prompt: str
    base: int
    limit: int


class SettingRow(Answer):
    key: str
    value: Any
    usual: Any
    source: str
    changed: bool
    about: str


class AdviceRow(Answer):
    key: str
    now: int
    suggested: int
    because: str


class LessonRow(Answer):
    lesson: str | None = None
    session: str
    ref: str
    n: int
    topic: str
    text: str
    standing: str
    weight: int


class ImportedRow(Answer):
    """What an import brought: all that was offered, and how many of it were there before."""

    items: list[LessonRow]
    known: int
