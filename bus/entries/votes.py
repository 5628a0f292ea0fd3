"""A vote: called, agreed to, given more time, cast and completed."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from parley.bus.entries.fields import Content, EntryModel, Name

VoteRule = Literal["majority", "two_thirds", "unanimity", "consent", "ranked"]
MAX_VOTE_SECONDS: Final = 365 * 24 * 3600  # a year: what waits longer is no vote any more
VoteSeconds = Annotated[int, Field(ge=1, le=MAX_VOTE_SECONDS)]


class VoteInitiated(EntryModel):
    """Somebody asked the group to vote, on proposal `re` where one is named; its handle is V1, …

    Without `options` the question is whether to `accept` or `reject`. What is
    None is as the session's settings have it.
    """

    kind: Literal["vote.initiated"] = "vote.initiated"
    participant: Name
    content: Content  # the question
    re: int | str | None = None  # a handle such as P3
    options: tuple[Name, ...] = ()  # ids: a handle such as P3, or a word
    rule: VoteRule | None = None
    secret: bool | None = None
    quorum: int | None = Field(default=None, ge=0, le=1000)  # per mille of the electorate's weight
    window: int | None = Field(default=None, ge=1)  # messages without objection: consent
    seconds: VoteSeconds | None = None  # from the call until it is counted with what is there


class VoteConfirmed(EntryModel):
    """One participant's word that the vote may (or may not) be held now."""

    kind: Literal["vote.confirmed"] = "vote.confirmed"
    participant: Name
    agreed: bool = True
    re: int | str | None = None  # the n of the vote's initiation, or its handle


class VoteExtended(EntryModel):
    """An open vote is counted so many seconds later than it would have been."""

    kind: Literal["vote.extended"] = "vote.extended"
    participant: Name
    re: int | str  # the n of the vote's initiation, or its handle
    seconds: VoteSeconds


class BallotCast(EntryModel):
    """One participant's ballot; the latest valid one counts while the vote is open.

    `choice` holds option ids: one, `abstain`, or of a ranked vote several, best
    first. What is none of them is an invalid ballot, kept as it was cast.
    """

    kind: Literal["ballot.cast"] = "ballot.cast"
    participant: Name
    re: int | str  # the n of the vote's initiation, or its handle
    choice: tuple[str, ...] = ()
    content: str = ""  # why, where somebody says so; of a ballot that did not parse, its text


class BallotCompleted(EntryModel):
    """The outcome of a vote, as whoever held it counted it. Without consensus it settles nothing.

    With consensus, the proposal `re` is accepted and a decision ratified, with
    supporters and dissent on the record, if enough others took part or a chair held it.
    """

    kind: Literal["ballot.completed"] = "ballot.completed"
    participant: Name  # who held it
    consensus: bool
    content: Content  # the outcome
    re: int | str | None = None  # a handle such as P3
    supporters: tuple[str, ...] = ()
    dissenters: tuple[str, ...] = ()
    abstainers: tuple[str, ...] = ()
    vote: int | None = None  # n of the initiation, where it was held by ballots
    heard: int | None = None  # n of the last ballot on it that was counted; 0: none was cast
    carried: str | None = None  # the option that won; None: none did
    rule: VoteRule | None = None
    tally: dict[str, int] = Field(default_factory=dict)  # weight by option; secret or not
    seconds: int | None = None  # its time of its own when it was counted
