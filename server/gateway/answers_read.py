"""What reading routes answer. The rows of minutes are told in docs/protocol.md."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict

from server.gateway.answers import Answer, FloorNow, VoteRow

Row = dict[str, Any]
Cite = tuple[int, int, int]  # n, start, end: characters, half-open


class Rows(Answer):
    """A part of a list; `next` is the `after` of what comes then, null at its end."""

    items: list[Row]
    next: int | None


class Usage(Answer):
    """What the session spent. `purposes` are tokens; `budget` has null for no limit."""

    tokens: int
    micros: int
    calls: int
    failed: int
    held_tokens: int
    refused: int
    overrun: int
    purposes: dict[str, int]
    accounts: dict[str, dict[str, int]]
    budget: dict[str, int | None]


class BlockRow(Answer):
    name: str
    text: str
    size: int


class ChoiceRow(Answer):
    block: str
    what: str
    fate: str


class ContextRow(Answer):
    """`size` in tokens; `cites` are numbers of messages."""

    text: str
    blocks: list[BlockRow]
    size: int
    cites: list[int]
    dropped: dict[str, int]
    shortened: dict[str, int]
    choices: list[ChoiceRow]
    prefix_hash: str
    prefix_chars: int


class ChatRow(Answer):
    """What an assistant is told, as chat messages."""

    messages: list[Row]
    size: int
    dropped: dict[str, int]


class Explanation(Answer):
    """An item as minutes have it, with its evidence, its history and what covers it."""

    model_config = ConfigDict(frozen=True, extra="allow")

    handle: str
    words: list[Row]
    summaries: list[Row]
    context: list[Row]
    history: list[Row]


# -- the page --------------------------------------------------------------------------


class Person(Answer):
    name: str
    hue: int
    role: str | None
    present: bool
    messages: int
    muted: bool
    aliases: list[str]


class ProposalCard(Answer):
    ref: str
    status: str
    text: str
    topic: str
    participant: str
    n: int
    cites: list[Cite]
    stances: dict[str, list[str]]
    tally: dict[str, int]
    tentative: bool
    amends: str | None
    echoes: str | None
    settled_n: int | None
    because: Row | None


class Dissent(Answer):
    participant: str
    cites: list[Cite]


class DecisionCard(Answer):
    ref: str
    status: str
    topic: str
    outcome: str
    participant: str
    n: int
    cites: list[Cite]
    resolves: str | None
    superseded_by: str | None
    supporters: list[str]
    dissenters: list[str]
    dissent: list[Dissent]
    abstainers: list[str]
    tentative: bool
    how: str
    rule: str | None
    confidence: int


class ReadCard(Answer):
    """What a model alone reads in a message."""

    ref: str
    kind: str
    status: str
    topic: str
    participant: str
    n: int
    cites: list[Cite]


class Stand(Answer):
    on: str
    stance: str
    n: int
    text: str
    was: str | None
    was_n: int | None
    moved_by: str | None
    moved_n: int | None


class Lane(Answer):
    participant: str
    positions: list[Stand]


class SummaryRow(Answer):
    level: int
    first: int
    last: int
    how: str
    text: str


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
    """A memory for a page: lists newest first, 200 rows of each; `more` counts the rest."""

    n: int
    seq: int
    title: str | None
    goal: str | None
    status: str
    closed: str | None
    participants: list[Person]
    proposals: list[ProposalCard]
    decisions: list[DecisionCard]
    reading: list[ReadCard]
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
