"""What each tool takes. The descriptions are read by the agents that call them."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from parley.bus.entries import Act, Intent, Listens, VoteRule, VoteSeconds
from parley.memory.context.context import Profile
from parley.memory.context.parts import Part as ContextPart
from parley.memory.settings.presets import PRESETS
from parley.server.http.bodies.request_bodies import (
    Body,
    Choice,
    Cursor,
    Name,
    Number,
    Session,
    Short,
    Target,
    Urgency,
    Whole,
    Words,
)
from parley.server.http.requests.message_requests import KEY, ONCE

WAIT_SECONDS: Final = 25  # the longest wait: clients give up on a tool after a minute

Part = Literal["decisions", "proposals", "positions", "votes", "candidates", "all"]
Topic = Annotated[str, Field(max_length=500)]
Why = Annotated[str, Field(max_length=100_000)]
Seconds = Annotated[float, Field(ge=0, le=WAIT_SECONDS, allow_inf_nan=False)]
Proposal = Annotated[str, Field(pattern=r"^[Pp][1-9][0-9]{0,8}$")]
Item = Annotated[str, Field(pattern=r"^[PDEIVMpdeivm][1-9][0-9]{0,8}(\.[1-9][0-9]{0,2})?$")]


Key = Annotated[str, Field(pattern=KEY)]


def _key() -> Any:
    description = f"a word of your own for this call, where you may have to repeat it: {ONCE}"
    return Field(None, description=description)


def _wait() -> Any:
    return Field(20.0, description="seconds to wait for the floor, where an agent needs it")


class InSession(Body):
    session: Session = Field(description="id of the session")


class ListSessions(Body):
    status: Literal["open", "closed"] | None = Field(None, description="only those")
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class CreateSession(Body):
    session: Session = Field(description="id of the new session: letters, digits, '.', '_', '-'")
    title: Short | None = Field(None, description="what it is about, in a line")
    preset: Name | None = Field(
        None, description=f"a named starting point, one of: {', '.join(PRESETS)}"
    )
    goal: Short | None = Field(None, description="what is to come of it")


class JoinSession(InSession):
    description: Annotated[str, Field(max_length=4000)] = Field(
        "", description="who you are and what you bring, for the others to read"
    )
    interests: list[Name] = Field(
        default_factory=list, max_length=100, description="words that call for your attention"
    )
    listens: Listens = Field(
        "asked",
        description="evaluates: you bid or pass on each message, and auctions wait for that; "
        "asked: you answer when a nudge or a message names you; speaks: you say things, and "
        "nobody waits",
    )
    answer_seconds: Annotated[int, Field(ge=1, le=3600)] | None = Field(
        None, description="that you take to answer; the session does not end before they are over"
    )


class WaitForMessages(InSession):
    after: Cursor = Field(
        description="`cursor` of your last wait or of joining; what came later is given"
    )
    timeout: Seconds = Field(25.0, description="seconds to wait where nothing is there yet")
    include_own: bool = Field(False, description="also what you said yourself")


class Say(InSession):
    content: Words = Field(description="what you say, to everybody")
    act: Act | None = Field(None, description="what it does; left out, its words tell")
    re: Target | None = Field(
        None, description="what it answers: a handle (P3, D1) or the n of a message"
    )
    to: list[Name] = Field(
        default_factory=list, max_length=100, description="whom it is for; all can read it"
    )
    topic: Topic | None = Field(None, description="a few words that name what it is about")
    wait: Seconds = _wait()
    key: Key | None = _key()


class Propose(InSession):
    content: Words = Field(description="the proposal, whole: it can be decided as it stands")
    topic: Topic | None = Field(None, description="a few words that name it")
    wait: Seconds = _wait()
    key: Key | None = _key()


class React(InSession):
    ref: Target = Field(description="handle of the item (P3, D1), or n of its message")
    why: Why = Field("", description="your reason; say it, the others go by it")
    wait: Seconds = _wait()
    key: Key | None = _key()


class Decide(InSession):
    content: Words = Field(description="the decision in words")
    re: Proposal | None = Field(None, description="handle of the proposal that it adopts")
    wait: Seconds = _wait()
    key: Key | None = _key()


class Ballot(InSession):
    ref: Annotated[str, Field(pattern=r"^[Vv]?[1-9][0-9]{0,8}$")] = Field(
        description="handle of the vote, such as V1"
    )
    choice: Choice = Field(
        min_length=1, max_length=100,
        description="one option, or 'abstain'; in a ranked vote several, the best first",
    )  # fmt: skip
    why: Why = Field("", description="your reason, where you give one")
    key: Key | None = _key()


class Confirm(InSession):
    ref: Annotated[str, Field(pattern=r"^[Vv]?[1-9][0-9]{0,8}$")] = Field(
        description="handle of the vote, such as V1"
    )
    agreed: bool = Field(True, description="false: not now")
    key: Key | None = _key()


class CallVote(InSession):
    question: Words = Field(description="what is voted on, as a question")
    proposal: Proposal | None = Field(None, description="handle of the proposal it is on")
    options: list[Name] = Field(
        default_factory=list, max_length=50, description="left out: for and against"
    )
    rule: VoteRule | None = Field(
        None, description="how it is counted; ranked: ballots name several; left out: the session's"
    )
    secret: bool | None = Field(
        None, description="whether nobody is shown who chose what; left out: the session's"
    )
    seconds: VoteSeconds | None = Field(
        None, description="until it is counted; 86400 for people; left out: the session's"
    )
    key: Key | None = _key()


class ExtendVote(InSession):
    ref: Annotated[str, Field(pattern=r"^[Vv]?[1-9][0-9]{0,8}$")] = Field(
        description="handle of the vote, such as V1"
    )
    seconds: VoteSeconds = Field(description="more than it has")
    key: Key | None = _key()


class Bid(InSession):
    urgency: Urgency = Field(1, description="0 can wait, 3 the talk goes wrong without you")
    intent: Intent = Field("answer", description="what you would do with it")
    re: Target | None = Field(None, description="what you would answer")
    novelty: Annotated[str, Field(max_length=500)] = Field(
        "", description="what you would add that nobody said yet"
    )


class Pass(InSession):
    ready: bool = Field(False, description="you add nothing until something new is said")


class ReadMemory(InSession):
    part: Part = Field("all", description="what to read of it; all but the candidates")
    at: Whole | None = Field(None, description="as it stood after message n; left out: now")


class ReadBrief(InSession):
    at: Whole | None = Field(None, description="as it stood after message n; left out: now")


class GetContext(InSession):
    profile: Profile = Field("full", description="full, brief, raw or history")
    parts: list[ContextPart] = Field([], description="of full and brief; left out: all")
    budget: Annotated[int, Field(ge=200, le=32_000)] = Field(
        4_000, description="tokens that it may have"
    )
    at: Whole | None = Field(None, description="as it stood after message n; left out: now")


class Explain(InSession):
    ref: Item = Field(description="handle of the item: P3, D1, V2, E1, I4, M12")


class ReadMessages(InSession):
    first: Number = Field(description="n of the first message")
    last: Number = Field(description="n of the last; at most 100 are given")


class Leave(InSession):
    pass
