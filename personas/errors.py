"""The errors of persona files and names.

PersonaError
├── PersonaRefused     a file that is no persona, by file and line
└── PersonaNotFound    no persona of that name, with the nearest one there is
"""

from __future__ import annotations

from collections.abc import Iterable


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
        from parley.bus.entries.fields import nearest  # which loads pydantic

        near = nearest(name, known)
        advice = f"is {near!r} meant?" if near else "'parley persona ls' lists them"
        super().__init__(f"no persona {name!r}; {advice}")
        self.name = name
