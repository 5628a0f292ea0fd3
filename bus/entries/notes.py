"""Notebooks: what participants write, what models revise, and lessons of other sessions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from parley.bus.entries.fields import Content, EntryModel, Name


class NoteWritten(EntryModel):
    """A participant's notebook in its own words; replaces the revision at `base`."""

    kind: Literal["note.written"] = "note.written"
    participant: Name
    content: str
    base: int = Field(default=0, ge=0)  # n of the revision that was read; 0: none


class NoteRevised(EntryModel):
    """A participant's notebook, rewritten in the light of everything up to entry `cause`."""

    kind: Literal["note.revised"] = "note.revised"
    participant: Name
    cause: int = Field(ge=1)  # n
    base: int = Field(default=0, ge=0)  # n of the revision it was built on; 0: none
    text: str
    why: str = ""
    model: str | None = None
    attempts: int = Field(default=1, ge=1)
    clipped: bool = False  # the last answer was too long, and was cut


class NoteRefused(EntryModel):
    """No answer fitted the limit: the notebook stays as it was."""

    kind: Literal["note.refused"] = "note.refused"
    participant: Name
    cause: int = Field(ge=1)
    base: int = Field(default=0, ge=0)
    attempts: int = Field(ge=1)
    sizes: tuple[int, ...] = ()  # of the answers, in characters
    limit: int = Field(ge=0)
    aborted: bool = False  # the session is closed for it


class LessonImported(EntryModel):
    """What another session learnt, with its provenance."""

    kind: Literal["lesson.imported"] = "lesson.imported"
    session: str  # where it was learnt
    ref: str  # the item there: D2, or I4 of an insight
    n: int = Field(ge=0)  # of the entry there that shows it
    text: Content
    topic: str = ""
    standing: str = ""  # such as "ratified +3 -1 ~0"
    weight: int = 0
    by: str | None = None
