"""What the command line refuses, by exit code.

Refused
├── Misuse           the call itself is wrong: exit 2
│   └── NotYet           a moment that the session has not come to
└── Failure          the call is right, the thing asked for cannot be had: exit 1
    ├── NotTheirs        somebody who may not do it
    └── BadTranscript    a transcript that cannot be read, by file and line
"""

from __future__ import annotations


class Refused(Exception):
    """Anything a user can mend; its text says how. Shown without a traceback."""

    exit_code = 1


class Misuse(Refused):
    exit_code = 2


class NotYet(Misuse):
    """`n` is how many primary entries `session` has so far, `at` the one asked for."""

    def __init__(self, session: str, at: int, n: int) -> None:
        super().__init__(f"there is no moment {at} yet: {n} primary entries so far")
        self.session, self.at, self.n = session, at, n

    def as_option(self) -> Misuse:
        """The error in words for whoever asked by the option `--at`."""
        return Misuse(f"--at {self.at}: {self.session!r} has {self.n} primary entries")


class Failure(Refused):
    pass


class NotTheirs(Failure):
    """`participant`, whom the text names, may not do that here."""

    def __init__(self, participant: str, text: str) -> None:
        super().__init__(text)
        self.participant = participant


class BadTranscript(Failure):
    """`place` is the line or message that is wrong, such as `line 7`."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place, self.reason = place, reason
