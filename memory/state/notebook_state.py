"""Notebooks as memory holds them: the history that they share, and a revision for each owner."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from parley.memory.state.store import StateTree

LineKind = Literal["statement", "reasoning", "vote", "consensus", "results", "phase"]


class HistoryLine(Struct, omit_defaults=True, kw_only=True, frozen=True):
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


class ReflectionOccasion(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """An entry that calls for reflections, of all who keep a notebook, or all who rewrite one."""

    n: int = 0
    why: str = ""
    public_size: int = field(default=0, name="told")  # `Notebooks.public_size` by then


class Note(StateTree):
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
    mark: int = 0  # `Notebooks.public_size` at `owed`
    apart: int = 0  # characters since then of lines that not everyone sees
    written: int = 0  # n of the last note.written that stood


class Notebooks(StateTree):
    """The shared history, oldest first, and each participant's note over it.

    `dropped` lines left it for `limits.history`; the newest of them was entry `through`.
    """

    history: list[HistoryLine] = []
    size: int = 0  # characters of the lines in `history`
    # characters of all lines ever told to everyone
    public_size: int = field(default=0, name="told")
    dropped: int = 0
    through: int = 0
    called: ReflectionOccasion = (
        ReflectionOccasion()
    )  # newest that calls on all who keep a notebook
    stirred: ReflectionOccasion = (
        ReflectionOccasion()
    )  # newest that calls on those who rewrite theirs
    notes: dict[str, Note] = {}  # by canonical name
