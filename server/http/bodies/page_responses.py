"""What the page is shown of a memory: the board, the timeline, and what is in the making."""

from __future__ import annotations

from typing import Literal

from parley.server.http.bodies.memory_responses import Row, SummaryRow
from parley.server.http.bodies.session_responses import Answer, FloorNow, VoteRow

Cite = tuple[int, int, int]  # n, start, end: characters, half-open


class Person(Answer):
    name: str
    hue: int
    role: str | None
    present: bool
    messages: int
    muted: bool
    aliases: list[str]


class Ending(Answer):
    """How an item ended as a model reads it: by whose ruling, by what right, in message `n`."""

    word: str
    by: str
    right: str | None
    reporter: str | None
    detail: str | None
    n: int
    decision: str | None


class ItemCard(Answer):
    """`status_text` is the status in words, marked if a model reads it (`as_read`).

    `read_sides`: whose sides a model read; `statement` is in a model's words.
    """

    ref: str
    status: str
    status_text: str
    as_read: bool
    shelf: str
    text: str
    topic: str
    statement: str | None
    participant: str
    n: int
    cites: list[Cite]
    read_sides: list[str]
    tally: dict[str, int]
    at: str | None
    ending: Ending | None


class ProposalCard(ItemCard):
    """`relation` is how it relates to the items `related`."""

    stances: dict[str, list[str]]
    before_edit: list[str]
    relation: str
    related: list[str]
    question: str | None
    echoes: str | None
    decision: str | None
    replaced_by: str | None
    settled_n: int | None
    because: Row | None


class Dissent(Answer):
    participant: str
    text: str | None
    n: int
    as_read: bool
    cites: list[Cite]


class OpenProposal(ProposalCard):
    """One that stands, with who is against it."""

    dissent: list[Dissent]


class DecisionCard(ItemCard):
    """`text` says what is decided, `basis` what it rests on, in words.

    `resolves` is the first of the proposals that it `settles`.
    """

    outcome: str
    at_from: str | None
    resolves: str | None
    settles: list[str]
    superseded_by: str | None
    supporters: list[str]
    dissenters: list[str]
    abstainers: list[str]
    dissent: list[Dissent]
    basis: str
    how: str
    rule: str | None
    confidence: int


class Replaced(Answer):
    """A decision that another took the place of, or, in force as it is, says in better words."""

    ref: str
    text: str
    status: str
    n: int
    at: str | None
    at_from: str | None


class Candidate(Answer):
    """What may be an item, and is counted nowhere; `why`: how often such a finding is right."""

    ref: str
    kind: str
    text: str
    participant: str
    n: int
    cites: list[Cite]
    basis: str
    why: str
    how: str
    rule: str | None
    confidence: int


class Awaited(Answer):
    """`what`: a ballot, an agreement to a vote, the floor."""

    participant: str
    what: str
    ref: str | None


class BriefIndex(Answer):
    """The Brief by handles of what the board lists; `replaced` by what stands instead."""

    sentence: str
    counts: dict[str, int]
    waiting: list[Awaited]
    decided: list[str]
    disputed: list[str]
    claimed: list[str]
    replaced: dict[str, list[Replaced]]
    open: list[str]
    votes: list[str]
    missed: list[str]
    candidates: list[Candidate]
    more: dict[str, int]


class DecidedCard(DecisionCard):
    replaces: list[Replaced]


class ActionRow(Answer):
    """What somebody said they, or `who`, would do; `known`: `who` takes part.

    `text` is the task, `words` the sentence; `done` the entry in which `who` says that it is done,
    `amid` what was spoken of just before a task of few words. `as_read`: a model reads it.
    """

    who: str | None
    known: bool
    by: str
    text: str
    words: str
    due: str | None
    n: int
    at: str | None
    at_from: str | None
    cites: list[Cite]
    rule: str
    decision: str | None
    done: int | None
    amid: list[str]
    as_read: bool


class BriefRow(Answer):
    """What was decided, what is open, who does what by when; lists newest first."""

    session: str
    n: int
    title: str | None
    goal: str | None
    closed: str | None
    sentence: str
    counts: dict[str, int]
    waiting: list[Awaited]
    decided: list[DecidedCard]
    disputed: list[DecidedCard]
    claimed: list[DecidedCard]
    open: list[OpenProposal]
    votes: list[VoteRow]
    missed: list[VoteRow]
    actions: list[ActionRow]
    candidates: list[Candidate]
    more: dict[str, int]


class LaneStand(Answer):
    on: str
    stance: str
    as_read: bool
    n: int
    text: str
    was: str | None
    was_n: int | None
    moved_by: str | None
    moved_n: int | None


class Lane(Answer):
    participant: str
    positions: list[LaneStand]


class FloorState(FloorNow):
    queue: list[str]


class Spender(Answer):
    participant: str
    tokens: int
    micros: int


class Spent(Answer):
    tokens: int
    micros: int
    by: list[Spender]


class EchoRow(Answer):
    ref: str
    n: int
    participant: str
    repeats: str
    repeats_n: int
    status: str
    settled_n: int | None
    similarity: int
    reoffered: bool


class GoalCard(Answer):
    """An episode; those of a goal follow it, one deeper. `result` is cut at 240 characters.

    `ended` counts the tasks that were closed, by how: memory lets go of what is done.
    """

    ref: str
    kind: str
    title: str
    status: str
    participant: str
    depth: int
    n: int
    closed_n: int | None
    result: str
    steps: int
    ended: dict[str, int]


class Board(Answer):
    """A memory for a page: lists newest first, 200 rows of each; `more` counts the rest.

    `apart` are handles of candidates, and of what was denied to be an item.
    """

    n: int
    seq: int
    title: str | None
    goal: str | None
    status: str
    closed: str | None
    participants: list[Person]
    brief: BriefIndex
    proposals: list[ProposalCard]
    decisions: list[DecisionCard]
    apart: list[str]
    lanes: list[Lane]
    summaries: list[SummaryRow]
    votes: list[VoteRow]
    goals: list[GoalCard]
    floor: FloorState
    usage: Spent
    circling: list[EchoRow]
    more: dict[str, int]


class Series(Answer):
    """A row at each of the primary entries `n`."""

    n: list[int]
    messages: list[int]
    proposals_open: list[int]
    decided: list[int]
    flips: list[int]
    tokens: list[int]
    micros: list[int]


class TimelineRow(Answer):
    """A mark is [n, kind, ref, participant, told], a stance [n, participant, on, stance].

    `told` are the words of what has no entry of its own: of a nudge, why it closed or somebody
    left, the role of who joined, the names of the settings that changed, another's other name.
    """

    n: int
    every: int
    series: Series
    marks: list[tuple[int, str, str, str, str]]
    stances: list[tuple[int, str, str, str]]
    thinned: bool


class InTheMaking(Answer):
    ready: Literal[False]
    done: int
