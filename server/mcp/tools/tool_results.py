"""What each tool gives. Words of others stand in fields, never in the words of the server."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Result(BaseModel):
    model_config = ConfigDict(frozen=True)


class Floor(Result):
    """`yours`: speak now. `asked`: your bid stands. `vote`: the talk waits until it is over.

    `until` is when that of a bid ends that took the floor.
    """

    policy: str
    holder: str | None = None
    yours: bool = False
    until: str | None = None
    asked: bool = False
    queue: int = 0
    paused: str | None = None
    vote: str | None = None


class FactRow(Result):
    """What an entry did to the memory."""

    n: int
    kind: str
    ref: str | None = None
    says: str


class MessageRow(Result):
    """`cut`: only its beginning is here; read it alone to have all of it."""

    n: int
    seq: int
    participant: str
    content: str
    act: str | None = None
    re: int | str | None = None
    to: list[str] = Field(default_factory=list)
    topic: str | None = None
    addressed: bool = False
    cut: bool = False


class SessionRow(Result):
    session: str
    title: str | None
    status: str
    n: int
    last_activity: str


class Sessions(Result):
    sessions: list[SessionRow]


class Created(Result):
    session: str
    n: int


class Joined(Result):
    session: str
    name: str
    role: str
    n: int
    after: int
    cursor: str
    title: str | None
    goal: str | None
    policy: str
    participants: list[str]
    how_to: list[str]


class Waited(Result):
    """Wait again after `cursor`. `more`: there is more already; `reset`: what you know is void."""

    messages: list[MessageRow]
    facts: list[FactRow]
    after: int
    cursor: str
    closed: str | None = None
    floor: Floor
    more: bool = False
    reset: bool = False
    superseded: bool = False


class SpeechResult(Result):
    """What was said stands as `n`. `duplicate`: it stood there before, under the same key.

    `found` are the facts of it. `made` and `touched` are handles; `missing` has a sentence for
    each of them that is not settled; `rule` is the rule of decision if it rules or decides and
    settled nothing; `repeats` has a row for each proposal that was made before.
    """

    n: int
    seq: int
    cursor: str
    found: list[FactRow]
    made: list[str] = []
    touched: list[str] = []
    missing: list[str] = []
    rule: str = ""
    repeats: list[dict[str, Any]] = []
    floor: Floor
    duplicate: bool = False


class Cite(Result):
    """Message `n`, characters `start` to `end`; both 0: all of it."""

    n: int
    start: int
    end: int
    quote: str | None = None


class Row(Result):
    n: int
    participant: str
    cites: list[Cite]


class ItemRow(Row):
    """`status_text` is the status in words; `as_read`: a model read it, so participants may say
    otherwise. `read_sides`: whose sides a model read; `statement` is in its words.
    """

    ref: str
    status: str
    status_text: str
    as_read: bool
    topic: str
    statement: str | None
    read_sides: list[str]


class ProposalRow(ItemRow):
    """`relation` is how it relates to the items `related`."""

    text: str
    relation: str
    related: list[str]
    support: list[str]
    oppose: list[str]
    neutral: list[str]


class DecisionRow(ItemRow):
    """`resolves` is the first of the proposals that it `settles`."""

    outcome: str
    resolves: str | None
    settles: list[str]
    supporters: list[str]
    dissenters: list[str]
    abstainers: list[str]


class CandidateRow(Result):
    """What may be an item: it is counted nowhere; `why` tells how often such a finding is right."""

    ref: str
    kind: str
    text: str
    participant: str
    n: int
    why: str


class PositionRow(Row):
    on: str
    stance: str
    as_read: bool
    text: str
    was: str | None


class VoteRow(Result):
    model_config = ConfigDict(frozen=True, extra="allow")

    ref: str
    status: str
    question: str
    proposal: str | None
    options: list[str]
    rule: str
    secret: bool
    participant: str
    n: int
    waiting: list[str]
    carried: str | None
    tally: dict[str, int] | None
    ends_ms: int | None = None
    missing: str = ""


class Memory(Result):
    """Newest first, at most 200 of each; what was not asked for is empty."""

    n: int
    decisions: list[DecisionRow]
    proposals: list[ProposalRow]
    candidates: list[CandidateRow]
    positions: list[PositionRow]
    votes: list[VoteRow]


class Awaited(Result):
    participant: str
    what: str
    ref: str | None


class Brief(Result):
    """Newest first; `claimed` is said to be decided, unconfirmed; `candidates` bind nobody."""

    n: int
    sentence: str
    waiting: list[Awaited]
    decided: list[dict[str, Any]]
    disputed: list[dict[str, Any]]
    claimed: list[dict[str, Any]]
    open: list[dict[str, Any]]
    votes: list[VoteRow]
    missed: list[VoteRow]
    actions: list[dict[str, Any]]
    candidates: list[dict[str, Any]]
    more: dict[str, int]


class ContextText(Result):
    text: str
    size: int
    cites: list[int]


class Explained(Result):
    """The item's own fields beside its evidence and history."""

    model_config = ConfigDict(frozen=True, extra="allow")

    handle: str
    words: list[dict[str, Any]]
    history: list[dict[str, Any]]


class Messages(Result):
    """`next` is the number to go on from; null: there is no more."""

    messages: list[MessageRow]
    next: int | None


class Left(Result):
    left: bool
