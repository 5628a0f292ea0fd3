"""How a scenario's session is set: its first entry, its seats, its opening words."""

from __future__ import annotations

from typing import Any

from parley.bus.contract.drafts import Draft
from parley.bus.entries import Entry, Message, ParticipantJoined, ParticipantLeft, SessionOpened
from parley.memory.settings.session_settings import Settings as SessionSettings
from parley.memory.settings.session_settings import merge_settings
from parley.server.runtime.packs import Packs
from parley.server.scenarios.cast import Cast
from parley.server.settings import Settings

_EXPECTED = "expected"  # why a seat is empty that nobody has taken yet


def opening_entry(
    cast: Cast, settings: Settings, packs: Packs, seed: int | None = None
) -> SessionOpened:
    """Entry 1. What was set for this process outranks the scenario, as it outranks a preset."""
    tree = settings.opening(cast.tree)
    if seed is not None:
        tree = {**tree, "floor": {**tree.get("floor", {}), "seed": seed}}
    return SessionOpened(settings=tree, packs=packs.opening, title=cast.scenario.title)


def settings_of(entry: SessionOpened) -> SessionSettings:
    """The settings in force after entry 1. Raises `SettingsRefused`."""
    return merge_settings(SessionSettings(), entry.settings)


def opening_drafts(cast: Cast) -> list[Draft]:
    """Seats for people, empty until they come, and what is said first.

    The ids are fixed, so that whoever goes on with a session may publish them again.
    """
    entries: list[tuple[str, Entry]] = []
    for number, person in enumerate(cast.scenario.people, 1):
        seat: dict[str, Any] = {"participant": person.name, "seat": ""}
        joined = ParticipantJoined(**seat, role="person", may=person.may, weight=person.weight)
        entries += [
            (f"seat:{number}", joined),
            (f"seat:{number}:free", ParticipantLeft(**seat, reason=_EXPECTED)),
        ]
    opening = cast.scenario.opening
    if opening is not None:
        message = Message(participant=opening.by, content=opening.say, act=opening.act)
        entries.append(("opening", message))
    return [Draft(name, entry) for name, entry in entries]
