"""Messages and entries: publish and read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel

from parley.bus.contract.drafts import Draft, Receipt, new_id
from parley.bus.contract.drafts import validate_entry as entry_made
from parley.bus.contract.errors import SessionNotFound
from parley.bus.entries import Message, Record
from parley.listeners.rooms.edits import draft_edit, find_edit
from parley.listeners.sessions.turns import Muted
from parley.memory.state.lookup import target_refusal
from parley.server.basics.entry_drafts import normalize_handle
from parley.server.http.bodies.request_bodies import EditBody, EntriesBody, MessageBody
from parley.server.http.bodies.session_responses import (
    EntryRow,
    MessageReceiptRow,
    Page,
    PublishedRow,
    ReceiptRow,
)
from parley.server.http.identity.authorization import Caller, Reader, Speaker
from parley.server.http.identity.credentials import charge_rate
from parley.server.http.identity.token_grants import (
    check_floor,
    check_message_authors,
    is_muted,
    may_be_note,
    needs_floor,
)
from parley.server.http.live.visible_entries import as_shown
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests.message_batches import draft_batch
from parley.server.http.requests.message_requests import (
    IdempotencyKey,
    check_act,
    check_target,
    entry_id,
    json_response,
    publish_and_nudge,
    read_body,
    receipt_response,
    speak_in_turn,
)
from parley.server.http.state.dependencies import (
    MAX_INTEGER,
    Dependencies,
    DependenciesOf,
    SessionId,
)
from parley.server.queries.message_search import holds
from parley.server.rows.entry_rows import log_row, receipt_row, receipt_rows
from parley.server.services.message_outcomes import MOST_SECONDS, read_outcome
from parley.server.services.publication import find_published

_MOST_ROWS: Final = 500
LOOKED: Final = 5_000  # entries that one request looks through
_OF_VOTES: Final = frozenset({"vote.initiated", "vote.confirmed", "ballot.cast"})

router = APIRouter(tags=["messages"])

Limit = Annotated[int, Query(ge=1, le=_MOST_ROWS, description="rows at most")]
Place = Annotated[int | None, Query(ge=0, le=MAX_INTEGER)]
N = Annotated[int, Path(ge=1, le=MAX_INTEGER, description="number of the message")]


def _body(model: type[BaseModel]) -> dict[str, Any]:
    """Says in the description what the route itself reads."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"content": {"application/json": {"schema": schema}}, "required": True}}


@router.post(
    "/v1/sessions/{session}/messages",
    status_code=201,
    openapi_extra=_body(MessageBody),
    responses={
        **problem_responses(
            "no-session", "no-item", "no-message", "closed", "conflict", "not-your-name",
            "act-not-allowed", "floor-required", "floor-not-granted", "floor-lost", "seat-taken",
            "refused", "busy",
        ),
        200: {"model": MessageReceiptRow, "description": "It stood there before"},
        201: {"model": MessageReceiptRow},
    },
)  # fmt: skip
async def post_message(
    request: Request, session: SessionId, caller: Speaker, deps: DependenciesOf,
    key: IdempotencyKey = None,
    wait: Annotated[
        int, Query(ge=0, le=25, description="seconds that an agent waits for the floor")
    ] = 20,
    outcome: Annotated[
        int, Query(ge=0, le=MOST_SECONDS, description="seconds to wait for what the message did")
    ] = 0,
) -> Response:  # fmt: skip
    """Say something. An agent under a floor says it through its seat, in its turn.

    With `outcome`, the receipt tells what the message did: which proposals and decisions it made
    and touched, what these still lack, and which earlier ones it says again. The message is in
    the log before that is asked.
    """
    body = await read_body(request, MessageBody)
    check_act(caller, body.act)
    name = caller.resolve_speaker(body.as_)
    on = normalize_handle(body.re) if isinstance(body.re, str) else body.re
    entry = entry_made(
        Message, participant=name, content=body.content, act=body.act, re=on,
        to=tuple(body.to), topic=body.topic, at=body.at,
    )  # fmt: skip
    draft = Draft(entry_id(name, key), entry)
    room = deps.channels.current(session)
    if entry.act is not None and (room is None or target_refusal(room.memory, entry)):  # it may lag
        await check_target(deps, session, await deps.backend.reader.current(session), draft)
    if caller.role == "agent" or may_be_note(caller, entry):
        memory = room.memory if room else await deps.backend.reader.current(session)
        check_message_authors(memory, caller, [entry])
        if needs_floor(memory, caller):
            receipt = await _in_turn(deps, session, caller, draft, wait)
            return await _receipt_with_outcome(deps, session, receipt, draft.id, outcome)
        if (
            is_muted(memory, caller)
            and await find_published(deps.backend.bus, session, draft) is None
        ):
            raise Muted(name)
    (receipt,) = await publish_and_nudge(deps, session, [draft])
    return await _receipt_with_outcome(deps, session, receipt, draft.id, outcome)


