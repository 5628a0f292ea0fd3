"""The errors of persona files and names.

PersonaError
├── PersonaRefused     a file that is no persona, by file and line
└── PersonaNotFound    no persona of that name, with the nearest one there is
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class PersonaError(Exception):
    """An error that the author of a file, or of a command, can correct; its text says how."""


class PersonaRefused(PersonaError):
    """`source` is the file; `line`, where it is known, counts from 1."""

    def __init__(self, source: str, reason: str, line: int | None = None) -> None:
        place = source if line is None else f"{source}:{line}"
        super().__init__(f"{place}: {reason}")
        self.source, self.reason, self.line = source, reason, line


class PersonaNotFound(PersonaError):
    def __init__(self, name: str, known: Iterable[str]) -> None:
        near = nearest(name, known)
        advice = f"is {near!r} meant?" if near else "'parley persona ls' lists them"
        super().__init__(f"no persona {name!r}; {advice}")
        self.name = name


def nearest(word: str, choices: Iterable[str], alike: float = 0.6) -> str | None:
    """The choice that `word` was most likely meant to be; None where none is near."""
    close = get_close_matches(word[:100], list(choices), n=1, cutoff=alike)
    return close[0] if close else None
