"""Votes as memory holds them: called, open and closed, with the ballots of the newest.

Integers and text only; no rule depends on the order of a dictionary.
"""

from __future__ import annotations

from msgspec import Struct, field

from parley.memory.state.store import StateTree


class Ballot(Struct, omit_defaults=True, kw_only=True, frozen=True):
    n: int
    choice: tuple[str, ...] = ()
    invalid: int = 0  # tries that could not be read; 2: it stands as invalid


class Vote(StateTree):
    """A vote. `ref` 2 is written V2. The electorate is fixed when it opens.

    status: called (waits for confirmations), open, carried, failed (nothing
    won), short (no quorum), cancelled. What a closed vote was cast with is kept
    for the newest few alone.
    """

    ref: int
    n: int
    by: str
    question: str
    status: str = "called"
    proposal: int | None = None  # ref
    options: tuple[str, ...] = ("accept", "reject")
    rule: str = "majority"
    secret: bool = False
    quorum: int = 500
    window: int = 10
    seconds: int = 0  # from its call until it is counted; 0: as the session has it
    opened: int = 0  # `messages` when it opened
    closed: int = 0  # n of what ended it
    agreed: dict[str, bool] = {}  # confirmations
    electorate: dict[str, int] = {}  # weight by name
    ballots: dict[str, Ballot] = {}
    heard: int = 0  # n of the last ballot on it while it was open, a valid one or not
    carried: str | None = None
    tally: dict[str, int] = {}

    @property
    def handle(self) -> str:
        return f"V{self.ref}"


class Votes(StateTree):
    """Votes by ref; the ballots of closed ones beyond the newest few are in the log alone."""

    by_ref: dict[int, Vote] = field(default_factory=dict, name="held")
    next: int = 1
    running: list[int] = []  # refs of those called or open, oldest first
    counted: int = 0  # ended with a result, held or not
