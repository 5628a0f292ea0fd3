"""One vocabulary: what a door is told has the name that the table of the protocol gives it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from typing import Any, get_args

from parley.server.cli.command_tree import command
from parley.server.http.http_app import openapi_document
from parley.server.mcp.tools.tool_registry import TOOLS

PROTOCOL = Path(__file__).parents[2] / "docs" / "protocol.md"
# The same name, and other values, as the things differ of which it is the status, the kind, ...
OF_ITS_OWN = {
    "status": "of sessions, votes, proposals, decisions, goals",
    "after": "entries, and goals",
    "facts": "a switch, and kinds",
    "format": "of minutes, analyses, transcripts",
    "profile": "the command has --brief for one of them",
    "form": "of steps",
}


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


def _values(schema: Any) -> Iterator[frozenset[str]]:
    """The enumerations of a schema."""
    for part in (schema, *schema.get("anyOf", ()), schema.get("items", {})):
        if part.get("enum"):
            yield frozenset(map(str, part["enum"]))


def test_every_parameter_of_every_door_is_in_the_table() -> None:
    """And nothing else is: a synonym would have to stand beside the name it doubles."""
    doors = [*_http(), *_mcp(), *_options(command())]
    assert {name for name, _ in doors} == _table()


def test_a_name_takes_the_same_values_on_every_door() -> None:
    """Acts, rules of votes, roles, ...: whoever knows them from one door knows them."""
    known: dict[str, set[frozenset[str]]] = defaultdict(set)
    for name, schema in [*_http(), *_mcp(), *_options(command())]:
        known[name].update(_values(schema))
    several = {name for name, values in known.items() if len(values) > 1}
    assert several <= set(OF_ITS_OWN), {name: known[name] for name in several - set(OF_ITS_OWN)}
    assert len([name for name in known if known[name]]) > 8
