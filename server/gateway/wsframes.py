"""What clients send over a WebSocket, checked before anything is done with it."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter

from server.gateway.bodies import Body, Spoken
from server.gateway.doors import MOST

ENTRIES: Final = 500  # in one publish, as in a batch
Shown = Literal["messages", "floor", "other", "all"]
RefOf = Annotated[str, Field(min_length=1, max_length=128)]


class Subscribe(Body):
    """Hear the session from behind `after` on; without it, from now on. A second one replaces."""

    type: Literal["subscribe"]
    after: int | None = Field(None, ge=0, le=MOST, description="seq to begin behind")
    show: list[Shown] = Field(["all"], min_length=1, max_length=4)
    facts: bool = True
    incarnation: str | None = Field(None, max_length=64, description="of the log heard last")


class Unsubscribe(Body):
    """Hear no more; publishing goes on."""

    type: Literal["unsubscribe"]


class Publish(Spoken):
    """Entries as `POST …/entries` takes them; answered by `ack` or `nack` with the same ref."""

    type: Literal["publish"]
    ref: RefOf
    entries: list[dict[str, Any]] = Field(min_length=1, max_length=ENTRIES)


class Ping(Body):
    """Answered by `pong`."""

    type: Literal["ping"]


Sent = Annotated[Subscribe | Unsubscribe | Publish | Ping, Field(discriminator="type")]
SENT: Final[TypeAdapter[Subscribe | Unsubscribe | Publish | Ping]] = TypeAdapter(Sent)
