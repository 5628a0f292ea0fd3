"""A persona as its file: what `persona_file` reads back as the same persona. Pure."""

from __future__ import annotations

from typing import Any, Final

import yaml

from parley.personas.persona import Budget, Persona

_WIDTH: Final = 96


def write_persona(persona: Persona) -> str:
    """The file of `persona`. What is as by default is left out; keys of others come last."""
    tree: dict[str, Any] = {"name": persona.name, "description": persona.description}
    if persona.model != "large":
        tree["model"] = persona.model
    ours = _ours(persona)
    if ours:
        tree["parley"] = ours
    tree.update(persona.foreign)
    head = yaml.dump(tree, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return f"---\n{head}---\n{persona.body}\n"


def _ours(persona: Persona) -> dict[str, Any]:
    budget = _budget(persona.budget)
    keys = {
        "display": persona.display or None,
        "eval_model": persona.eval_model if persona.eval_model != "small" else None,
        "interests": list(persona.interests) or None,
        "reactivity": persona.reactivity / 1000 if persona.reactivity else None,
        "cooldown_turns": persona.cooldown,
        "may": None if persona.may is None else list(persona.may),
        "vote_weight": persona.vote_weight if persona.vote_weight != 1 else None,
        "budget": budget or None,
    }
    return {key: value for key, value in keys.items() if value is not None}


def _budget(budget: Budget) -> dict[str, Any]:
    cost = None if budget.micros is None else budget.micros / 1_000_000
    keys = {"turns": budget.turns, "tokens": budget.tokens, "cost": cost}
    return {key: value for key, value in keys.items() if value is not None}


class _Dumper(yaml.SafeDumper):
    """Lists on one line, nothing by reference: people read and edit these files."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _listed(dumper: _Dumper, items: list[Any]) -> yaml.SequenceNode:
    plain = all(isinstance(item, str | int | float) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=plain)


_Dumper.add_representer(list, _listed)
