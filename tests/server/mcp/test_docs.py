"""docs/mcp.md: its snippets are what the clients read, and its table is the registry."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from parley.server.cli.command_tree import command
from parley.server.mcp.mcp_server import PATH
from parley.server.mcp.tools.tool_registry import TOOLS

PAGE = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text("utf-8")
FENCE = re.compile(r"^```(json|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _servers() -> list[dict[str, Any]]:
    rows = []
    for language, text in FENCE.findall(PAGE):
        tree = json.loads(text) if language == "json" else tomllib.loads(text)
        tree = tree.get("mcp", tree)
        (servers,) = [tree[key] for key in ("mcpServers", "servers", "mcp_servers") if key in tree]
        rows.append(servers["parley"])
    return rows


def test_snippets_name_the_door_and_the_command() -> None:
    """Each is read by its format, and leads to /mcp or to a command that there is."""
    servers = _servers()
    assert len(servers) == 8
    for row in servers:
        if url := row.get("url", row.get("httpUrl")):
            assert url.endswith(PATH)
            assert "Authorization" in row.get("headers", {}) or "bearer_token_env_var" in row
        else:
            whole = row["command"]
            name, *args = whole if isinstance(whole, list) else [whole, *row["args"]]
            assert name == "parley"
            asked = command().commands[args[0]]
            known = {flag for option in asked.params for flag in option.opts}
            assert {flag for flag in args if flag.startswith("--")} <= known


def test_no_snippet_holds_a_token() -> None:
    """Where one belongs stands a name of the environment."""
    for row in _servers():
        for value in row.get("headers", {}).values():
            assert "${" in value


def test_the_table_of_tools_is_the_registry() -> None:
    """Name, right and arguments of each, in its order; what may be left out has a mark."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]*) \|", PAGE, re.MULTILINE)
    rights = {"operator": "operator, or `parley mcp --as`"}
    assert [row[:2] for row in rows] == [
        (tool.name, rights.get(tool.right, tool.right)) for tool in TOOLS
    ]
    for tool, (_, _, listed) in zip(TOOLS, rows, strict=True):
        fields = dict(tool.args.model_fields)
        if tool.in_session:
            del fields["session"]
        shown = [f"`{name}`" + "?" * (not field.is_required()) for name, field in fields.items()]
        assert listed.split() == shown


def test_the_versions_are_those_that_are_spoken() -> None:
    """Of the protocol; what is agreed on is the library's."""
    assert set(re.findall(r"\b20\d\d-\d\d-\d\d\b", PAGE)) == {
        *HANDSHAKE_PROTOCOL_VERSIONS,
        *MODERN_PROTOCOL_VERSIONS,
    }
