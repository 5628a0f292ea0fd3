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
Ref = Annotated[str, StringConstraints(pattern=r"^[PD][1-9][0-9]{0,8}$")]


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
    """Always entry 1: the settings, packs and counter that shape the fold."""

    kind: Literal["session.opened"] = "session.opened"
    settings: dict[str, Any] = Field(default_factory=dict)
    packs: tuple[PackRef, ...] = ()
    counter: str = "chars@1"
    title: str | None = None


class SessionClosed(_Entry):
    kind: Literal["session.closed"] = "session.closed"
    reason: str = "closed"
    by: str | None = None


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


class MemoryCompacted(_Entry):
    """An operator's wish that memory shrink to its caps' targets now."""

    kind: Literal["memory.compacted"] = "memory.compacted"
    by: str | None = None


class EntrySetAside(_Entry):
    """Entry `seq` kills whoever folds it; every fold skips it."""

    kind: Literal["entry.set_aside"] = "entry.set_aside"
    seq: int
    reason: str


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


Entry = Annotated[
    Message
    | ItemCorrected
    | SessionOpened
    | SessionClosed
    | SessionForked
    | SettingsChanged
    | ParticipantAliased
    | MemoryCompacted
    | EntrySetAside
    | SummaryMade,
    Field(discriminator="kind"),
]

KINDS: Final[dict[str, type[_Entry]]] = {
    model.model_fields["kind"].default: model for model in get_args(get_args(Entry)[0])
}

PRIMARY: Final = frozenset({
    "message", "vote.initiated", "vote.confirmed", "ballot.cast", "ballot.completed",
    "results.final", "tool.called", "tool.returned", "episode.opened",
    "episode.closed", "step", "item.corrected",
})  # fmt: skip
DERIVED: Final = frozenset({
    "summary.made", "note.revised", "note.refused", "items.extracted", "lesson.imported",
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
