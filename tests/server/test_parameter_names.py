"""One vocabulary: what a door is told has the name that the table of the protocol gives it."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import parley
from parley.listeners.effects.callable_model import ReadingModel
from parley.listeners.effects.talk_reader import ReadingReport
from parley.listeners.sessions.goals import Goals
from parley.listeners.sessions.join_entry import JoinOptions, SessionOptions
from parley.listeners.sessions.notebook import Notebook
from parley.listeners.tools.assistant import Assistant
from parley.listeners.tools.toolbox import Toolbox
from parley.server.cli.command_tree import command
from parley.server.http.http_app import openapi_document
from parley.server.library.opened_session import OpenSession
from parley.server.mcp.tools.tool_registry import TOOLS

PROTOCOL = Path(__file__).parents[2] / "docs" / "protocol.md"
# The same name, and other values, as the things differ of which it is the status, the form, ...
OF_ITS_OWN = {
    "status": {
        "closed open",  # of sessions
        "accepted active adopted lapsed modified put_off rejected withdrawn",  # of proposals
        # of decisions, those that a model reads among them
        "accepted claimed disputed modified put_off ratified rejected superseded withdrawn",
        "abandoned completed failed superseded",  # of goals that end
    },
    "format": {"html json md text", "context items memory report"},  # of minutes, of analyses
    "profile": {
        "brief full history raw",
        "brief exchange full history raw",
    },  # of agents, of assistants
    "role": {"agent person", "agent observer operator person"},  # of seats, of tokens
}
# What a program alone is asked for: what it holds, and the words of the source documents.
OF_PROGRAMS = {
    "bus", "url", "redis", "room", "reader", "packs", "model", "create", "path", "entry",
    "state", "success", "user", "answer", "current_memory", "round_content",
    "max_retries",
}  # fmt: skip
# What `parley.Memory` imports for type checkers alone: their modules load an event loop.
FOR_CHECKERS = {"ReadingModel": ReadingModel, "ReadingReport": ReadingReport}
IN_PYTHON = (parley.Memory, parley.Session, OpenSession, Notebook, Goals, Assistant, Toolbox)


def _table() -> set[str]:
    """The names in the first column of the table."""
    text = PROTOCOL.read_text(encoding="utf-8").split("### Names of parameters")[1]
    rows = [line for line in text.split("\n## ")[0].splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row.split(" | ")[0])}


def _http() -> Iterator[tuple[str, Any]]:
    document = openapi_document()
    schemas = document["components"]["schemas"]
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] != "header":
                    yield parameter["name"], parameter["schema"]
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            reference = body.get("schema", {}).get("$ref", "")
            yield from schemas.get(reference.rsplit("/", 1)[-1], {}).get("properties", {}).items()


def _mcp() -> Iterator[tuple[str, Any]]:
    for tool in TOOLS:
        yield from tool.args.model_json_schema().get("properties", {}).items()


def _options(branch: Any) -> Iterator[tuple[str, Any]]:
    """The options of every command, with what each may be."""
    for below in getattr(branch, "commands", {}).values():
        yield from _options(below)
    for option in () if getattr(branch, "commands", None) else branch.params:
        flag = option.opts[0] if option.opts else ""
        if flag.startswith("--") and flag != "--help":
            kind = option.type_descriptor.annotation
            members = list(kind) if isinstance(kind, EnumType) else get_args(kind)
            values = [getattr(member, "value", member) for member in members if member is not str]
            yield flag[2:].replace("-", "_"), {"enum": values}


def _python() -> Iterator[tuple[str, Any]]:
    """The arguments of what a program calls, with what each may be."""
    for room in IN_PYTHON:
        for name, call in inspect.getmembers(room, _is_call):
            if not name.startswith("_") or (name == "__init__" and room is parley.Memory):
                hints = get_type_hints(inspect.unwrap(call), localns=FOR_CHECKERS)
                for argument, parameter in inspect.signature(call).parameters.items():
                    if argument != "self" and parameter.kind is not parameter.VAR_KEYWORD:
                        yield argument, {"enum": _literals(hints.get(argument))}
    for options in (JoinOptions, SessionOptions):
        for key, hint in get_type_hints(options).items():
            yield key, {"enum": _literals(hint)}


def _is_call(member: object) -> bool:
    return inspect.isfunction(member) or inspect.ismethod(member)


def _literals(hint: Any) -> list[str]:
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [value for part in get_args(hint) for value in _literals(part)]


def _values(schema: Any) -> Iterator[frozenset[str]]:
    """The enumerations of a schema."""
    for part in (schema, *schema.get("anyOf", ()), schema.get("items", {})):
        if part.get("enum"):
            yield frozenset(map(str, part["enum"]))


def test_every_parameter_of_every_door_is_in_the_table() -> None:
    """And nothing else is: a synonym would have to stand beside the name it doubles."""
    doors = [*_http(), *_mcp(), *_options(command())]
    assert {name for name, _ in doors} == _table()


def test_every_argument_of_python_is_in_the_table() -> None:
    """But for what only a program has to hand in; nothing of that is listed in vain."""
    names = {name for name, _ in _python()}
    assert names - _table() == OF_PROGRAMS - _table()
    assert names >= OF_PROGRAMS
    assert len(names & _table()) > 40


def test_a_name_takes_the_same_values_on_every_door() -> None:
    """Acts, rules of votes, roles, ...: whoever knows them from one door knows them."""
    known: dict[str, set[frozenset[str]]] = defaultdict(set)
    for name, schema in [*_http(), *_mcp(), *_options(command()), *_python()]:
        known[name].update(_values(schema))
    several = {
        name: {" ".join(sorted(each)) for each in values}
        for name, values in known.items()
        if len(values) > 1
    }
    assert several == OF_ITS_OWN
    assert len([name for name in known if known[name]]) > 8
