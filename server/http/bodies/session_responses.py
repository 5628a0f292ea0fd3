"""What writing routes answer, and the rows that they list."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Item = TypeVar("Item")
Tree = dict[str, Any]


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True)


class Page(Answer, Generic[Item]):
    """A part of a list; `next` is the cursor of what comes then, null at its end."""

    items: list[Item]
    next: int | None = None


# -- talk ------------------------------------------------------------------------------


class ReceiptRow(Answer):
    """Where an entry stands. `duplicate`: it stood there before this request."""

    seq: int
    n: int
    id: str
    duplicate: bool


class MessageReceiptRow(ReceiptRow):
    """With `outcome=SECONDS` also what the message did, if it was folded in time.

    `made` and `touched` are handles; `missing` has a sentence for each of them that is not
    settled; `rule` is the rule of decision if the message rules or decides and settled nothing.
    `repeats` has an echo row for each proposal that was made before, with `says`, on a line.
    """

    made: list[str] | None = None
    touched: list[str] | None = None
    missing: list[str] | None = None
    rule: str | None = None
    repeats: list[Tree] | None = None


class PublishedRow(Answer):
    receipts: list[ReceiptRow]


class EntryRow(Answer):
    """An entry of the log; `entry` has a `kind` and that kind's fields, without its defaults."""

    type: Literal["entry"]
    seq: int
    n: int
    id: str
    t: int
    entry: Tree
    unreadable: bool = False


class PreviewRow(Answer):
    """What a redaction would take, and which items it would move."""

    n: int
    kind: str
    participant: str
    words: str
    edits: dict[int, str]  # n -> words, of a message that was edited
    derived: dict[str, int]
    moved: dict[str, list[str]]  # handle -> status before, after


class RedactedRow(Answer):
    session: str
    n: int
    again: bool
    tombstones: int
    due: list[str]


# -- sessions --------------------------------------------------------------------------


class SessionRow(Answer):
    session: str
    title: str | None
    status: str
    n: int
    head: int
    folded: int
    last_activity_ms: int
    preset: str


class SessionState(Answer):
    """Where a session stands, and what it is about."""

    session: str
    incarnation: str
    title: str | None
    status: str
    n: int
    head: int
    folded: int
    base: int
    skips: list[int]
    last_activity_ms: int
    origin: str | None
    due: dict[str, int]
    epoch: int
    healed: int
    preset: str
    goal: str
    policy: str
    participants: list[str]
    closed: str | None


class VerifiedRow(Answer):
    sound: bool
    findings: list[str]


class Running(Answer):
    running: bool


class PresetRow(Answer):
    preset: str
    sets: Tree


class ScenarioRow(Answer):
    scenario: str
    title: str
    participants: int
    policy: str
    scripted: bool


class PersonaRow(Answer):
    name: str
    display: str
    description: str
    interests: list[str]
    may: list[str] | None


# -- votes -----------------------------------------------------------------------------


class CountRow(Answer):
    """One count of the ballots; `pairs` of a ranked vote: who beats whom by what weight."""

    rule: str
    quorum: int | None
    status: str
    carried: str | None
    tally: dict[str, int] | None
    supporters: list[str] | None
    dissenters: list[str] | None
    abstainers: list[str] | None
    pairs: list[list[str | int]]


class VoteRow(Answer):
    """A vote as memory holds it; of a secret one nobody's choice is told."""

    ref: str
    status: str
    question: str
    proposal: str | None
    options: list[str]
    rule: str
    secret: bool
    quorum: int | None
    participant: str
    n: int
    closed_n: int | None
    electorate: dict[str, int]
    waiting: list[str]
    voted: int | None = Field(description="how many ballots have a choice; null if none was asked")
    ballots: dict[str, list[str]] | None
    carried: str | None
    tally: dict[str, int] | None
    ends_ms: int | None = Field(
        description="when it is counted with what is there, Unix time; null where it is over"
    )
    missing: str = Field(description="why it cannot carry while it runs; empty if it can")


class ToldVote(VoteRow):
    """A vote, counted again where that was asked for."""

    standing: CountRow | None = None
    again: CountRow | None = None


# -- the floor and people --------------------------------------------------------------


class BidRow(Answer):
    participant: str
    urgency: int
    intent: str
    re: int | str | None


class SeatRow(Answer):
    name: str
    role: str
    present: bool
    muted: bool
    turns: int
    interests: list[str]
    listens: str
    answer_ms: int | None
    called: bool


class FloorNow(Answer):
    """The floor, whoever it is told to."""

    policy: str
    epoch: int
    holder: str | None
    paused: str | None
    bids: list[BidRow]
    passed: list[str]
    muted: list[str]
    vote: str | None
    because: str | None
    turns: int
    hops: int


class FloorRow(FloorNow):
    """`because` is what is in the caller's way, and what to do; or that it has the floor itself.

    `until` is when that is over; null: nothing is in the way, or nobody knows.
    """

    until: str | None
    seats: list[SeatRow]


class PersonRow(Answer):
    """`last` is the n of the newest message that memory still cites; null: it cites none."""

    name: str
    role: str | None
    present: bool
    messages: int
    last: int | None
    may: list[str] | None
    muted: bool
    aliases: list[str]
    hue: int


class Seated(Answer):
    seat: str
    session: str
    role: str
    n: int
    after: int
    policy: str
    listens: str
