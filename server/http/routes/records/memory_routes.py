"""Memory: whole, by layer, decisions, proposals, positions, summaries, statistics, usage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response

from parley.memory.extraction.structure.shelves import Shelf
from parley.memory.fold import canonical_bytes
from parley.memory.ledger.ledger_rows import LedgerItem
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.memory import Memory
from parley.memory.statistics.statistics import count_table
from parley.server.http.bodies.memory_responses import Row, SummaryRow, Usage
from parley.server.http.bodies.row_models import page_model
from parley.server.http.bodies.session_responses import Page
from parley.server.http.identity.authorization import Operator, Reader
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests.memory_reads import At, read_memory
from parley.server.http.requests.message_requests import json_response
from parley.server.http.state.dependencies import (
    MAX_INTEGER,
    Dependencies,
    DependenciesOf,
    SessionId,
)
from parley.server.queries.session_stats import measure_session
from parley.server.render.memory_layers import find_layer
from parley.server.rows.cite_rows import RecordsByNumber
from parley.server.rows.digest_rows import participant_row, summary_rows
from parley.server.rows.item_rows import decision_row, item_entries, proposal_row
from parley.server.rows.item_shapes import (
    DecisionRow,
    ParticipantStands,
    ProposalRow,
)
from parley.server.rows.position_rows import Positions

router = APIRouter(tags=["memory"])

LayerName = Literal[
    "conversation", "session", "execution", "notebooks", "history", "exchanges", "tools",
    "episodes", "insights", "lessons", "ledger",
]  # fmt: skip
Offered = Literal[
    "active", "accepted", "adopted", "rejected", "withdrawn", "modified", "lapsed", "put_off"
]
Decided = Literal[
    "claimed", "ratified", "disputed", "superseded", "accepted", "rejected", "put_off",
    "withdrawn", "modified",
]  # fmt: skip
OnShelf = Annotated[
    Shelf,
    Query(description="firm; candidates, which are counted nowhere; what was denied to be one"),
]
After = Annotated[int, Query(ge=0, le=MAX_INTEGER, description="`next` of the part before")]
Limit = Annotated[int, Query(ge=1, le=500, description="rows at most")]

_PAST = problem_responses("no-session", "not-yet")


@router.get("/v1/sessions/{session}/memory", responses={**_PAST, 200: {"model": Row}})
async def get_memory(
    session: SessionId, caller: Operator, deps: DependenciesOf, at: At = None
) -> Response:
    """The canonical bytes: the same memory is the same bytes, whoever folded it.

    All of it, so notebooks and secret ballots as well.
    """
    data = canonical_bytes.dump(await read_memory(deps, session, at))
    return Response(data, media_type="application/json")


@router.get("/v1/sessions/{session}/memory/{layer}", responses={**_PAST, 200: {"model": Row}})
async def get_layer(
    session: SessionId, layer_name: Annotated[LayerName, Path(alias="layer")],
    caller: Reader, deps: DependenciesOf, at: At = None,
) -> Response:  # fmt: skip
    """One layer of memory; everybody's notebooks are for the operator."""
    if layer_name == "notebooks" and not caller.operator:
        raise Problem("forbidden", needs="operator")
    return json_response(find_layer(layer_name).tree(await read_memory(deps, session, at)))


@router.get(
    "/v1/sessions/{session}/decisions",
    responses={**_PAST, 200: {"model": page_model(DecisionRow)}},
)
async def list_decisions(
    session: SessionId, caller: Reader, deps: DependenciesOf,
    at: At = None, status: Decided | None = None, shelf: OnShelf = "firm",
    after: After = 0, limit: Limit = 100,
) -> Response:  # fmt: skip
    """Decisions with their supporters, their dissent and their evidence, the oldest first.

    Those that only a model reads are among them, with `as_read` true.
    """
    memory = await read_memory(deps, session, at)
    items = _listed(ledger_of(memory).decisions(), shelf, status)
    return await _items(deps, session, memory, items, after, limit, decision_row)


