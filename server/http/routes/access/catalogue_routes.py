"""What a session can be opened with: presets, scenarios, personas."""

from __future__ import annotations

from typing import Any

from anyio import to_thread
from fastapi import APIRouter

from parley.server.catalogue import scenario_catalogue
from parley.server.catalogue.persona_catalogue import list_personas as everyone
from parley.server.http.bodies.session_responses import Page, PersonaRow, PresetRow, ScenarioRow
from parley.server.http.identity.authorization import AnyToken
from parley.server.http.problems.problem_details import problem_responses
from parley.server.http.state.dependencies import DependenciesOf
from parley.server.rows.cite_rows import pick
from parley.server.rows.persona_rows import persona_row
from parley.server.settings import setting_inventory

router = APIRouter(tags=["catalogue"])


@router.get("/v1/presets", response_model=Page[PresetRow], responses=problem_responses())
async def list_presets(caller: AnyToken) -> Any:
    """The presets, and what each sets."""
    return {"items": setting_inventory.list_presets()}


@router.get("/v1/scenarios", response_model=Page[ScenarioRow], responses=problem_responses())
async def list_scenarios(caller: AnyToken) -> Any:
    """The scenarios that come with Parley."""
    return {"items": await to_thread.run_sync(scenario_catalogue.list_scenarios)}


@router.get("/v1/personas", response_model=Page[PersonaRow], responses=problem_responses("refused"))
async def list_personas(caller: AnyToken, deps: DependenciesOf) -> Any:
    """Whoever can be seated."""
    personas = (await to_thread.run_sync(everyone, deps.settings)).personas
    fields = ("name", "display", "description", "interests", "may")
    return {"items": [pick(persona_row(persona), *fields) for persona in personas.values()]}
