"""What the fold keeps of written talk: how long its messages are, and who spoke last of what."""

from __future__ import annotations

from parley.memory.state.store import StateTree


class Turn(StateTree):
    """A message lately written: by whom, and the proposals it made or took up again."""

    n: int
    place: int  # ordinal of the message
    who: str
    refs: list[int] = []
    text: str = ""  # of a short message that proposed nothing: it may be quoted as an answer
    at: str | None = None


class Agreement(StateTree):
    """A claimed decision that waits for an objection."""

    ref: int  # of the decision
    place: int  # ordinal of the message that claimed it
    due: int = 0  # ordinal of the message that ends the wait; 0 until another agrees


class Writing(StateTree):
    """How a session is written, its newest turns, and the claims that may bind by agreement."""

    size: int = 0  # characters so far, of each message 2,000 at most
    short: int = 0  # messages that were no longer than a line
    turns: list[Turn] = []
    agreements: list[Agreement] = []
