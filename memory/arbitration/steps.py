"""What an arbiter may have to do next, and what it knows of the clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class ElapsedTimes:
    """Milliseconds that have gone by, on the arbiter's clock.

    `epoch` since the floor was last granted or released, or everyone was stirred;
    `floor` since it was last granted or released, whoever spoke since;
    `bid` since the first standing bid of that time; `votes` since each vote that is
    not over was called, by ref; `nudge` since somebody was last nudged; `answer`
    since somebody bid or passed, or the floor was freed; `seated` since a seat was
    last taken. None where there was none, or it is not known.
    """

    epoch: int
    bid: int | None
    session: int
    head: int  # since the last message
    votes: Mapping[int, int] = field(default_factory=dict)
    nudge: int | None = None
    floor: int = 0
    answer: int = 0
    seated: int | None = None


@dataclass(frozen=True, slots=True)
class Grant:
    participant: str
    score: Mapping[str, int]
    reason: str


@dataclass(frozen=True, slots=True)
class Expire:
    """The floor is to be released: the holder's time is over, or it has left."""

    participant: str


@dataclass(frozen=True, slots=True)
class Nudge:
    """`participant` "" means everyone."""

    participant: str
    warning: Literal["quiet", "hops", "circling"]
    re: str | None
    earlier: str
    content: str


@dataclass(frozen=True, slots=True)
class Pause:
    reason: str


@dataclass(frozen=True, slots=True)
class AskModerator:
    """The agent `participant` is to be asked, once an epoch, who speaks next."""

    participant: str


@dataclass(frozen=True, slots=True)
class CallVote:
    proposal: int  # ref


@dataclass(frozen=True, slots=True)
class CountVote:
    ref: int


@dataclass(frozen=True, slots=True)
class Close:
    reason: str
    rule: str  # the stop rule that held; "": none had to


Step = Grant | Expire | Nudge | Pause | AskModerator | CallVote | CountVote | Close

# The step to take now, or None and the ms after which the clock alone may change
# that (None: nothing but an entry can).
Answer = tuple[Step | None, int | None]
