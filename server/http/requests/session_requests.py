"""How a session is opened that a request asks for."""

from __future__ import annotations

from collections.abc import Iterable

from parley.bus.entries import SessionOpened
from parley.memory.settings.presets import PRESETS, preset
from parley.memory.settings.session_settings import asked, overlay
from parley.server.basics.errors import Misuse
from parley.server.http.bodies.request_bodies import SessionBody
from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.dependencies import Doors
from parley.server.records.session_opening import opening
from parley.server.scenarios.cast import Cast, cast
from parley.server.scenarios.cast_models import told
from parley.server.scenarios.scenario_files import bundled
from parley.server.scenarios.session_setup import opened, settings_of
from parley.server.services.session_settings import warn


def scenario_of(doors: Doors, name: str) -> Cast:
    """A bundled scenario, made ready: a request names no file. Raises `Problem`, `Misuse`."""
    if name not in bundled():
        raise unknown("scenario", bundled())
    return cast(name, doors.settings.personas)


def unknown(field: str, there_are: Iterable[str]) -> Problem:
    """The refusal of a name that none of these has."""
    told = f"There is no such {field}; there are {', '.join(sorted(there_are))}."
    return Problem("invalid", field=field, fault="unknown", detail=told)


def opening_of(doors: Doors, body: SessionBody, found: Cast | None) -> SessionOpened:
    """Entry 1, with what the request sets laid over all else.

    Raises `Problem` for a preset that is none, `SettingsRefused`, and `Misuse` for what
    makes no sense together.
    """
    _check(body)
    asked(body.settings)
    warn(body.settings)
    settings = doors.settings
    if found is None:
        entry = opening(settings, doors.held.packs, body.title)
    else:
        offline = body.run == "script" or not settings.has_model
        entry = opened(found, told(settings, found, offline=offline), doors.held.packs)
    tree = entry.settings if body.preset is None else overlay(entry.settings, preset(body.preset))
    changes = {"settings": overlay(tree, body.settings), "title": body.title or entry.title}
    entry = entry.model_copy(update=changes)
    settings_of(entry)
    return entry


def _check(body: SessionBody) -> None:
    if body.preset is not None and body.preset not in PRESETS:
        raise unknown("preset", PRESETS)
    if body.scenario is None and body.run != "no":
        raise Misuse("only a scenario can be run; name one")
    if body.run != "no" and (body.title or "goal" in body.settings):
        raise Misuse("a scenario that is run keeps its title and its goal")
