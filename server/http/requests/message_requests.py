"""Who says something here, under which id, and whether they may."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import Annotated, Any, Final, TypeVar, cast

import anyio
import orjson
from fastapi import Header, Request, Response
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import HTTPConnection

from parley.bus.contract.drafts import Draft, Receipt, new_id
from parley.bus.entries import Message
from parley.listeners.sessions.session import Session
from parley.listeners.sessions.turns import NotGranted
from parley.memory.arbitration.obstacles import Obstacle
from parley.memory.floor.seats import is_allowed
from parley.memory.state.lookup import target_refusal
from parley.memory.state.memory import Memory
from parley.server.http.identity.authorization import Caller
from parley.server.http.problems.problem_details import Problem
from parley.server.http.problems.problem_types import NOT_OF_THE_SESSION
from parley.server.http.problems.query_parameters import query_names
from parley.server.http.problems.validation_details import describe_expected, describe_unknown
from parley.server.http.state.dependencies import Dependencies
from parley.server.rows.entry_rows import receipt_row
from parley.server.services.publication import find_published

Model = TypeVar("Model", bound=BaseModel)

KEY: Final = r"^[!-~]{1,100}$"
ITEMS: Final = "PD"  # what a handle of a proposal or a decision begins with
ONCE: Final = "the same key again gives the same answer, and nothing is said twice"

IdempotencyKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", pattern=KEY, description=ONCE),
]


def entry_id(name: str, key: str | None = None) -> str:
    """The id of an entry of `name`: by its key the same again, else a new one."""
    whose = blake2b(name.encode(), digest_size=8).hexdigest()
    return f"http:{whose}:{key or new_id()}"


def check_act(caller: Caller, act: str | None) -> None:
    """Raises `Problem` `act-not-allowed` where the token lists acts, and not this one."""
    if not caller.may_use_act(act):
        raise Problem("act-not-allowed")


async def check_target(deps: Dependencies, session: str, memory: Memory, draft: Draft) -> None:
    """Raises as `target_refusal` tells, unless the message stands since its target was there.

    The log would take it, and nobody would hear that it was for nothing.
    """
    missing = target_refusal(memory, cast("Message", draft.entry))
    if missing is not None and await find_published(deps.backend.bus, session, draft) is None:
        raise missing


def moderator_name(memory: Memory, caller: Caller, named: str | None, needs: str) -> str | None:
    """In whose name something is done that takes the capability `needs`.

    None is an operator's own word, which is the server's, and needs none. Raises `Problem`
    `forbidden` where the session gives that name no such capability.
    """
    name = caller.name if named is None else caller.resolve_speaker(named)
    own = named is None and caller.operator
    if not (own and caller.role == "operator") and is_allowed(memory, name, needs):
        return name
    if own:
        return None
    raise Problem("forbidden", needs=needs, detail=NOT_OF_THE_SESSION)


async def speak_in_turn(
    deps: Dependencies, session: str, seat: Session, draft: Draft, seconds: float
) -> Receipt:
    """Has the seat say the message of `draft`, waiting at most `seconds` for its turn.

    One at a time, and what was said before is not said again: a request that is sent
    again while the first still waits is answered by the first. Raises as `Session.say` does.
    """
    turn, until = deps.seats.speech_lock(seat), anyio.current_time() + seconds
    try:
        turn.acquire_nowait()  # a free one is had even where `seconds` is 0
    except anyio.WouldBlock:
        try:
            with anyio.fail_after(seconds):
                await turn.acquire()
        except TimeoutError:
            own = Obstacle("bids", "another message of your own waits for the floor")
            raise NotGranted(seat.name, seconds, own) from None
    try:
        if (before := await find_published(deps.backend.bus, session, draft)) is not None:
            return before
        entry: Any = draft.entry
        receipt = await seat.publish_message(
            entry.content, act=entry.act, re=entry.re, to=entry.to, topic=entry.topic,
            at=entry.at, id=draft.id, wait=max(0.0, until - anyio.current_time()),
        )  # fmt: skip
    finally:
        turn.release()
    deps.channels.nudge(session)
    return receipt


async def publish_and_nudge(
    deps: Dependencies, session: str, drafts: Sequence[Draft]
) -> list[Receipt]:
    """Appends, and tells this process' own room, which need not wait for Redis to say so."""
    receipts = await deps.backend.bus.publish(session, drafts)
    deps.channels.nudge(session)
    return receipts


def receipt_response(receipt: Receipt, id: str) -> Response:
    """201, or 200 for what stood there before."""
    return json_response(receipt_row(receipt, id), 200 if receipt.duplicate else 201)


def json_response(tree: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(tree), status, media_type="application/json")


def check_content_type(request: HTTPConnection) -> None:
    """Raises `Problem` `media-type` for a body that is not sent as JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem("media-type")


async def read_body(request: Request, model: type[Model]) -> Model:
    """The body, read and checked in one step. Raises `Problem`, naming the field."""
    check_content_type(request)
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as refused:
        first = likeliest_error(refused)
        if first["type"] == "json_invalid":
            raise Problem("malformed") from None
        query = query_names(request.scope["route"])
        raise Problem("invalid", **validation_fault(model, first["loc"], first, query)) from None


def likeliest_error(refused: ValidationError) -> ErrorDetails:
    """The mistake to tell first: a misspelled name often is why another is missing."""
    errors = refused.errors(include_url=False)
    return next((error for error in errors if error["type"] == "extra_forbidden"), errors[0])


def validation_fault(
    model: type[BaseModel],
    loc: Sequence[int | str],
    error: ErrorDetails,
    query: Collection[str] = (),
) -> dict[str, Any]:
    """Where and what is wrong, in words of the model alone: never a key that was sent.

    But one of `query`, the parameters of the address.
    """
    own = [field.alias or name for name, field in model.model_fields.items()]
    if error["type"] == "extra_forbidden" and len(loc) == 1:
        unknown = str(loc[0])
        detail = describe_unknown(unknown, own, query)
        named = {"field": unknown} if unknown in query else {}
        return {"fault": error["type"], "detail": detail, **named}
    field = str(loc[0]) if loc and loc[0] in own else ""
    place = "".join(f".{step}" for step in loc[1:2] if field and isinstance(step, int))
    fault = {"fault": error["type"], "detail": describe_expected(error)}
    return {**fault, **({"field": field + place} if field else {})}