async def _receipt_with_outcome(
    deps: Dependencies, session: str, receipt: Receipt, id: str, seconds: int
) -> Response:
    """The receipt, with what the message did if `seconds` are waited for that."""
    if not seconds:
        return receipt_response(receipt, id)
    row = await read_outcome(deps.backend.reader, session, receipt.n, seconds)
    return json_response(
        {**receipt_row(receipt, id), **(row or {})}, 200 if receipt.duplicate else 201
    )


async def _in_turn(
    deps: Dependencies, session: str, caller: Caller, draft: Draft, wait: int
) -> Receipt:
    """Through the seat, which waits for the floor; what was said before is not said again."""
    if (before := await find_published(deps.backend.bus, session, draft)) is not None:
        return before
    seat = deps.seats.find(caller.name, session, "agent")
    if seat is None:
        raise Problem("floor-required")
    return await speak_in_turn(deps, session, seat, draft, wait)


@router.put(
    "/v1/sessions/{session}/messages/{n}",
    status_code=201,
    openapi_extra=_body(EditBody),
    responses={
        **problem_responses(
            "no-session", "no-message", "closed", "conflict", "not-your-name", "floor-required",
            "floor-not-granted", "refused", "busy",
        ),
        200: {"model": ReceiptRow, "description": "It stood there before"},
        201: {"model": ReceiptRow},
    },
)  # fmt: skip
async def edit_message(
    request: Request, session: SessionId, n: N, caller: Speaker, deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Response:  # fmt: skip
    """Say one's own last message in other words, or take it back; the log keeps both.

    Refused once a vote or a decision rests on it, and where one has spoken since.
    """
    body = await read_body(request, EditBody)
    name = caller.resolve_speaker(body.as_)
    memory = await deps.backend.reader.current(session)
    check_floor(memory, caller, "message.edited")
    edit, bus = entry_id(name, key), deps.backend.bus
    if key and (before := await find_edit(bus, session, edit, n, body.content)) is not None:
        return receipt_response(before, edit)
    entry = await draft_edit(bus, memory, session, name, n, body.content)
    (receipt,) = await publish_and_nudge(deps, session, [Draft(edit, entry)])
    return receipt_response(receipt, edit)


@router.post(
    "/v1/sessions/{session}/entries",
    status_code=201,
    openapi_extra=_body(EntriesBody),
    responses={
        **problem_responses(
            "no-session", "no-item", "no-message", "closed", "conflict", "not-your-name",
            "act-not-allowed", "floor-required", "floor-not-granted", "refused", "busy",
        ),
        201: {"model": PublishedRow},
    },
)  # fmt: skip
async def post_entries(
    request: Request,
    session: SessionId,
    caller: Speaker,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Response:
    """Publish up to 500 entries, in order. Where one is refused, none of them lands.

    A row's own `id` is what a later `re` may name; it and `Idempotency-Key` make a retry
    harmless.
    """
    body = await read_body(request, EntriesBody)
    charge_rate(deps, caller, "publish", len(body.entries) - 1)
    drafts = await draft_batch(deps, session, caller, body.entries, body.as_, key or new_id())
    receipts = await publish_and_nudge(deps, session, drafts)
    if any(draft.entry.kind in _OF_VOTES for draft in drafts):
        await deps.channels.keep_alive(session)
    return json_response({"receipts": receipt_rows(drafts, receipts)}, 201)


@router.get(
    "/v1/sessions/{session}/messages",
    responses={**problem_responses("no-session"), 200: {"model": Page[EntryRow]}},
)
async def list_messages(
    session: SessionId, caller: Reader, deps: DependenciesOf,
    first: Place = None,
    last: Place = None,
    after: Place = None,
    before: Place = None,
    by: Annotated[str | None, Query(min_length=1, max_length=128)] = None,
    words: Annotated[str | None, Query(min_length=1, max_length=500)] = None,
    others: Annotated[
        bool, Query(description="with the votes, ballots, work and notes numbered among them")
    ] = False,
    limit: Limit = 100,
) -> Response:  # fmt: skip
    """Messages by number, oldest first: of a closed range, after a number, or just before one.

    `next` is where to go on: as `after`, or as `before` where that was asked for. A search
    looks through some thousand entries a request, so that a page of it may be short, and
    finds messages alone.
    """
    low = max(1, first or 0, (after or 0) + 1)
    top = min(
        (await deps.backend.bus.info(session)).n,
        MAX_INTEGER if last is None else last,
        MAX_INTEGER if before is None else before - 1,
    )
    back = before is not None
    numbers = range(top, low - 1, -1) if back else range(low, top + 1)
    asked, looked = (words or "").split(), numbers
    rows = await deps.moments.find(session, numbers, asked, by, limit) if asked or by else None
    if rows is None:
        looked = numbers[:LOOKED]
        rows = await _look_through(deps, session, looked, asked, by, limit, others)
    end = rows[-1].n if len(rows) == limit else looked[-1] if looked else 0
    more = bool(numbers) and end != numbers[-1]
    records = sorted(rows, key=lambda record: record.n)
    return json_response(
        {"items": [as_shown(record) for record in records], "next": end if more else None}
    )


async def _look_through(
    deps: Dependencies, session: str, numbers: range, words: Sequence[str], by: str | None,
    limit: int, others: bool,
) -> list[Record]:  # fmt: skip
    """The first `limit` of them that are asked for, as the log has them."""
    every = others and not words and by is None
    rows: list[Record] = []
    async for record in _numbered(deps, session, numbers):
        if every or holds(record, words, by):
            rows.append(record)
            if len(rows) == limit:
                break
    return rows


async def _numbered(deps: Dependencies, session: str, numbers: range) -> AsyncIterator[Record]:
    """The primary entries `numbers`, in their order, as far as they are there."""
    for start in range(0, len(numbers), _MOST_ROWS):
        part = numbers[start : start + _MOST_ROWS]
        records = await deps.moments.records(session, part)
        for n in part:
            if (record := records.get(n)) is not None:
                yield record


@router.get(
    "/v1/sessions/{session}/messages/{n}",
    responses={**problem_responses("no-session", "no-message"), 200: {"model": EntryRow}},
)
async def get_message(session: SessionId, n: N, caller: Reader, deps: DependenciesOf) -> Response:
    """One message by its number."""
    if n <= (await deps.backend.bus.info(session)).n:
        async for record in _numbered(deps, session, range(n, n + 1)):
            if record.entry.kind == "message":
                return json_response(log_row(record))
    raise Problem("no-message")


@router.get(
    "/v1/sessions/{session}/entries",
    responses={**problem_responses("no-session"), 200: {"model": Page[EntryRow]}},
)
async def list_entries(
    session: SessionId, caller: Reader, deps: DependenciesOf,
    after: Annotated[int, Query(ge=0, le=MAX_INTEGER, description="seq")] = 0,
    limit: Limit = 100,
) -> Response:  # fmt: skip
    """Entries of every kind after a place in the log, in order; `next` is the next `after`.

    What a ballot chose is not among them: the vote's own row tells it where it may be told.
    """
    (log_stretch,) = await deps.backend.bus.read_many([(session, after)], count=limit)
    if log_stretch is None:
        raise SessionNotFound(session)
    return json_response(_page(log_stretch.records, log_stretch.head))


def _page(records: Iterable[Record], head: int) -> dict[str, Any]:
    rows = [as_shown(record) for record in records]
    end = rows[-1]["seq"] if rows else head
    return {"items": rows, "next": end if end < head else None}
