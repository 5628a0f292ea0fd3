"""Why something is in memory."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from parley.server.basics.entry_drafts import normalize_handle
from parley.server.http.bodies.memory_responses import Explanation
from parley.server.http.identity.authorization import Reader
from parley.server.http.problems.problem_details import problem_responses
from parley.server.http.requests.memory_reads import explain_item as explained
from parley.server.http.state.dependencies import DependenciesOf, SessionId

router = APIRouter(tags=["memory"])

Ref = Annotated[
    str,
    Path(
        pattern=r"^[PDEIVMpdeivm]\d{1,9}(\.\d{1,3})?$",
        description="handle of a proposal, decision, episode, insight, vote, or of a claim: M17.2",
    ),
]


@router.get(
    "/v1/sessions/{session}/explain/{ref}",
    response_model=Explanation,
    responses=problem_responses("no-session", "no-item"),
)
async def explain_item(session: SessionId, ref: Ref, caller: Reader, deps: DependenciesOf) -> Any:
    """Its evidence word for word, who stood where, how it came to be, and what covers it now."""
    return await explained(deps, session, normalize_handle(ref))
