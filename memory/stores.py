"""What memory holds beside its items: notebooks, episodes, exchanges, tools, insights, lessons.

Each store is a tree of plain data with a rule module of its own beside it
(`notebooks`, `episodes`, `exchanges`, `toolcache`, `work`, `lessons`); the fold
owns them and changes them in place. Integers and text only. What has its
default is left out of the canonical bytes.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from parley.bus.entries import EpisodeKind
from parley.memory.items import Cite

EpisodeStatus = Literal["open", "completed", "failed", "superseded", "abandoned"]
LineKind = Literal["statement", "reasoning", "vote", "consensus", "results", "phase"]
InsightKind = Literal["discovered", "success", "error", "replanned"]


class Store(Struct, omit_defaults=True, kw_only=True):
    """What the fold changes in place."""


# -- notebooks -----------------------------------------------------------------


class Line(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """One event as notebooks tell it: known fields only, rendered when read.

    `text` is clipped to its kind's limit. `to` names who sees it; empty: everyone.
    """

    n: int
    kind: LineKind
    who: str
    text: str
    act: str | None = None
    topic: str | None = None
    re: str | None = None  # handle
    round: int | None = None  # ref of the innermost open phase, stage or round
    at: str | None = None
    to: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()  # further named values: earnings, outcome, …


class Occasion(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """An entry that calls for reflections, of all who keep a notebook, or all who rewrite one."""

    n: int = 0
    why: str = ""
    told: int = 0  # `Notebooks.told` by then


class Note(Store):
    """A participant's notebook: the standing revision; the lines since are the history's.

    A revision is named by its cause, the n of the entry up to which it digests.
    `owed` is the newest cause that calls for one of this participant alone, or
    that was adopted from an occasion; both from primary entries alone.
    """

    text: str = ""
    cause: int = 0  # of the standing revision; 0: none
    answered: int = 0  # newest cause that was revised for or refused
    joined: int = 0  # n of its beginning; 0: from the first
    owed: int = 0
    why: str = ""  # what calls for `owed`
    size: int = 0  # characters the text is taken to have had at `owed`
    mark: int = 0  # `Notebooks.told` at `owed`
    apart: int = 0  # characters since then of lines that not everyone sees
    written: int = 0  # n of the last note.written that stood


class Notebooks(Store):
    """The shared history, oldest first, and each participant's note over it.

    `dropped` lines left it for `limits.history`; the newest of them was entry `through`.
    """

    history: list[Line] = []
    size: int = 0  # characters of the lines in `history`
    told: int = 0  # characters of all lines ever told to everyone
    dropped: int = 0
    through: int = 0
    called: Occasion = Occasion()  # newest that calls on all who keep a notebook
    stirred: Occasion = Occasion()  # newest that calls on those who rewrite theirs
    notes: dict[str, Note] = {}  # by canonical name


# -- episodes ------------------------------------------------------------------


class Run(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """One tool call of a goal or task, in detail."""

    n: int
    tool: str
    ok: bool
    text: str  # arguments and result, or the error, on one clipped line
    size: int  # tokens of `text`


class StepRow(Struct, omit_defaults=True, kw_only=True, frozen=True):
    n: int
    who: str
    form: str
    ok: bool
    text: str
    size: int  # tokens of `text` and of what was discovered
    confidence: int | None = None
    discovered: tuple[tuple[str, str], ...] = ()


class Pattern(Store):
    """How often a tool worked, or failed with one kind of error, and where in the log."""

    tool: str
    error: str = ""  # "" where it worked
    count: int = 0
    first: int = 0  # n
    last: int = 0


class Tally(Store):
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


class Work(Store):
    """What a goal or task has under it while it is open; closing leaves the tally."""

    tally: Tally
    runs: list[Run] = []  # the newest, oldest first
    failed: list[int] = []  # refs of failed tasks still told in full
    steps: list[StepRow] = []
    context: str = ""  # what it is about: discovered facts, one a line, the newest last
    patterns: dict[str, Pattern] = {}  # of its own runs, at most fifty


class Talk(Store):
    """The question and the answer of an exchange; the answer at most `limits.answer`."""

    asker: str = ""
    question: str = ""  # at most `limits.context_text`
    question_n: int = 0
    answerer: str = ""
    answer: str = ""
    answer_n: int = 0
    answer_bytes: int = 0  # of the whole answer
    messages: int = 0


class Episode(Store):
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
    talk: Talk | None = None
    size: int = 0  # tokens it counts for in the limits

    @property
    def handle(self) -> str:
        return f"E{self.ref}"


class Episodes(Store):
    """Open episodes and the closed ones that are kept; the others are in the log."""

    last: int = 0  # ref of the newest
    held: dict[int, Episode] = {}  # by ref
    open: list[int] = []  # refs, in the order they were opened
    evicted: int = 0  # closed ones let go of
    refused: int = 0  # openings beyond `limits.open_episodes`
    archived: list[int] = []  # refs of closed ones within `limits.archive`, oldest first
    archive_size: int = 0  # tokens of those
    size: int = 0  # tokens of all that `limits.session` counts, but the insights
    warned: list[str] = []  # limits over their warning line, sorted


# -- exchanges -----------------------------------------------------------------


class Exchanges(Store):
    """The newest closed exchanges, and the running summary of those before.

    `running` is one line a question and one an answer, oldest first.
    """

    turn: int = 0  # exchanges closed so far
    open: int = 0  # ref of the open one; 0: none
    window: list[int] = []  # refs, oldest first
    running: str = ""  # at most `limits.running`
    through: int = 0  # n of the close of the newest exchange in `running`
    cause: int = 0  # n of the close of the newest exchange in the last compression
    compressions: int = 0
    kept: int = 0  # characters of `running` that the last compression left
    first: int = 0  # n where the exchanges begin that the last compression took in
    since: int = 0  # n where those begin that came after it; 0: none did


# -- tools ---------------------------------------------------------------------


class Cached(Store):
    """A result that may be served again while turn < `expires`."""

    key: str
    tool: str
    arguments: str  # canonical JSON; "" where it has more than `limits.context_text`
    n: int  # of the tool.returned: the whole result is there
    call_id: str
    value: str  # at most `limits.answer`
    bytes: int  # of the whole result
    ttl: int  # exchanges
    stored: int  # turn
    expires: int  # turn; moved on by a hit, never beyond `limit`
    limit: int  # turn
    hits: int = 0


class Call(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """A call under way: whoever wants the same waits for its result, in this turn at most."""

    call_id: str
    n: int
    turn: int


class Injection(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """What a participant was shown under a key, and when."""

    hash: str
    n: int
    turn: int
    text: str  # at most `limits.context_text`


class Tools(Store):
    cached: dict[str, Cached] = {}  # by key, oldest first
    calls: dict[str, Call] = {}  # by key
    hits: int = 0
    misses: int = 0
    evicted: int = 0
    injected: dict[str, dict[str, Injection]] = {}  # by participant, by key


# -- insights and lessons ------------------------------------------------------


class Insight(Store):
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


class Insights(Store):
    last: int = 0
    held: dict[int, Insight] = {}  # by ref
    keys: dict[str, int] = {}  # ref by key of the folded text: the same words are the same insight
    dropped: int = 0
    size: int = 0  # tokens of all that are held


class Lesson(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """What another session learnt."""

    session: str
    ref: str
    n: int
    text: str
    topic: str = ""
    standing: str = ""
    weight: int = 0


# -- models' shorter forms -----------------------------------------------------


class Condensed(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """A model's shorter form of something that memory already holds clipped."""

    text: str
    size: int  # bytes
