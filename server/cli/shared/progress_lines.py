"""What a command that reads a long session says meanwhile, on stderr."""

from __future__ import annotations

import time
from typing import Final

import typer

EVERY_SECONDS: Final = 2.0


class ProgressLines:
    """Called with a session, what was read of it and all there is: a line every two seconds.

    `what` names what is counted. The first line comes two seconds after the first call,
    so a short session has none.
    """

    def __init__(self, what: str = "entries read") -> None:
        self._what = what
        self._due: float | None = None

    def __call__(self, session: str, done: int, total: int) -> None:
        now = time.monotonic()
        if self._due is None:
            self._due = now + EVERY_SECONDS
        if now >= self._due and done < total:
            self._due = now + EVERY_SECONDS
            typer.echo(f"{session}: {done:,} of {total:,} {self._what}", err=True)
