"""The adapter for Pydantic AI, with a scripted model and no network."""

from __future__ import annotations

from typing import Any

import pytest

from parley.integrations import Team
from tests.server.integrations.twelve_turns import (
    CHAIR,
    REFUSAL,
    REFUSED,
    SESSION,
    TURNS,
    Turn,
    check_acts,
    check_example,
    own_data,
    would_repeat,
)

pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed")

from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

__all__ = ["own_data"]  # a fixture


async def _run(team: Team, turn: Turn, words: str) -> list[tuple[str, Any]]:
    """What the model was given at each request: its instructions, and the last message."""
    given: list[tuple[str, Any]] = []

    def scripted(messages: list[Any], info: Any) -> ModelResponse:
        given.append((str(info.instructions), messages[-1]))
        if len(given) == 1:
            return ModelResponse(parts=[ToolCallPart(turn.tool, dict(turn.given))])
        return ModelResponse(parts=[TextPart(words)])

    agent = Agent(
        FunctionModel(scripted), instructions=team.pydantic_ai_instructions(turn.agent, "Build."),
        toolsets=[team.pydantic_ai_toolset(turn.agent)],
    )  # fmt: skip
    agent.output_validator(team.pydantic_ai_recorder(turn.agent))
    assert (await agent.run("Go on.")).output == words
    return given


async def test_twelve_turns_are_in_the_log_by_their_acts() -> None:
    """What an agent ends with is recorded too; the ledger is in its instructions."""
    with Team(SESSION, chair=CHAIR) as team:
        for turn in TURNS:
            given = await _run(team, turn, "Done.")
    assert given[0][0].startswith("Build.\n\n# Memory")
    assert "Postgres it is" in given[0][0]
    await check_acts("Done.")


async def test_a_refusal_reaches_the_model_in_our_words() -> None:
    """As the return of the tool."""
    with Team(SESSION) as team:
        given = await _run(team, REFUSED, "Well.")
    assert REFUSAL in given[1][1].parts[0].content


async def test_the_example_does_not_repeat_itself() -> None:
    """Its two agents have one model, which proposes what it does not read."""
    from examples.teams.pydantic_ai_team import main

    def scripted(messages: list[Any], info: Any) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart("Done.")])
        turn = would_repeat(str(info.instructions))
        return ModelResponse(parts=[ToolCallPart(turn.tool, dict(turn.given))])

    await check_example(await main(FunctionModel(scripted)))
