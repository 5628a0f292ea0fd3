"""The OpenAI Agents SDK: dynamic instructions, function tools, and hooks that record."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from parley.server.basics.agent_verbs import Verb
from parley.server.integrations.frameworks import needing
from parley.server.integrations.team_talk import VERBS, TeamTalk

with needing("openai-agents"):
    from agents import AgentHooks, FunctionTool


def instructions(talk: TeamTalk, name: str, role: str) -> Callable[[Any, Any], Awaitable[str]]:
    """For `Agent(instructions=…)`: `role` and the ledger, anew before each call of the model."""

    async def give(context: Any, agent: Any) -> str:
        return await talk.prompt(name, role)

    return give


def tools(talk: TeamTalk, name: str) -> list[FunctionTool]:
    """For `Agent(tools=…)`. A refusal reaches the model in Parley's words."""
    return [
        FunctionTool(
            name=verb.name, description=verb.description, params_json_schema=verb.schema(),
            on_invoke_tool=partial(_invoke, talk, name, verb), strict_json_schema=False,
        )
        for verb in VERBS
    ]  # fmt: skip


async def _invoke(talk: TeamTalk, name: str, verb: Verb, context: Any, given: str) -> str:
    try:
        arguments = json.loads(given or "{}")
        missing = [one.name for one in verb.arguments if one.required and one.name not in arguments]
    except (ValueError, TypeError):
        return "Refused: the arguments are no JSON object."
    if missing:
        return f"Refused: {', '.join(missing)} is missing."
    return await talk.act(name, verb.name, **arguments)


class Recorder(AgentHooks):
    """For `Agent(hooks=…)`: puts the final output of each run in the log."""

    def __init__(self, talk: TeamTalk, name: str) -> None:
        self._talk, self._name = talk, name

    async def on_end(self, context: Any, agent: Any, output: Any) -> None:
        await self._talk.record(self._name, output if isinstance(output, str) else str(output))
