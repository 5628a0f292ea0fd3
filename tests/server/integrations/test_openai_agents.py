"""The adapter for the OpenAI Agents SDK, with a scripted model and no network."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from parley.integrations import Team
from parley.memory.errors import DomainError
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

from agents import (
    Agent,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    Session,
    SessionSettings,
    Usage,
)
from agents.testing import ScriptedModel, assistant_message, function_call
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


async def _say(team: Team, name: str, asked: str, words: str) -> list[Any]:
    """What the model of `name` was given when it answered `asked` with `words`."""
    model = ScriptedModel([[assistant_message(words)]])
    result = await Runner.run(
        Agent(name=name, model=model), asked, session=team.agents_session(name),
        run_config=RunConfig(tracing_disabled=True),
    )  # fmt: skip
    assert result.final_output == words
    return list(model.calls[0].input)


async def test_runs_of_a_session_have_the_talk_as_their_history() -> None:
    """Each agent its own words as the assistant's; what runs say is recorded without hooks."""
    with Team(SESSION) as team:
        await _say(team, "ana", "Where do the orders go?", "Into Postgres.")
        given = await _say(team, "ben", "And you?", "I agree.")
        assert [(item["role"], item["content"]) for item in given] == [
            ("user", "Where do the orders go?"), ("user", "ana: Into Postgres."),
            ("user", "And you?"),
        ]  # fmt: skip
    assert [row[0] for row in await said()] == ["user", "ana", "user", "ben"]


async def test_a_run_of_a_session_may_call_tools_and_stream() -> None:
    """The act is in the history of the next run by its words, the call is not."""
    call = function_call("propose", {"content": "We keep them in Postgres."}, call_id="call")
    model = ScriptedModel([[call], [assistant_message("Proposed.")]])
    with Team(SESSION) as team:
        result = Runner.run_streamed(
            Agent(name="ana", model=model, tools=team.tools("ana")), "Go on.",
            session=team.agents_session("ana"), run_config=RunConfig(tracing_disabled=True),
        )  # fmt: skip
        async for _ in result.stream_events():
            pass
        given = await _say(team, "ana", "And now?", "I wait.")
    assert [(item["role"], item["content"]) for item in given] == [
        ("user", "Go on."), ("assistant", "We keep them in Postgres."), ("assistant", "Proposed."),
        ("user", "And now?"),
    ]  # fmt: skip


async def test_the_session_keeps_the_whole_protocol() -> None:
    """What the SDK's own tests ask of a session, but that a log is not cleared."""
    items: list[Any] = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Good morning."},
        {"role": "user", "content": [{"type": "input_text", "text": "How are you?"}]},
        {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"},
    ]
    with Team(SESSION) as team:
        session = team.agents_session("ana")
        assert isinstance(session, Session)
        assert await session.pop_item() is None
        await session.add_items(items)
        kept = [*items[:2], {"role": "user", "content": "How are you?"}]
        assert await session.get_items() == kept
        assert await session.get_items(limit=2) == kept[1:]
        assert await session.get_items(limit=9) == kept
        assert await session.get_items(limit=0) == []
        session.session_settings = SessionSettings(limit=1)
        assert await session.get_items() == kept[2:]
        session.session_settings = None
        for left in (2, 1, 0):
            assert await session.pop_item() == kept[left]
            assert await session.get_items() == kept[:left]
        assert await session.pop_item() is None
        with pytest.raises(DomainError, match="only added to"):
            await session.clear_session()


async def test_the_example_does_not_repeat_itself() -> None:
    """Its two agents have one model, which proposes what it does not read."""
    from examples.teams.openai_agents_team import main

    await check_example(await main(Scripted(None, "Done."), RunConfig(tracing_disabled=True)))
