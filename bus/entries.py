"""The wire contract: what may stand in a session's log.

Pure: no I/O, no clock, no Redis. `memory` imports this module and nothing
else of `bus`.

Every entry is a frozen pydantic model, told apart by `kind` and versioned by
`v`. Publishers validate with the models once, at the border; readers decode
with faster typed structs that `bus.wire` derives from the same models, so an
entry read from the log has the same attributes but not the same class:
dispatch on `entry.kind`, never on `isinstance`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal, get_args

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Act = Literal[
    "propose", "amend", "withdraw", "support", "oppose", "abstain", "accept",
    "reject", "decide", "ratify", "dispute", "ask", "inform",
]  # fmt: skip
ACTS: Final[tuple[str, ...]] = get_args(Act)

MAX_CONTENT_BYTES: Final = 1_048_576  # a pasted log fits; a pasted disk image does not

Name = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"\S")]
Content = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Ref = Annotated[
    str, StringConstraints(pattern=r"^([PD][1-9][0-9]{0,8}|M[1-9][0-9]{0,8}(\.[1-9][0-9]?)?)$")
]
EpisodeRef = Annotated[str, StringConstraints(pattern=r"^E[1-9][0-9]{0,8}$")]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    v: Literal[1] = 1
    at: str | None = None  # RFC 3339 as the publisher gave it; shown, never compared
    at_text: str | None = None  # the original, where it was not RFC 3339

    @model_validator(mode="before")
    @classmethod
    def _keep_odd_times_as_text(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("at") is not None:
            at = data["at"]
            if isinstance(at, datetime):
                at = at.isoformat()
            if not is_rfc3339(str(at)):
                data = {**data, "at": None, "at_text": data.get("at_text") or str(at)}
            else:
                data = {**data, "at": str(at)}
        return data


def is_rfc3339(text: str) -> bool:
    """True for a full date-time with an offset, such as 2026-01-31T09:30:00Z."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return "T" in text and moment.tzinfo is not None


# -- primary: what participants published ------------------------------------


class Message(_Entry):
    """Something said. `act`, `re` and `topic` are the speaker's own word for it."""

    kind: Literal["message"] = "message"
    participant: Name
    content: Content
    act: Act | None = None
    re: int | str | None = None  # the n of an entry, or a handle such as P3 or D2
    topic: str | None = None
    to: tuple[str, ...] = ()
    form: Literal["statement", "reasoning"] = "statement"


VoteRule = Literal["majority", "two_thirds", "unanimity", "consent", "ranked"]


class VoteInitiated(_Entry):
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


class VoteConfirmed(_Entry):
    """One participant's word that the vote may (or may not) be held now."""

    kind: Literal["vote.confirmed"] = "vote.confirmed"
    participant: Name
    agreed: bool = True
    re: int | str | None = None  # the n of the vote's initiation, or its handle


class BallotCast(_Entry):
    """One participant's ballot; the latest valid one counts while the vote is open.

    `choice` holds option ids: one, `abstain`, or of a ranked vote several, best
    first. What is none of them is an invalid ballot, kept as it was cast.
    """

    kind: Literal["ballot.cast"] = "ballot.cast"
    participant: Name
    re: int | str  # the n of the vote's initiation, or its handle
    choice: tuple[str, ...] = ()
    content: str = ""  # why, where somebody says so; of a ballot that did not parse, its text


class BallotCompleted(_Entry):
    """The outcome of a vote, as whoever held it counted it. Without consensus it settles nothing.

    With consensus, the proposal `re` is accepted and a decision ratified, with
    supporters and dissent on the record.
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


class ResultsFinal(_Entry):
    """What came of it for the participant `to` (everyone where empty). Never shortened."""

    kind: Literal["results.final"] = "results.final"
    participant: Name  # who announces it
    content: Content
    to: tuple[str, ...] = ()
    consensus: bool | None = None  # whether they came of one; None: it is not said
    earnings: int | str | None = None  # text where it is not a whole number
    counterfactuals: dict[str, int | str] = Field(default_factory=dict)  # had it been otherwise


class ToolCalled(_Entry):
    """A tool is being called, or would have been: memory may hold its result already."""

    kind: Literal["tool.called"] = "tool.called"
    participant: Name
    tool: Name
    call_id: Name
    arguments: dict[str, Any] = Field(default_factory=dict)
    version: str = ""  # of the tool; results of another version are other results


class ToolReturned(_Entry):
    """A tool's result. `ttl` exchanges it may be served again for; only read-only successes are."""

    kind: Literal["tool.returned"] = "tool.returned"
    participant: Name
    tool: Name
    call_id: Name
    content: str = ""
    ok: bool = True
    error: str | None = None  # the kind of failure, such as TimeoutError
    arguments: dict[str, Any] = Field(default_factory=dict)
    version: str = ""
    read_only: bool = False
    ttl: int | None = Field(default=None, ge=0)  # the session's `cache.ttl` when None
    episode: int | EpisodeRef | None = None  # n or handle of a goal or task; the current one


