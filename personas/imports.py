"""Personas from files made for other tools, with a report of what became of each key. Pure.

CrewAI's `agents.yaml`, characters as JSON (one, a list, or below `personas` or
`agents`), and Markdown agents. A file is imported whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final, Literal, NoReturn

from parley.bus.contract.drafts import replace_lone_surrogates
from parley.personas import agent_file, conversion
from parley.personas.draft import KeyReport, PersonaDraft, one_line, prose, slug
from parley.personas.errors import PersonaRefused
from parley.personas.front_matter import MAX_LEVELS, check_length, parse_front_matter, split_text
from parley.personas.persona import Persona
from parley.personas.persona_file import SERVER, parse_persona
from parley.personas.persona_text import write_persona

Format = Literal["markdown", "yaml", "json"]

MOST: Final = 500  # personas of one file
_SUFFIXES: Final[dict[str, Format]] = {
    ".md": "markdown", ".markdown": "markdown", ".mdc": "markdown",
    ".json": "json", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip
_HOLDERS: Final = ("personas", "agents")


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Personas in the order of their file, and a row for each key of each."""

    personas: tuple[Persona, ...]
    rows: tuple[KeyReport, ...]


def import_text(text: str, source: str) -> ImportReport:
    """The personas in `text`. Raises `PersonaRefused`, which names the agent at fault.

    Names are made of what the agents are called there; those that come out the
    same are numbered.
    """
    names = _Names()
    drafts: list[tuple[Persona, PersonaDraft]] = []
    rows: list[KeyReport] = []
    if _format(text, source) == "markdown":
        tree, body, odd = agent_file.open_agent_file(text, source)
        called = agent_file.agent_name(tree, source)
        drafts.append(agent_file.convert_agent_file(names.free(called), tree, body, odd, source))
    else:
        tree, beside = _split_agents(_read(text, source))
        rows = [KeyReport("", key, "dropped", "it stands beside the agents") for key in beside]
        for place, key, agent in _agents(tree, source):
            called = names.free(_agent_name(key, agent))
            drafts.append(conversion.convert_agent(called, agent, f"{source}, {place}"))
    for persona, draft in drafts:
        _check(persona, draft.source)
        rows += draft.rows
    return ImportReport(tuple(persona for persona, _ in drafts), tuple(rows))


def _format(text: str, source: str) -> Format:
    """The format of a file, by its suffix, else by how the text begins."""
    by_suffix = _SUFFIXES.get(PurePath(source).suffix.lower())
    if by_suffix is not None:
        return by_suffix
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return "json"
    try:
        head, _ = split_text(text, source)
    except PersonaRefused:
        head = None
    return "yaml" if head is None else "markdown"


def _read(text: str, source: str) -> Any:
    if _format(text, source) == "json":
        return _json(text, source)
    return parse_front_matter(check_length(text, source).removeprefix("\ufeff"), source)[0]


def _split_agents(tree: Any) -> tuple[Any, list[str]]:
    """The agents of a file, which may stand below a key, and the keys beside that."""
    for holder in _HOLDERS:
        if isinstance(tree, dict) and isinstance(tree.get(holder), list | dict):
            return tree[holder], [key for key in tree if key != holder]
    return tree, []


def _agents(tree: Any, source: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The agents of `tree`: the place of each in words, its key ("" in a list), its own keys."""
    if isinstance(tree, list):
        agents = [(f"agent {number}", "", each) for number, each in enumerate(tree, 1)]
    elif not isinstance(tree, dict):
        raise PersonaRefused(source, "holds no agents: an object, or a list of them")
    elif conversion.is_agent(tree) and not all(isinstance(value, dict) for value in tree.values()):
        agents = [("agent 1", "", tree)]
    else:
        agents = [(repr(key[:64]), key, each) for key, each in tree.items()]
    if not 0 < len(agents) <= MOST:
        raise PersonaRefused(source, f"holds {len(agents)} agents, of 1 to {MOST}")
    for place, key, each in agents:
        if not isinstance(each, dict):
            raise PersonaRefused(f"{source}, {place}", "is no agent: it has no keys of its own")
        yield place, key, each


def _agent_name(key: str, tree: dict[str, Any]) -> str:
    """The key that it stands under, its id, name or role; the first that makes a name."""
    named = (key, *(one_line(prose(tree.get(each))) for each in ("id", "name", "role", "title")))
    lettered = [text for text in named if slug(text).strip("0123456789-")]
    return next(iter(lettered), "") or next(filter(None, map(slug, named)), "")


def _json(text: str, source: str) -> Any:
    text = check_length(text, source).removeprefix("\ufeff")
    try:
        tree = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer
        )
        return replace_lone_surrogates(tree, MAX_LEVELS)
    except json.JSONDecodeError as error:
        raise PersonaRefused(source, f"is no JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise PersonaRefused(source, "is nested too deeply") from None
    except ValueError as error:
        raise PersonaRefused(source, str(error)) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, value in pairs:
        if key in tree:
            raise ValueError(f"{key[:64]!r} stands twice in one object; keep one")
        tree[key] = value
    return tree


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= 18 else digits


class _Names:
    """Names for the personas of one file, each once."""

    def __init__(self) -> None:
        self._taken = {SERVER}

    def free(self, called: str) -> str:
        """A name made of `called`, with a number where it is taken."""
        base = slug(called) or "persona"
        name, number = base, 1
        while name in self._taken:
            number += 1
            end = f"-{number}"
            name = base[: 64 - len(end)] + end
        self._taken.add(name)
        return name


def _check(persona: Persona, source: str) -> None:
    """Refuses what could be written and not be read again, such as too many values."""
    try:
        again = parse_persona(write_persona(persona), source).persona
    except PersonaRefused as error:
        raise PersonaRefused(source, f"cannot be a file of its own: {error.reason}") from None
    if again != persona:
        raise PersonaRefused(source, "has keys that do not survive a file; leave some out")
