"""What clients send over a WebSocket, checked before anything is done with it."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from parley.server.http.bodies.request_bodies import Body, Cursor, Spoken
from parley.server.http.problems.problem_details import Problem
from parley.server.http.requests.message_requests import validation_fault

ENTRIES: Final = 500  # in one publish, as in a batch
Shown = Literal["messages", "floor", "other", "all"]
_REF_LENGTH: Final = 128
RefOf = Annotated[str, Field(min_length=1, max_length=_REF_LENGTH)]


class Subscribe(Body):
    """Hear the session from behind `after` on; without it, from now on. A second one replaces."""

    type: Literal["subscribe"]
    after: Cursor | None = Field(None, description="cursor or seq to begin behind")
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


Sent = Subscribe | Unsubscribe | Publish | Ping
_SENT: Final[TypeAdapter[Sent]] = TypeAdapter(Annotated[Sent, Field(discriminator="type")])
_BY_TYPE: Final[dict[str, type[Body]]] = {
    "subscribe": Subscribe, "unsubscribe": Unsubscribe, "publish": Publish, "ping": Ping,
}  # fmt: skip


def parse_client_message(tree: Any) -> Sent:
    """The frame that `tree` is. Raises `Problem` `invalid`, naming the field."""
    try:
        return _SENT.validate_python(tree)
    except ValidationError as refused:
        first = refused.errors(include_url=False)[0]
        kind, loc = first["type"], first["loc"]
        if not loc:  # it is of no type
            field = "type" if kind.startswith("union_tag") else None
            raise Problem("invalid", fault=kind, field=field) from None
        raise Problem(
            "invalid", **validation_fault(_BY_TYPE[str(loc[0])], loc[1:], first)
        ) from None


def read_ref(tree: Any) -> str | None:
    """The `ref` that a frame has, whatever else is wrong with it."""
    ref = tree.get("ref") if isinstance(tree, dict) else None
    return ref if isinstance(ref, str) and 1 <= len(ref) <= _REF_LENGTH else None
