"""How a session is opened that a request asks for."""

from __future__ import annotations

from collections.abc import Iterable

from parley.bus.entries import SessionOpened
from parley.memory.settings.presets import PRESETS, load_preset
from parley.memory.settings.session_settings import parse_settings
from parley.memory.settings.setting_trees import overlay_trees
from parley.server.basics.errors import Misuse
from parley.server.http.bodies.request_bodies import SessionBody
from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.dependencies import Dependencies
from parley.server.records.session_opening import open_entry
from parley.server.scenarios.cast import Cast, cast_scenario
from parley.server.scenarios.cast_models import with_scenario_models
from parley.server.scenarios.scenario_files import bundled
from parley.server.scenarios.session_setup import opening_entry, settings_of


def prepare_scenario(deps: Dependencies, name: str) -> Cast:
    """A bundled scenario, made ready: a request names no file. Raises `Problem`, `Misuse`."""
    if name not in bundled():
        raise unknown_name_problem("scenario", bundled())
    return cast_scenario(name, deps.settings.personas)


def unknown_name_problem(field: str, there_are: Iterable[str]) -> Problem:
    """The refusal of a name that none of these has."""
    detail = f"There is no such {field}; there are {', '.join(sorted(there_are))}."
    return Problem("invalid", field=field, fault="unknown", detail=detail)


def opening_of(deps: Dependencies, body: SessionBody, cast: Cast | None) -> SessionOpened:
    """Entry 1, with what the request sets laid over all else.

    Raises `Problem` for a preset that is none, `SettingsRefused`, and `Misuse` for what
    makes no sense together.
    """
    _check(body)
    parse_settings(body.settings)
    settings = deps.settings
    if cast is None:
        entry = open_entry(settings, deps.backend.packs, body.title)
    else:
        offline = body.run == "script" or not settings.has_model
        entry = opening_entry(
            cast, with_scenario_models(settings, cast, offline=offline), deps.backend.packs
        )
    tree = (
        entry.settings
        if body.preset is None
        else overlay_trees(entry.settings, load_preset(body.preset))
    )
    changes = {"settings": overlay_trees(tree, body.settings), "title": body.title or entry.title}
    entry = entry.model_copy(update=changes)
    settings_of(entry)
    return entry


def _check(body: SessionBody) -> None:
    if body.preset is not None and body.preset not in PRESETS:
        raise unknown_name_problem("preset", PRESETS)
    if body.scenario is None and body.run != "no":
        raise Misuse("only a scenario can be run; name one")
    if body.run != "no" and (body.title or "goal" in body.settings):
        raise Misuse("a scenario that is run keeps its title and its goal")