class ContextInjected(_Entry):
    """What `participant` was shown of its surroundings under `key`, such as a screen."""

    kind: Literal["context.injected"] = "context.injected"
    participant: Name
    key: Name
    content: Content


EpisodeKind = Literal["phase", "stage", "round", "exchange", "goal", "task"]
Ending = Literal["completed", "failed", "superseded", "abandoned"]
StepForm = Literal["reasoning", "tool_execution", "validation", "replanning"]


class EpisodeOpened(_Entry):
    """A stretch of the session that belongs together begins; its handle is E1, E2, …"""

    kind: Literal["episode.opened"] = "episode.opened"
    participant: Name
    episode: EpisodeKind
    title: Content
    parent: int | EpisodeRef | None = None  # n or handle; the innermost open one that can hold it
    after: tuple[int | EpisodeRef, ...] = ()  # episodes that must be completed before


class EpisodeClosed(_Entry):
    """It ends: the episode named, or the innermost open one."""

    kind: Literal["episode.closed"] = "episode.closed"
    participant: Name
    re: int | str | None = None  # n or handle
    episode: EpisodeKind | None = None  # the innermost of this kind
    status: Ending = "completed"
    result: str = ""  # what it came to


class Step(_Entry):
    """One step of somebody's work on a task."""

    kind: Literal["step"] = "step"
    participant: Name
    form: StepForm
    content: Content
    ok: bool = True
    discovered: dict[str, str] = Field(default_factory=dict)  # worth keeping when the task is over
    confidence: int | None = Field(default=None, ge=0, le=1000)  # per mille
    episode: int | EpisodeRef | None = None


class NoteWritten(_Entry):
    """A participant's notebook in its own words; replaces the revision at `base`."""

    kind: Literal["note.written"] = "note.written"
    participant: Name
    content: str
    base: int = Field(default=0, ge=0)  # n of the revision that was read; 0: none


class ItemCorrected(_Entry):
    """A person's word on an item; outranks every detector for good."""

    kind: Literal["item.corrected"] = "item.corrected"
    ref: Ref
    by: Name
    op: Literal["retract", "merge", "topic", "by"]
    value: str | None = None  # merge: the other handle; topic: its text; by: a name


# -- control: rules and incidents --------------------------------------------


@dataclass(frozen=True, slots=True)
class PackRef:
    """A pattern pack in force: shipped ones by name and hash, others in full."""

    name: str
    hash: str
    pack: dict[str, Any] | None = None


class SessionOpened(_Entry):
    """Always entry 1: the settings and packs that shape the fold.

    `counter` says what the opener counted tokens with, where it says so. It
    decides nothing: the counter belongs to the fold version, as code does.
    """

    kind: Literal["session.opened"] = "session.opened"
    settings: dict[str, Any] = Field(default_factory=dict)
    packs: tuple[PackRef, ...] = ()
    counter: str | None = None
    title: str | None = None


class SessionClosed(_Entry):
    """The last entry: why it ended, by whose word or which stop rule, and what it came to."""

    kind: Literal["session.closed"] = "session.closed"
    reason: str = "closed"
    by: str | None = None
    rule: str | None = None  # the stop rule that held, such as turns:60
    totals: dict[str, int] = Field(default_factory=dict)  # messages, turns, tokens, micros, …


class SessionForked(_Entry):
    """The last entry of a fork's prefix: where the rest of it was left behind."""

    kind: Literal["session.forked"] = "session.forked"
    session: str
    n: int


