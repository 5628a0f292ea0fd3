"""The adapter for the OpenAI Agents SDK, with a scripted model and no network."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
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
    said,
    would_repeat,
)

pytest.importorskip("agents", reason="openai-agents is not installed")

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

__all__ = ["own_data"]  # a fixture


class Scripted(Model):
    """Calls the tool of a turn, then ends with `words`; keeps what it was given."""

    def __init__(self, turn: Turn | None, words: str) -> None:
        self._turn, self._words = turn, words
        self.instructions: list[str] = []
        self.input: list[Any] = []

    async def get_response(
        self, system_instructions: str | None, input: Any, *given: Any, **named: Any
    ) -> ModelResponse:
        self.instructions.append(system_instructions or "")
        self.input.append(input)
        output: Any
        if len(self.instructions) % 2:
            turn = self._turn or would_repeat(self.instructions[-1])
            output = ResponseFunctionToolCall(
                arguments=json.dumps(dict(turn.given)), call_id="call", name=turn.tool,
                type="function_call",
            )  # fmt: skip
        else:
            text = ResponseOutputText(annotations=[], text=self._words, type="output_text")
            output = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        raise AssertionError("the runs of these tests do not stream")


async def _run(team: Team, turn: Turn, words: str) -> Scripted:
    model = Scripted(turn, words)
    agent = Agent(
        name=turn.agent, model=model, instructions=team.instructions(turn.agent, "You build."),
        tools=team.tools(turn.agent), hooks=team.hooks(turn.agent),
    )  # fmt: skip
    result = await Runner.run(agent, "Go on.", run_config=RunConfig(tracing_disabled=True))
    assert result.final_output == words
    return model


async def test_twelve_turns_are_in_the_log_by_their_acts() -> None:
    """What an agent ends with is recorded too; the ledger is in its instructions at each call."""
    with Team(SESSION, chair=CHAIR) as team:
        for turn in TURNS:
            model = await _run(team, turn, "Done.")
    assert "Postgres it is" in model.instructions[0]
    assert model.instructions[0].startswith("You build.\n\n# Memory")
    await check_acts("Done.")


async def test_a_refusal_reaches_the_model_in_our_words() -> None:
    """Not as "An error occurred"; nor does a call that is no JSON end the run."""
    with Team(SESSION) as team:
        model = await _run(team, REFUSED, "Well.")
        assert REFUSAL in str(model.input[1][-1]["output"])
        model = await _run(team, Turn("ana", "propose"), "Well.")
        assert "Refused: content is missing" in str(model.input[1][-1]["output"])
    assert [row[1] for row in await said()] == [None, None]


async def test_the_example_does_not_repeat_itself() -> None:
    """Its two agents have one model, which proposes what it does not read."""
    from examples.teams.openai_agents_team import main

    await check_example(await main(Scripted(None, "Done."), RunConfig(tracing_disabled=True)))
