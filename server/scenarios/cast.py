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
from parley.server.basics.errors import Misuse
from parley.server.scenarios.scenario import ListPrice, Participant, Scenario, WrittenPersona
from parley.server.scenarios.scenario_files import is_path as is_file
from parley.server.scenarios.scenario_files import load

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
    scenario = load(name)
    source = name if is_file(name) else f"{name}.yaml"
    beside = Path(name).parent if is_file(name) else Path()
    parts = tuple(
        _part(participant, source, index, beside, folders)
        for index, participant in enumerate(scenario.participants)
    )
    _check_names(scenario, parts, source)
    _check_script(scenario, parts, source)
    try:
        tree = settings_tree(scenario)
        settings = parse_settings(tree)
    except SettingsRefused as refused:
        raise Misuse(f"{source}: {refused.key}: {refused.reason}") from None
    return Cast(name, scenario, source, parts, tree, settings, _prices_of(scenario, source))


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


def _prices_of(scenario: Scenario, source: str) -> dict[str, Price]:
    """The prices by model, in micros; `small` and `large` have those of the models they name."""
    prices = {}
    for name, listed in scenario.prices.items():
        try:
            prices[name] = _price(listed)
        except ValidationError as refused:
            raise Misuse(f"{source}: prices.{name}: {refused.errors()[0]['msg']}") from None
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
    participant: Participant, source: str, index: int, beside: Path, folders: Sequence[str]
) -> HostedPart:
    place = f"{source}: participants[{index}].persona"
    if isinstance(participant.persona, WrittenPersona):
        persona = _written(participant.persona)
    else:
        name = participant.persona
        try:
            persona = find(str(beside / name) if is_path(name) else name, folders)
        except PersonaError as refused:
            raise Misuse(f"{place}: {refused}") from None
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


def _check_script(scenario: Scenario, parts: Sequence[HostedPart], source: str) -> None:
    """Raises `Misuse` for a line that its speaker may not say."""
    for part in parts:
        may = part.persona.may
        lines = scenario.script.get(part.name)
        for index, line in enumerate(lines.turns if lines and may is not None else ()):
            if line.act is not None and line.act not in (may or ()):
                raise Misuse(
                    f"{source}: script.{part.name}.turns[{index}].act: {part.name!r} may not "
                    f"{line.act}; it may {', '.join(may or ())}"
                )
            if line.call_vote and not {"vote", "moderate"} & set(may or ()):
                raise Misuse(
                    f"{source}: script.{part.name}.turns[{index}].call_vote: {part.name!r} may "
                    "not call votes; add 'vote' to what it may"
                )


def _check_names(scenario: Scenario, parts: Sequence[HostedPart], source: str) -> None:
    """Raises `Misuse` for a name that two have, that is the server's, or that nobody has."""
    seated = [*(part.name for part in parts), *(person.name for person in scenario.people)]
    opens = [scenario.opening.by] if scenario.opening is not None else []
    for name in (*seated, *opens):
        if name.casefold() == SERVER:
            raise Misuse(f"{source}: {name!r} is the server's own name; give another")
    taken: set[str] = set()
    for name in seated:
        if name.casefold() in taken:
            raise Misuse(f"{source}: two are called {name!r}; give one another name with 'as:'")
        taken.add(name.casefold())
    agents = {part.name for part in parts}
    for key, names in (
        ("floor.order", scenario.floor.order),
        ("floor.finisher", [name for name in (scenario.floor.finisher,) if name]),
        ("script", scenario.script),
    ):
        for name in names:
            if name not in agents:
                raise Misuse(
                    f"{source}: {key}: no participant is called {name!r}; there are "
                    f"{', '.join(sorted(agents))}"
                )