class SettingsChanged(_Entry):
    """A partial settings tree, merged into the one in force; packs replace packs."""

    kind: Literal["settings.changed"] = "settings.changed"
    settings: dict[str, Any] = Field(default_factory=dict)
    packs: tuple[PackRef, ...] | None = None
    by: str | None = None


class ParticipantAliased(_Entry):
    """From here on `alias` is another name of `participant`; earlier entries too."""

    kind: Literal["participant.aliased"] = "participant.aliased"
    alias: Name
    participant: Name
    by: str | None = None


Role = Literal["agent", "person", "observer"]


class ParticipantJoined(_Entry):
    """A participant takes its seat, or takes it again. Who speaks without joining is a person.

    `seat` names the process that speaks for it: of two, the newer one does.
    """

    kind: Literal["participant.joined"] = "participant.joined"
    participant: Name
    role: Role = "person"
    seat: str = ""
    description: str = ""  # when it should speak
    interests: tuple[str, ...] = ()
    may: tuple[str, ...] | None = None  # acts and capabilities; None: every act, no capability
    weight: int = Field(default=1, ge=0, le=1_000_000)  # of its ballots
    reactivity: int = Field(default=0, ge=0, le=1000)  # per mille of one degree of urgency
    cooldown: int | None = Field(default=None, ge=0)  # turns of others between two of its own
    turns: int | None = Field(default=None, ge=0)  # its budget; None: the session's alone
    tokens: int | None = Field(default=None, ge=0)
    micros: int | None = Field(default=None, ge=0)


class ParticipantLeft(_Entry):
    kind: Literal["participant.left"] = "participant.left"
    participant: Name
    seat: str = ""
    reason: str = ""


Intent = Literal["answer", "propose", "amend", "support", "oppose", "ask", "decide", "vote"]


class FloorBid(_Entry):
    """A listener asks for the floor, having heard entry `heard`. Void unless `epoch` is current."""

    kind: Literal["floor.bid"] = "floor.bid"
    participant: Name
    epoch: int = Field(ge=0)
    heard: int = Field(default=0, ge=0)  # n
    urgency: int = Field(default=1, ge=0, le=3)
    intent: Intent = "answer"
    re: int | str | None = None  # what it answers: n or handle
    novelty: str = ""  # what it would add, in a few words
    reason: str = ""
    how: Literal["self", "panel", "rules", "addressed", "person"] = "self"


class FloorPassed(_Entry):
    """A listener has nothing to add now; `ready`: nothing at all, until it speaks again.

    `failed`: nobody knows, because its model did not answer.
    """

    kind: Literal["floor.passed"] = "floor.passed"
    participant: Name
    epoch: int = Field(ge=0)
    heard: int = Field(default=0, ge=0)
    ready: bool = False
    failed: bool = False
    reason: str = ""
    how: Literal["self", "panel", "rules", "person"] = "self"


class FloorGranted(_Entry):
    """`participant` holds the floor in `epoch`, the one after the current; only one such lands."""

    kind: Literal["floor.granted"] = "floor.granted"
    participant: Name
    epoch: int = Field(ge=1)
    lease_ms: int = Field(default=90_000, ge=1)
    by: str | None = None  # a moderator's word; None: the policy's
    score: dict[str, int] = Field(default_factory=dict)  # what spoke for it
    reason: str = ""


Release = Literal["spoke", "silent", "failed", "expired", "interrupted", "revoked", "budget"]


class FloorReleased(_Entry):
    """The floor is free: `epoch`, the one after the current, begins."""

    kind: Literal["floor.released"] = "floor.released"
    participant: Name  # who held it
    epoch: int = Field(ge=1)
    reason: Release = "spoke"
    by: str | None = None


class FloorNudged(_Entry):
    """Somebody is asked to speak, or (`warning`) told where the talk stands."""

    kind: Literal["floor.nudged"] = "floor.nudged"
    participant: str = ""  # whom; "": everyone
    warning: Literal["quiet", "hops", "circling"] = "quiet"
    re: int | str | None = None  # circling: the proposal that comes back
    earlier: str = ""  # circling: the handle of what it repeats
    content: str = ""


