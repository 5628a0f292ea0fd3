"""What requests carry."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from parley.bus.entries import (
    Act,
    Ending,
    EpisodeKind,
    Intent,
    Listens,
    StepForm,
    VoteRule,
    VoteSeconds,
)
from parley.server.http.bodies.strict_json import check_exact_numbers, check_settings_size
from parley.server.http.live.cursors import CURSOR_PATTERN
from parley.server.http.state.dependencies import MAX_INTEGER, SESSION_PATTERN

Whole = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
Number = Annotated[int, Field(ge=1, le=MAX_INTEGER)]
Name = Annotated[str, Field(min_length=1, max_length=128, pattern=r"\S")]
Choice = Annotated[  # of a ballot: an option, or several
    list[Name],
    BeforeValidator(
        lambda given: [given] if isinstance(given, str) else given,
        json_schema_input_type=list[Name] | Name,
    ),
]
Cursor = Annotated[str, Field(pattern=CURSOR_PATTERN)] | Whole
Words = Annotated[str, Field(min_length=1, max_length=1_048_576, pattern=r"\S")]
Short = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]
Session = Annotated[str, Field(pattern=SESSION_PATTERN)]
Target = Annotated[str, Field(min_length=1, max_length=128)] | Number  # a handle, an id, an n
Episode = Annotated[str, Field(pattern=r"^[Ee]?[1-9][0-9]{0,8}$")]
Permille = Annotated[int, Field(ge=0, le=1000)]
Tree = Annotated[
    dict[str, Any], AfterValidator(check_exact_numbers)
]  # what somebody else gives meaning to
SettingsTree = Annotated[Tree, AfterValidator(check_settings_size)]


class Body(BaseModel):
    """Nothing is converted, and nothing is taken that is not asked for."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Spoken(Body):
    """What is recorded in somebody's name; `as` is an operator's way to give one."""

    as_: Name | None = Field(None, alias="as", description="in whose name; of an operator")


# -- talk ------------------------------------------------------------------------------


class MessageBody(Spoken):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"content": "I propose a light at the pier.", "to": []}]}
    )

    content: Words
    act: Act | None = None
    re: Target | None = Field(None, description="n or id of an entry, or a handle such as P3")
    to: list[Name] = Field(default_factory=list, max_length=100)
    topic: Annotated[str, Field(max_length=500)] | None = None
    at: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="when it was said, RFC 3339; shown, never compared"
    )


class EditBody(Spoken):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"content": "I propose two lights at the pier."}]}
    )

    content: Annotated[str, Field(max_length=1_048_576)] = Field(
        description="its words from here on; none: it is taken back"
    )


class EntriesBody(Spoken):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"entries": [{"id": "a", "content": "A light?"}, {"content": "Yes.", "re": "a"}]}
            ]
        }
    )

    entries: list[dict[str, Any]] = Field(min_length=1, max_length=500)  # checked one by one


class CorrectionBody(Spoken):
    ref: Annotated[str, Field(pattern=r"^[PDMpdm][1-9][0-9]{0,8}(\.[1-9][0-9]?)?$")]
    op: Literal["retract", "confirm", "merge", "topic", "by"]
    value: Short | None = None


class AliasBody(Spoken):
    alias: Name
    participant: Name


class RedactionBody(Body):
    n: Number
    reason: Short
    renumber: bool = False
    preview: bool = False


# -- sessions --------------------------------------------------------------------------


class SessionBody(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"session": "harbour", "title": "The harbour"}]}
    )

    session: Session
    title: Short | None = None
    preset: Name | None = None
    settings: SettingsTree = Field(
        default_factory=dict, description="a partial tree of its settings"
    )
    scenario: Name | None = Field(None, description="name of a bundled one")
    run: Literal["no", "script", "model"] = "no"


class CloseBody(Spoken):
    reason: Short = "closed"


class ForkBody(Body):
    session: Session
    at: Whole | None = Field(None, description="the last primary entry taken over")


class RunBody(Body):
    scenario: Name
    offline: bool = False


# -- votes -----------------------------------------------------------------------------


