"""Memory: whole, by layer, decisions, proposals, positions, summaries, statistics, usage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Path, Query, Response

from parley.memory.extraction.model_claims.item_overlay import listed_status, overlay_claims
from parley.memory.fold import canonical_bytes
from parley.memory.state.item_state import Decision, Participant, Proposal
from parley.memory.statistics.statistics import count_table
from parley.server.http.bodies.memory_responses import Row, Rows, SummaryRow, Usage
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
from parley.server.rows.item_shapes import DecisionRow, ProposalRow

router = APIRouter(tags=["memory"])

LayerName = Literal[
    "conversation", "session", "execution", "notebooks", "history", "exchanges", "tools",
    "episodes", "insights", "lessons", "ledger",
]  # fmt: skip
Offered = Literal[
    "active", "accepted", "adopted", "rejected", "withdrawn", "modified", "lapsed", "retracted"
]
Decided = Literal["claimed", "ratified", "disputed", "superseded", "retracted"]
After = Annotated[int, Query(ge=0, le=MAX_INTEGER, description="`next` of the part before")]
Limit = Annotated[int, Query(ge=1, le=500, description="rows at most")]
_One = TypeVar("_One")

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


@router.get("/v1/sessions/{session}/decisions", responses={**_PAST, 200: {"model": Rows}})
async def list_decisions(
    session: SessionId, caller: Reader, deps: DependenciesOf,
    at: At = None, status: Decided | None = None, after: After = 0, limit: Limit = 100,
) -> Response:  # fmt: skip
    """Decisions with their supporters, their dissent and their evidence, by handle."""
    memory = await read_memory(deps, session, at)
    read = overlay_claims(memory)

    def row(decision: Decision, records: RecordsByNumber) -> DecisionRow:
        return decision_row(memory, decision, records, read)

    decisions = [d for d in memory.decisions.values() if d.stands and d.ref > after]
    shown = [d for d in decisions if status in (None, listed_status(read, d))]
    return await _items(deps, session, shown, limit, row)


@router.get("/v1/sessions/{session}/proposals", responses={**_PAST, 200: {"model": Rows}})
async def list_proposals(
    session: SessionId, caller: Reader, deps: DependenciesOf,
    at: At = None, status: Offered | None = None, after: After = 0, limit: Limit = 100,
) -> Response:  # fmt: skip
    """Proposals with who stands where on them, by handle."""
    memory = await read_memory(deps, session, at)
    read = overlay_claims(memory)

    def row(proposal: Proposal, records: RecordsByNumber) -> ProposalRow:
        return proposal_row(memory, proposal, records, read)

    proposals = [p for p in memory.proposals.values() if p.stands and p.ref > after]
    shown = [p for p in proposals if status in (None, listed_status(read, p))]
    return await _items(deps, session, shown, limit, row)


@router.get("/v1/sessions/{session}/positions", responses={**_PAST, 200: {"model": Rows}})
async def list_positions(
    session: SessionId, caller: Reader, deps: DependenciesOf,
    at: At = None, after: After = 0, limit: Limit = 100,
) -> Response:  # fmt: skip
    """Where each participant stands, and their key contributions, by name."""
    memory = await read_memory(deps, session, at)
    spoken = sorted(memory.participants.values(), key=lambda participant: participant.name)
    everybody = [participant for participant in spoken if participant.messages]
    shown = everybody[after : after + limit]
    records = await deps.moments.records(session, _contributed(shown))
    rows = [participant_row(participant, records) for participant in shown]
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


async def _items(
    deps: Dependencies,
    session: str,
    items: Sequence[_One],
    limit: int,
    row: Callable[[_One, RecordsByNumber], Mapping[str, Any]],
) -> Response:
    """The first of them, with the words that they rest on."""
    shown: Any = items[:limit]
    numbers = {n for item in shown for n in item_entries(item)}
    records = await deps.moments.records(session, numbers)
    rows = [row(item, records) for item in shown]
    return _part(rows, shown[-1].ref if len(items) > limit else None)


def _contributed(shown: Iterable[Participant]) -> set[int]:
    return {cite.n for participant in shown for cite in participant.contributions}


def _part(rows: Sequence[Mapping[str, Any]], more: int | None) -> Response:
    return json_response({"items": rows, "next": more})