class FloorPaused(_Entry):
    """No agent is given the floor until it is resumed; of `hops`, until a person speaks."""

    kind: Literal["floor.paused"] = "floor.paused"
    reason: str = "moderator"
    by: str | None = None


class FloorResumed(_Entry):
    kind: Literal["floor.resumed"] = "floor.resumed"
    by: str | None = None


class FloorMuted(_Entry):
    """`participant` is not given the floor, or (`muted` false) is again."""

    kind: Literal["floor.muted"] = "floor.muted"
    participant: Name
    muted: bool = True
    by: str | None = None


Purpose = Literal[
    "evaluate", "draft", "ballot", "grant", "summary", "note", "condense", "extract", "embed",
    "other",
]  # fmt: skip


class SpendReserved(_Entry):
    """The most that a model call may cost, before it is made; the fold grants or refuses it."""

    kind: Literal["spend.reserved"] = "spend.reserved"
    participant: Name  # on whose account
    call: Name  # its id
    purpose: Purpose
    tokens: int = Field(ge=0)
    micros: int = Field(default=0, ge=0)  # millionths of the currency
    model: str = ""


class SpendSettled(_Entry):
    """What the call came to; the rest of its reservation is free again."""

    kind: Literal["spend.settled"] = "spend.settled"
    participant: Name
    call: Name
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)  # of the input, as the provider says
    micros: int = Field(default=0, ge=0)
    outcome: Literal["used", "passed", "discarded", "failed", "lost"] = "used"


class MemoryCompacted(_Entry):
    """An operator's wish that memory shrink to its caps' targets now."""

    kind: Literal["memory.compacted"] = "memory.compacted"
    by: str | None = None


class EntrySetAside(_Entry):
    """Entry `seq` kills whoever folds it; every fold skips it."""

    kind: Literal["entry.set_aside"] = "entry.set_aside"
    seq: int
    reason: str
    epoch: int = Field(default=0, ge=0)  # of the floor, that the entry began: the log goes on in it


class EntryRedacted(_Entry):
    """The content of primary entry `redacted` was taken out of the log, for good."""

    kind: Literal["entry.redacted"] = "entry.redacted"
    redacted: int = Field(ge=1)  # its n
    reason: str
    by: str | None = None


# -- derived: what effects produced ------------------------------------------


class SummaryMade(_Entry):
    """The summary of messages `first`..`last` (closed, in n) at `level`."""

    kind: Literal["summary.made"] = "summary.made"
    level: int = Field(ge=0)
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    how: Literal["extract", "model"]
    text: str
    model: str | None = None
    was: int = Field(default=0, ge=0)  # tokens of the messages that it covers


Part = Literal["answer", "result", "episode", "running"]


class TextCondensed(_Entry):
    """A model's shorter form of what memory holds of entry `of`; "" of a redacted one."""

    kind: Literal["text.condensed"] = "text.condensed"
    part: Part
    of: int = Field(ge=1)  # n
    text: str
    model: str | None = None


class SimilarityFound(_Entry):
    """Which earlier proposal an embedding finds most like `ref`; none where it is not alike enough.

    `similarity` is that of the most alike, whether or not it was enough.
    """

    kind: Literal["similarity.found"] = "similarity.found"
    ref: Ref
    of: int = Field(ge=1)  # n of the entry that `ref` was born at
    earlier: Ref | None = None
    similarity: int = Field(default=0, ge=0, le=1000)  # per mille
    how: Literal["embedding"] = "embedding"
    model: str = ""


