"""Which tools a client is shown: few in few words, or all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from parley.server.http.problems.problem_details import Problem

Tools = Literal["core", "all"]

QUERY: Final = ("tools", "output_schemas")  # what the address of /mcp may carry
_TOOLS: Final[tuple[Tools, ...]] = get_args(Tools)
_SWITCH: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """`core`: what an agent needs to take part; `all`: every tool, each with its output schema.

    With `output_schemas` those of `core` are listed with theirs. It is what is listed: a call of
    any tool is answered.
    """

    tools: Tools = "core"
    output_schemas: bool = False


def offer_from_query(query: Mapping[str, str]) -> ToolOffer:
    """What the address of `/mcp` asks for: `?tools=all`, `?output_schemas=true`.

    Raises `Problem` `invalid` for another value of these.
    """
    asked = query.get("tools", "core")
    tools = next((name for name in _TOOLS if name == asked), None)
    schemas = _SWITCH.get(query.get("output_schemas", "false"))
    if tools is None:
        raise Problem("invalid", field="tools", fault="literal_error")
    if schemas is None:
        raise Problem("invalid", field="output_schemas", fault="bool_parsing")
    return ToolOffer(tools, schemas)