@router.get(
    "/v1/sessions/{session}/proposals",
    responses={**_PAST, 200: {"model": page_model(ProposalRow)}},
)
async def list_proposals(
    session: SessionId, caller: Reader, deps: DependenciesOf,
    at: At = None, status: Offered | None = None, shelf: OnShelf = "firm",
    after: After = 0, limit: Limit = 100,
) -> Response:  # fmt: skip
    """Proposals with each side on them, the oldest first.

    Those that only a model reads are among them, with `as_read` true.
    """
    memory = await read_memory(deps, session, at)
    items = _listed(ledger_of(memory).proposals(), shelf, status)
    return await _items(deps, session, memory, items, after, limit, proposal_row)


@router.get(
    "/v1/sessions/{session}/positions",
    responses={**_PAST, 200: {"model": page_model(ParticipantStands)}},
)
async def list_positions(
    session: SessionId, caller: Reader, deps: DependenciesOf,
    at: At = None, after: After = 0, limit: Limit = 100,
) -> Response:  # fmt: skip
    """Where each participant stands, and their key contributions, by name."""
    memory = await read_memory(deps, session, at)
    spoken = sorted(memory.participants.values(), key=lambda participant: participant.name)
    everybody = [participant for participant in spoken if participant.messages]
    shown = everybody[after : after + limit]
    positions = Positions(memory)
    cites = [cite for person in shown for cite in positions.contributions(person)]
    records = await deps.moments.records(session, {cite.n for cite in cites})
    rows = [participant_row(participant, positions, records) for participant in shown]
    return _part(rows, after + limit if len(everybody) > after + limit else None)


@router.get(
    "/v1/sessions/{session}/summaries", responses={**_PAST, 200: {"model": Page[SummaryRow]}}
)
async def list_summaries(
    session: SessionId, caller: Reader, deps: DependenciesOf,
    at: At = None,
    level: Annotated[int | None, Query(ge=0, le=64)] = None,
    first: Annotated[int, Query(ge=0, le=MAX_INTEGER, description="first message covered")] = 0,
    last: Annotated[
        int, Query(ge=0, le=MAX_INTEGER, description="last message covered")
    ] = MAX_INTEGER,
    after: After = 0, limit: Limit = 100,
) -> Response:  # fmt: skip
    """Standing summaries, in the order of the talk, of a range those within it."""
    memory = await read_memory(deps, session, at)
    summaries = [
        row
        for row in summary_rows(memory)
        if first <= row["first"] and row["last"] <= last and level in (None, row["level"])
    ]
    more = after + limit if len(summaries) > after + limit else None
    return _part(summaries[after : after + limit], more)


@router.get(
    "/v1/sessions/{session}/statistics",
    responses={**problem_responses("no-session"), 200: {"model": Row}},
)
async def get_statistics(session: SessionId, caller: Reader, deps: DependenciesOf) -> Response:
    """Counts, sizes, forecasts, each layer's numbers."""
    return json_response(await measure_session(deps.backend, session))


@router.get(
    "/v1/sessions/{session}/usage",
    responses={**problem_responses("no-session", "not-yet"), 200: {"model": Usage}},
)
async def get_usage(
    session: SessionId, caller: Reader, deps: DependenciesOf, at: At = None
) -> Response:
    """Tokens and cost, by participant and by purpose, and the budget of the session."""
    memory = await read_memory(deps, session, at)
    return json_response(
        {**count_table(memory)["spend"], "budget": memory.settings.budget.model_dump()}
    )


def _listed(items: Iterable[LedgerItem], shelf: Shelf, status: str | None) -> list[LedgerItem]:
    return [item for item in items if item.shelf == shelf and status in (None, item.status)]


async def _items(
    deps: Dependencies,
    session: str,
    memory: Memory,
    items: Sequence[LedgerItem],
    after: int,
    limit: int,
    row: Callable[[Memory, LedgerItem, RecordsByNumber], Mapping[str, Any]],
) -> Response:
    """A part of them, with the words that they rest on."""
    shown = items[after : after + limit]
    numbers = {n for item in shown for n in item_entries(memory, item)}
    records = await deps.moments.records(session, numbers)
    rows = [row(memory, item, records) for item in shown]
    return _part(rows, after + limit if len(items) > after + limit else None)


def _part(rows: Sequence[Mapping[str, Any]], more: int | None) -> Response:
    return json_response({"items": rows, "next": more})
