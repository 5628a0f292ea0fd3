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
    return {
        "items": [
            {
                "name": name, "display": persona.persona.display,
                "description": persona.persona.description,
                "interests": list(persona.persona.interests),
                "may": None if persona.persona.may is None else list(persona.persona.may),
            }
            for name, persona in personas.items()
        ]
    }  # fmt: skip
