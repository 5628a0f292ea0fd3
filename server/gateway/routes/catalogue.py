"""What a session can be opened with: presets, scenarios, personas."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter

from server.gateway.doors import DoorsOf
from server.gateway.identity.needs import AnyToken
from server.gateway.problems.table import problems
from server.gateway.shapes.written import Page, PersonaRow, PresetRow, ScenarioRow
from server.personas import everyone
from server.scenarios import describing
from server.settings import inventory

router = APIRouter()


@router.get("/v1/presets", response_model=Page[PresetRow], responses=problems())
async def list_presets(caller: AnyToken) -> Any:
    """The presets, and what each sets."""
    return {"items": inventory.presets()}


@router.get("/v1/scenarios", response_model=Page[ScenarioRow], responses=problems())
async def list_scenarios(caller: AnyToken) -> Any:
    """The scenarios that come with Parley."""
    return {"items": await asyncio.to_thread(describing.listed)}


@router.get("/v1/personas", response_model=Page[PersonaRow], responses=problems("refused"))
async def list_personas(caller: AnyToken, doors: DoorsOf) -> Any:
    """Whoever can be seated."""
    found = (await asyncio.to_thread(everyone, doors.settings)).found
    return {
        "items": [
            {
                "name": name, "display": one.persona.display,
                "description": one.persona.description,
                "interests": list(one.persona.interests),
                "may": None if one.persona.may is None else list(one.persona.may),
            }
            for name, one in found.items()
        ]
    }  # fmt: skip