class VoteBody(Spoken):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"question": "Adopt it?", "proposal": "P1"}]}
    )

    question: Words
    proposal: Annotated[str, Field(pattern=r"^[Pp][1-9][0-9]{0,8}$")] | None = None
    options: list[Name] = Field(default_factory=list, max_length=100)
    rule: VoteRule | None = None
    secret: bool | None = None
    quorum: Permille | None = None
    window: Number | None = None
    seconds: VoteSeconds | None = Field(
        None, description="until it is counted with what is there; absent: `vote.seconds`"
    )


class ExtendBody(Spoken):
    seconds: VoteSeconds = Field(description="more than it has")


class ConfirmBody(Spoken):
    agreed: bool = True


class BallotBody(Spoken):
    choice: Choice = Field(min_length=1, max_length=100)
    why: Annotated[str, Field(max_length=100_000)] = ""


# -- the floor -------------------------------------------------------------------------


def _check_urgency(urgency: int) -> int:
    """Refuses with both ends: of bounds pydantic tells the one that was passed."""
    if not 0 <= urgency <= 3:
        raise PydanticCustomError("out_of_range", "Input should be 0 to 3")
    return urgency


Urgency = Annotated[
    int, AfterValidator(_check_urgency), Field(json_schema_extra={"minimum": 0, "maximum": 3})
]


class BidBody(Body):
    urgency: Urgency = 1
    intent: Intent = "answer"
    re: Target | None = None
    novelty: Annotated[str, Field(max_length=500)] = ""


class PassBody(Body):
    ready: bool = False
    reason: Annotated[str, Field(max_length=500)] = ""


class FloorBody(Spoken):
    participant: Name = Field(description="whom it is about")


class PhaseBody(Spoken):
    title: Short


class SeatBody(Body):
    description: Annotated[str, Field(max_length=4000)] = ""
    interests: list[Name] = Field(default_factory=list, max_length=100)
    listens: Listens = Field(
        "speaks",
        description="evaluates: you bid or pass on each message, and auctions wait for that; "
        "asked: you answer when a nudge or a message names you; speaks: you say things, and "
        "nobody waits",
    )
    answer_seconds: Annotated[int, Field(ge=1, le=3600)] | None = Field(
        None, description="that you take to answer; the session does not end before they are over"
    )


# -- notes, work, tools, rules ---------------------------------------------------------


class NoteBody(Body):
    text: Annotated[str, Field(max_length=1_048_576)]
    base: Whole | None = Field(None, description="n of the revision that was read; 0: none")


class GoalBody(Spoken):
    title: Short
    parent: Episode | None = None
    after: list[Episode] = Field(default_factory=list, max_length=100)


class EpisodeBody(GoalBody):
    kind: EpisodeKind


class EndBody(Spoken):
    status: Ending = "completed"
    result: Annotated[str, Field(max_length=100_000)] = ""


class StepBody(Spoken):
    form: StepForm
    content: Words
    ok: bool = True
    of: Episode | None = Field(None, description="its goal or task; your newest")
    discovered: dict[Name, Short] = Field(default_factory=dict, max_length=100)
    confidence: Permille | None = None


class LookupBody(Spoken):
    tool: Name
    arguments: Tree = Field(default_factory=dict)
    version: Annotated[str, Field(max_length=128)] = ""


class CallBody(LookupBody):
    wait: Annotated[int, Field(ge=0, le=25)] = Field(
        20, description="seconds for another's call under way"
    )


class FetchedBody(Body):
    """What was fetched for a screen before anybody asked for it."""

    tool: Name
    arguments: Tree = Field(default_factory=dict)
    version: Annotated[str, Field(max_length=128)] = ""
    result: Annotated[str, Field(max_length=1_048_576)]
    ttl: Whole | None = None


class ScreenBody(Spoken):
    screen: Name = Field(description="which screen: the same content on it is noted once")
    content: Words
    results: Annotated[list[FetchedBody], Field(max_length=16)] = Field(default_factory=list)


class ShownBody(Body):
    content: Words


class ResultBody(LookupBody):
    result: Annotated[str, Field(max_length=1_048_576)]
    ttl: Whole | None = None
    error: Name | None = None
    call_id: Name | None = None
    read_only: bool = True
    of: Episode | None = None


class SettingsBody(Body):
    settings: SettingsTree = Field(default_factory=dict)
    repack: bool = Field(False, description="put the pattern packs of this server in force")


class LessonsBody(Body):
    source: Session = Field(alias="from", description="the session that teaches")
    top: Annotated[int, Field(ge=1, le=500)] | None = None
    dry_run: bool = False
