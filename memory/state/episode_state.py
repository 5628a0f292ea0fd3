"""Episodes as memory holds them: goals, tasks, phases, rounds, exchanges, and their work."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from parley.bus.entries import EpisodeKind
from parley.memory.state.store import StateTree

EpisodeStatus = Literal["open", "completed", "failed", "superseded", "abandoned"]


class ToolRun(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """One tool call of a goal or task, in detail."""

    n: int
    tool: str
    ok: bool
    text: str  # arguments and result, or the error, on one clipped line
    size: int  # tokens of `text`


class TaskStep(Struct, omit_defaults=True, kw_only=True, frozen=True):
    n: int
    who: str
    form: str
    ok: bool
    text: str
    size: int  # tokens of `text` and of what was discovered
    confidence: int | None = None
    discovered: tuple[tuple[str, str], ...] = ()


class ToolPattern(StateTree):
    """How often a tool worked, or failed with one kind of error, and where in the log."""

    tool: str
    error: str = ""  # "" where it worked
    count: int = 0
    first: int = 0  # n
    last: int = 0


class WorkTally(StateTree):
    """Counts of what was done: the statistical summary, kept as things happen.

    Names beyond the first fifty of a kind are counted under "other".
    """

    runs: int = 0
    ok: int = 0
    tools: dict[str, int] = {}
    errors: dict[str, int] = {}
    tasks: dict[str, int] = {}  # closed tasks by status
    themes: dict[str, int] = {}  # closed tasks by theme
    steps: int = 0
    steps_ok: int = 0
    first: int = 0  # n of the first and last thing counted; 0: none
    last: int = 0
    first_at: str | None = None
    last_at: str | None = None
    was: int = 0  # tokens of all that was counted, in detail


class Work(StateTree):
    """What a goal or task has under it while it is open; closing leaves the tally."""

    tally: WorkTally
    runs: list[ToolRun] = []  # the newest, oldest first
    failed: list[int] = []  # refs of failed tasks still told in full
    steps: list[TaskStep] = []
    context: str = ""  # what it is about: discovered facts, one a line, the newest last
    patterns: dict[str, ToolPattern] = {}  # of its own runs, at most fifty


class Exchange(StateTree):
    """The question and the answer of an exchange; the answer at most `limits.answer`."""

    asker: str = ""
    question: str = ""  # at most `limits.context_text`
    question_n: int = 0
    answerer: str = ""
    answer: str = ""
    answer_n: int = 0
    answer_bytes: int = 0  # of the whole answer
    messages: int = 0


class Episode(StateTree):
    """A stretch of the session that belongs together. `ref` 2 is written E2."""

    ref: int
    kind: EpisodeKind
    title: str  # one line, at most 100 characters
    participant: str
    opened: int  # n
    opened_at: str | None = None
    parent: int | None = None  # ref
    after: tuple[int, ...] = ()  # refs that must be completed before it, and are not yet
    status: EpisodeStatus = "open"
    closed: int | None = None  # n
    closed_at: str | None = None
    result: str = ""
    work: Work | None = None
    talk: Exchange | None = None
    size: int = 0  # tokens it counts for in the limits

    @property
    def handle(self) -> str:
        return f"E{self.ref}"


class Episodes(StateTree):
    """Open episodes and the closed ones that are kept; the others are in the log."""

    last: int = 0  # ref of the newest
    by_ref: dict[int, Episode] = field(default_factory=dict, name="held")
    open: list[int] = []  # refs, in the order they were opened
    evicted: int = 0  # closed ones let go of
    refused: int = 0  # openings beyond `limits.open_episodes`
    archived: list[int] = []  # refs of closed ones within `limits.archive`, oldest first
    archive_size: int = 0  # tokens of those
    size: int = 0  # tokens of all that `limits.session` counts, but the insights
    warned: list[str] = []  # limits over their warning line, sorted