Label = Literal["proposal", "decision", "support", "oppose", "neutral"]
Doubt = Literal["question", "report", "irony", "hypothesis", "procedure", "repeat", "other"]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a model says that `content[start:end]` of message `n` is; `quote` are those words.

    A stance is on `target`: a handle, or the n of the message that proposed or decided.
    The fields are in order: parts of an entry are written as they stand.
    """

    confidence: int  # per mille
    end: int
    label: Label
    n: int
    quote: str
    start: int
    target: int | str | None = None


@dataclass(frozen=True, slots=True)
class Retraction:
    """What a model says is no proposal, or no decision, and what it is instead."""

    reason: Doubt
    ref: str


class ItemsExtracted(_Entry):
    """What a model read out of messages `first`..`last` (closed, in n), shown from `lead` on.

    `dropped` counts, by reason, what it said and could not show; the numbers of
    tokens are those of all its calls.
    """

    kind: Literal["items.extracted"] = "items.extracted"
    lead: int = Field(ge=1)
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    claims: tuple[Claim, ...] = ()
    confirmed: tuple[str, ...] = ()  # handles of what it agrees with
    retracted: tuple[Retraction, ...] = ()
    dropped: dict[str, int] = Field(default_factory=dict)
    model: str | None = None
    calls: int = Field(default=1, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)


class NoteRevised(_Entry):
    """A participant's notebook, rewritten in the light of everything up to entry `cause`."""

    kind: Literal["note.revised"] = "note.revised"
    participant: Name
    cause: int = Field(ge=1)  # n
    base: int = Field(default=0, ge=0)  # n of the revision it was built on; 0: none
    text: str
    why: str = ""
    model: str | None = None
    attempts: int = Field(default=1, ge=1)
    clipped: bool = False  # the last answer was too long, and was cut


class NoteRefused(_Entry):
    """No answer fitted the limit: the notebook stays as it was."""

    kind: Literal["note.refused"] = "note.refused"
    participant: Name
    cause: int = Field(ge=1)
    base: int = Field(default=0, ge=0)
    attempts: int = Field(ge=1)
    sizes: tuple[int, ...] = ()  # of the answers, in characters
    limit: int = Field(ge=0)
    aborted: bool = False  # the session is closed for it


class LessonImported(_Entry):
    """What another session learnt, with its provenance."""

    kind: Literal["lesson.imported"] = "lesson.imported"
    session: str  # where it was learnt
    ref: str  # the item there: D2, or I4 of an insight
    n: int = Field(ge=0)  # of the entry there that shows it
    text: Content
    topic: str = ""
    standing: str = ""  # such as "ratified +3 -1 ~0"
    weight: int = 0
    by: str | None = None


Entry = Annotated[
    Message
    | VoteInitiated
    | VoteConfirmed
    | BallotCast
    | BallotCompleted
    | ResultsFinal
    | ToolCalled
    | ToolReturned
    | ContextInjected
    | EpisodeOpened
    | EpisodeClosed
    | Step
    | NoteWritten
    | ItemCorrected
    | SessionOpened
    | SessionClosed
    | SessionForked
    | SettingsChanged
    | ParticipantAliased
    | ParticipantJoined
    | ParticipantLeft
    | FloorBid
    | FloorPassed
    | FloorGranted
    | FloorReleased
    | FloorNudged
    | FloorPaused
    | FloorResumed
    | FloorMuted
    | SpendReserved
    | SpendSettled
    | MemoryCompacted
    | EntrySetAside
    | EntryRedacted
    | SummaryMade
    | TextCondensed
    | SimilarityFound
    | ItemsExtracted
    | NoteRevised
    | NoteRefused
    | LessonImported,
    Field(discriminator="kind"),
]

KINDS: Final[dict[str, type[_Entry]]] = {
    model.model_fields["kind"].default: model for model in get_args(get_args(Entry)[0])
}

PRIMARY: Final = frozenset({
    "message", "vote.initiated", "vote.confirmed", "ballot.cast", "ballot.completed",
    "results.final", "tool.called", "tool.returned", "context.injected", "episode.opened",
    "episode.closed", "step", "note.written", "item.corrected",
})  # fmt: skip
EPOCHS: Final = frozenset({"floor.granted", "floor.released"})  # each begins the next epoch
DERIVED: Final = frozenset({
    "summary.made", "text.condensed", "note.revised", "note.refused", "items.extracted",
    "lesson.imported", "similarity.found",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unknown:
    """An entry of a kind (or a shape) this version cannot read: kept, skipped, counted."""

    kind: str
    raw: bytes


class Record(Struct, frozen=True, gc=False):
    """An entry where it stands in the log.

    `seq` numbers every entry from 1; `n` is the number of primary entries up to
    and including this one. `id` is the publisher's; `received_ms` is Redis' time.
    """

    seq: int
    n: int
    id: str
    received_ms: int
    entry: Entry | Unknown

    @property
    def identity(self) -> str:
        """What tells this entry from another that took its place after a lost suffix."""
        return f"{self.seq}-{self.n} {self.received_ms} {self.id}"
