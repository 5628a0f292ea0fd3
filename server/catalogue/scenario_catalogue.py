"""Scenarios, for commands and doors: listed, described, checked, and the format's schema."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Any, Final

from parley.server.basics.errors import Misuse
from parley.server.runtime.packs import read_packs
from parley.server.scenarios.cast import cast_scenario
from parley.server.scenarios.cast_models import cast_prices, with_scenario_models
from parley.server.scenarios.cost_bound import bound_cost
from parley.server.scenarios.play_text import worst_line, worst_row
from parley.server.scenarios.scenario import Scenario
from parley.server.scenarios.scenario_files import bundled, is_path, parse, text_of, unknown
from parley.server.scenarios.session_setup import opening_entry, settings_of
from parley.server.settings import Settings

Row = dict[str, Any]

_SCHEMA_ID: Final = "https://json-schema.org/draft/2020-12/schema"


def list_scenarios() -> list[Row]:
    """The bundled scenarios, by name."""
    rows = []
    for name, words in bundled().items():
        scenario = parse(words, f"{name}.yaml").scenario
        rows.append({
            "scenario": name,
            "title": scenario.title,
            "participants": len(scenario.participants),
            "policy": (
                scenario.floor.policy if "policy" in scenario.floor.model_fields_set else "bid"
            ),
            "scripted": bool(scenario.script),
        })  # fmt: skip
    return rows


def read_scenario(name: str) -> str:
    """A scenario's file as it is. Raises `Misuse`."""
    if is_path(name):
        return text_of(Path(name))
    known = bundled()
    if name not in known:
        raise Misuse(unknown(name))
    return known[name]


def describe_scenario(settings: Settings, name: str) -> Row:
    """What a scenario comes to as this process would run it. Raises `Misuse`."""
    cast = cast_scenario(name, settings.personas)
    scenario = cast.scenario
    settings = with_scenario_models(settings, cast, offline=not settings.has_model)
    tree = settings_of(opening_entry(cast, settings, read_packs(settings.packs)))
    paid = cast_prices(settings, cast)
    bound = bound_cost(cast, tree, paid)
    return {
        "scenario": name,
        "title": scenario.title,
        "goal": scenario.goal,
        "participants": [
            {
                "name": part.name,
                "persona": part.persona.name,
                "description": part.persona.description,
                "model": part.persona.model,
                "may": None if part.persona.may is None else list(part.persona.may),
                "weight": part.persona.vote_weight,
                "lines": len(scenario.script[part.name].turns)
                if part.name in scenario.script
                else 0,
            }
            for part in cast.parts
        ],
        "people": [person.name for person in scenario.people],
        "floor": tree.floor.policy,
        "vote": {
            "rule": tree.vote.rule,
            "secret": tree.vote.secret,
            "fallback": tree.vote.fallback,
        },
        "stop": tree.stop,
        "budget": tree.budget.model_dump(),
        "worst": worst_row(bound),
        "bound": worst_line(bound),
    }


def check_scenario(settings: Settings, name: str) -> Row:
    """Whether a scenario can be run, and why not."""
    try:
        row = describe_scenario(settings, name)
    except Misuse as refused:
        return {"scenario": name, "refused": str(refused), "bound": ""}
    return {"scenario": name, "refused": "", "bound": row["bound"]}


def scenario_schema() -> bytes:
    """The JSON Schema of a scenario, as docs/scenario.schema.json holds it."""
    tree = {"$schema": _SCHEMA_ID, **Scenario.model_json_schema(by_alias=True)}
    return json_text.dumps(tree, indent=1, ensure_ascii=False, sort_keys=True).encode() + b"\n"
