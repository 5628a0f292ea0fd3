"""A scenario made ready: who is who, and the settings its session is opened with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from parley.listeners.agents.host import HostedPart
from parley.listeners.spending.prices import Price
from parley.memory.errors import SettingsRefused
from parley.memory.settings.presets import load_preset
from parley.memory.settings.session_settings import Settings, parse_settings
from parley.memory.settings.setting_trees import overlay_trees
from parley.personas.errors import PersonaError
from parley.personas.library import find, is_path
from parley.personas.persona import Budget, Persona
from parley.personas.persona_file import SERVER
from parley.server.scenarios.scenario import ListPrice, Participant, Scenario, WrittenPersona
from parley.server.scenarios.scenario_files import Loc, ScenarioFile, load
from parley.server.scenarios.scenario_files import is_path as is_file

_MICROS: Final = 1_000_000  # of the currency


@dataclass(frozen=True, slots=True)
class Cast:
    """A scenario whose personas were found. `tree` is what its session is opened with."""

    name: str  # as it was given: of a bundled one, or a path
    scenario: Scenario
    source: str
    parts: tuple[HostedPart, ...]
    tree: dict[str, Any]
    settings: Settings
    prices: dict[str, Price]


def cast_scenario(name: str, folders: Sequence[str] = ()) -> Cast:
    """The scenario called `name` (see `load`), ready to run. Raises `Misuse`."""
    file = load(name)
    scenario = file.scenario
    beside = Path(name).parent if is_file(name) else Path()
    parts = tuple(
        _part(participant, file, index, beside, folders)
        for index, participant in enumerate(scenario.participants)
    )
    _check_names(file, parts)
    _check_script(file, parts)
    try:
        tree = settings_tree(scenario)
        settings = parse_settings(tree)
    except SettingsRefused as refused:
        raise file.refusal(refused.reason, *_setting_at(file, refused.key)) from None
    return Cast(name, scenario, file.source, parts, tree, settings, _prices_of(file))


def _setting_at(file: ScenarioFile, key: str) -> tuple[str, ...]:
    """Where a file says the setting `key`: of its memory, or of a group of its own."""
    path = tuple(key.split("."))
    return ("memory", *path) if ("memory", path[0]) in file.places else path


def settings_tree(scenario: Scenario) -> dict[str, Any]:
    """The settings of the scenario's session: a partial tree, with nothing that was not said."""
    memory = scenario.memory.model_dump(mode="json", exclude_unset=True)
    tree = overlay_trees(load_preset(memory["preset"]) if "preset" in memory else {}, memory)
    row = {
        name: getattr(scenario, name).model_dump(mode="json", exclude_unset=True)
        for name in ("floor", "speak", "vote")
    }
    row["floor"] = {"policy": "bid", **row["floor"]}  # agents under `open` all talk at once
    budget = scenario.budget
    row["budget"] = {
        "tokens": budget.tokens,
        "calls": budget.calls,
        "micros": micros(budget.cost),
    }
    row["budget"] = {key: value for key, value in row["budget"].items() if value is not None}
    tree = overlay_trees(tree, {name: group for name, group in row.items() if group})
    if scenario.goal:
        tree["goal"] = scenario.goal
    if scenario.stop is not None:
        tree["stop"] = scenario.stop
    return tree


def _prices_of(file: ScenarioFile) -> dict[str, Price]:
    """The prices by model, in micros; `small` and `large` have those of the models they name."""
    prices, scenario = {}, file.scenario
    for name, listed in scenario.prices.items():
        try:
            prices[name] = _price(listed)
        except ValidationError as refused:
            raise file.refusal(refused.errors()[0]["msg"], "prices", name) from None
    for tier, model in (("small", scenario.models.small), ("large", scenario.models.large)):
        if model in prices:
            prices.setdefault(tier, prices[model])
        elif model is not None and tier in prices:
            prices[model] = prices[tier]
    return prices


def _price(listed: ListPrice) -> Price:
    return Price(
        input=micros(listed.input) or 0,
        output=micros(listed.output) or 0,
        cached=micros(listed.cached),
    )


