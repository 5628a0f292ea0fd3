"""Health, readiness and metrics."""

from __future__ import annotations

from typing import Annotated, Any, Final, cast

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel
from starlette.requests import HTTPConnection

from parley.server.http.identity.authorization import Caller, RequiresRight
from parley.server.http.problems.problem_details import problem_responses
from parley.server.http.state.dependencies import DependenciesOf
from parley.server.http.state.metrics import MEDIA
from parley.server.http.state.server_health import HealthCheck

router = APIRouter(tags=["health"])


class Alive(BaseModel):
    ok: bool


class Ready(BaseModel):
    """Whether requests can be served, and why not."""

    ready: bool
    because: str


def _get_health(connection: HTTPConnection) -> HealthCheck:
    """The one of this server, made when it is first asked for."""
    state = connection.app.state
    if getattr(state, "health", None) is None:
        state.health = HealthCheck(state.deps.backend.bus)
    return cast("HealthCheck", state.health)


Anybody = Annotated[Caller, Depends(RequiresRight("public"))]
_UNREADY: Final[dict[int | str, dict[str, Any]]] = {
    503: {"model": Ready, "description": "Not ready"}
}
TEXT: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "content": {"text/plain": {"schema": {"type": "string"}}},
        "description": "Prometheus text",
    }
}
HealthOf = Annotated[HealthCheck, Depends(_get_health)]


@router.get("/healthz", operation_id="check_health", responses=problem_responses())
async def check_health(caller: Anybody) -> Alive:
    """Whether the process answers at all; Redis is not asked."""
    return Alive(ok=True)


@router.get(
    "/readyz", operation_id="check_readiness", responses={**problem_responses(), **_UNREADY}
)
async def check_readiness(caller: Anybody, health: HealthOf, response: Response) -> Ready:
    """Whether requests can be served: Redis answers, and what is published gets folded."""
    because = await health.reason_unready()
    if because:
        response.status_code = 503
    return Ready(ready=not because, because=because)


@router.get(
    "/metrics",
    operation_id="read_metrics",
    dependencies=[Depends(RequiresRight("metrics"))],
    response_class=Response,
    responses={**problem_responses(), **TEXT},
)
async def read_metrics(deps: DependenciesOf, health: HealthOf) -> Response:
    """Counts and times of this process; from this machine, or with an operator's token."""
    deps.metrics.observe(len(deps.open_connections), await health.check())
    return Response(deps.metrics.render(), media_type=MEDIA)
