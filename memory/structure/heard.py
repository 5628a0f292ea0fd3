"""A message as the window hears it."""

from __future__ import annotations

from typing import NamedTuple


class Heard(NamedTuple):
    """A message as the window hears it; a vote, or a line with its wording's cues."""

    n: int
    place: int
    who: str
    typist: str
    text: str = ""
    start: int = 0
    at: str | None = None
    topic: str | None = None
    vote: int | None = None  # per mille
    remark: bool = False
    re: int = 0  # n of the message that a vote replies to; 0: it names nothing
    cues: tuple[int, ...] = ()  # numbers of `Lexicon.names`
    own: int = 0
    wording: tuple[int, int] = (0, 0)
    passes: bool = False  # worth a place in the window
    scribed: bool = False