def micros(cost: float | None) -> int | None:
    """A sum of the currency in millionths."""
    return None if cost is None else round(cost * _MICROS)


def _part(
    participant: Participant, file: ScenarioFile, index: int, beside: Path, folders: Sequence[str]
) -> HostedPart:
    if isinstance(participant.persona, WrittenPersona):
        persona = _written(participant.persona)
    else:
        name = participant.persona
        try:
            persona = find(str(beside / name) if is_path(name) else name, folders)
        except PersonaError as refused:
            raise file.refusal(str(refused), "participants", index, "persona") from None
    persona = _overlaid(persona, participant)
    return HostedPart(participant.as_ or persona.name, persona)


def _written(written: WrittenPersona) -> Persona:
    return Persona(
        written.name, written.description, written.body, display=written.display,
        interests=written.interests,
        reactivity=round(written.reactivity * 1000), cooldown=written.cooldown_turns,
    )  # fmt: skip


def _overlaid(persona: Persona, participant: Participant) -> Persona:
    """`persona` with what the scenario says of it instead."""
    budget = Budget(
        turns=_either(participant.budget.turns, persona.budget.turns),
        tokens=_either(participant.budget.tokens, persona.budget.tokens),
        micros=_either(micros(participant.budget.cost), persona.budget.micros),
    )
    return replace(
        persona,
        display=persona.display if participant.as_ is None else participant.as_,
        model=participant.model or persona.model,
        eval_model=participant.eval_model or persona.eval_model,
        may=persona.may if participant.may is None else tuple(participant.may),
        vote_weight=persona.vote_weight if participant.weight is None else participant.weight,
        budget=budget,
    )


def _either(value: int | None, otherwise: int | None) -> int | None:
    return otherwise if value is None else value


def _check_script(file: ScenarioFile, parts: Sequence[HostedPart]) -> None:
    """Raises `Misuse` for a line that its speaker may not say."""
    for part in parts:
        may = part.persona.may
        lines = file.scenario.script.get(part.name)
        for index, line in enumerate(lines.turns if lines and may is not None else ()):
            turn = ("script", part.name, "turns", index)
            if line.act is not None and line.act not in (may or ()):
                raise file.refusal(
                    f"{part.name!r} may not {line.act}; it may {', '.join(may or ())}", *turn, "act"
                )
            if line.call_vote and not {"vote", "moderate"} & set(may or ()):
                reason = f"{part.name!r} may not call votes; add 'vote' to what it may"
                raise file.refusal(reason, *turn, "call_vote")


def _check_names(file: ScenarioFile, parts: Sequence[HostedPart]) -> None:
    """Raises `Misuse` for a name that two have, that is the server's, or that nobody has."""
    scenario = file.scenario
    seats: list[tuple[str, Loc]] = [
        *((part.name, ("participants", index)) for index, part in enumerate(parts)),
        *((person.name, ("people", index)) for index, person in enumerate(scenario.people)),
    ]
    opening = scenario.opening
    opens: list[tuple[str, Loc]] = [(opening.by, ("opening", "by"))] if opening else []
    for name, loc in (*seats, *opens):
        if name.casefold() == SERVER:
            raise file.refusal(f"{name!r} is the server's own name; give another", *loc)
    taken: set[str] = set()
    for name, loc in seats:
        if name.casefold() in taken:
            raise file.refusal(f"two are called {name!r}; give one another name with 'as:'", *loc)
        taken.add(name.casefold())
    agents = {part.name for part in parts}
    finisher = scenario.floor.finisher
    named: list[tuple[str, Loc]] = [
        *((name, ("floor", "order")) for name in scenario.floor.order),
        *([(finisher, ("floor", "finisher"))] if finisher else []),
        *((name, ("script", name)) for name in scenario.script),
    ]
    for name, loc in named:
        if name not in agents:
            there = ", ".join(sorted(agents))
            raise file.refusal(f"no participant is called {name!r}; there are {there}", *loc)
