"""The script of a scenario: what everyone says when no model is asked."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from parley.bus.entries import Act, Content, Name

Handle = Annotated[str, StringConstraints(pattern=r"^[PDV][1-9][0-9]{0,8}$")]


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Line(_Group):
    """One turn, bid for once the talk has come far enough."""

    say: Content
    act: Act | None = Field(None, description="what the message does, told by a tag in front")
    re: Handle | None = Field(None, description="the proposal or decision that it is about")
    after: int = Field(0, ge=0, description="the entry (its n) that must have been heard before")
    when: tuple[Name, ...] = Field(
        (), description="texts that the speaker's context must hold; handles that it must list"
    )
    unless: tuple[Name, ...] = Field(
        (), description="texts that it must not hold; handles that it must not list"
    )
    urgency: int = Field(1, ge=0, le=3, description="how much it wants to be said")
    call_vote: bool = Field(False, description="the message calls for a vote on `re`")


class Lines(_Group):
    """What one participant says, in order, and how it votes.

    A ballot is looked up by the first key that stands in the question, such as
    a proposal's handle; `any` is the one for every other question.
    """

    turns: tuple[Line, ...] = ()
    votes: dict[Name, tuple[Name, ...] | Name] = Field(
        default_factory=dict, description="option, or options best first, by what is voted on"
    )
    why: str = Field("", max_length=500, description="said with each ballot")
