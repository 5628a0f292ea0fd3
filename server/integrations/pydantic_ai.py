"""Pydantic AI: instructions with the ledger, a toolset, and an output validator that records."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from parley.server.integrations.frameworks import needing
from parley.server.integrations.team_talk import VERBS, TeamTalk

with needing("pydantic-ai-slim"):
    from pydantic_ai import Tool
    from pydantic_ai.toolsets import FunctionToolset


def instructions(talk: TeamTalk, name: str, role: str) -> Callable[[], Awaitable[str]]:
    """For `Agent(instructions=…)`: `role` and the ledger, anew at each request."""

    async def give() -> str:
        return await talk.prompt(name, role)

    return give


def toolset(talk: TeamTalk, name: str) -> FunctionToolset[Any]:
    """For `Agent(toolsets=[…])`."""
    return FunctionToolset(
        [
            Tool.from_schema(talk.tool(name, verb)[1], verb.name, verb.description, verb.schema())
            for verb in VERBS
        ]
    )


def recorder(talk: TeamTalk, name: str) -> Callable[[Any], Awaitable[Any]]:
    """For `agent.output_validator(…)`: puts the output in the log, and changes nothing."""

    async def note(output: Any) -> Any:
        await talk.record(name, output if isinstance(output, str) else str(output))
        return output

    return note
