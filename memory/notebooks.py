"""Notebooks: one history of lines that all share, and each participant's note over it."""

from __future__ import annotations

from bus.entries import (
    BallotCompleted,
    Message,
    NoteRefused,
    NoteRevised,
    NoteWritten,
    ResultsFinal,
    VoteConfirmed,
    VoteInitiated,
)
from memory.items import Reflect
from memory.moment import Moment
from memory.state import Memory
from memory.stores import Episode


def hear(memory: Memory, n: int, name: str, entry: Message) -> None:
    """Tell a message in the history, and call for the reflections that its route wants."""


def tell_vote(moment: Moment, entry: VoteInitiated | VoteConfirmed | BallotCompleted) -> None:
    """Tell a vote; a ballot with consensus calls for reflections."""


def tell_results(moment: Moment, entry: ResultsFinal) -> None:
    """Tell final results, in full, to those they are for."""


def tell_phase(moment: Moment, episode: Episode) -> None:
    """Tell that a phase, stage or round was opened or closed."""


def written(moment: Moment, entry: NoteWritten) -> None:
    """A participant's own new text, unless it read an older revision than was written since."""


def revised(moment: Moment, entry: NoteRevised) -> None:
    """Let a revision stand, unless a newer one does."""


def refused(moment: Moment, entry: NoteRefused) -> None:
    """Note that no answer fitted; the note stays as it was."""


def owed(memory: Memory) -> list[Reflect]:
    """The reflections that are wanted now: at most one a participant, oldest cause first."""
    return []


def standing(memory: Memory, name: str) -> tuple[str, int]:
    return "", 0


def lines_since(memory: Memory, name: str | None) -> list[str]:
    return []
