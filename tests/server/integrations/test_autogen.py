"""The adapter for AutoGen, with a scripted model and no network."""

from __future__ import annotations

import json
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

pytest.importorskip("autogen_agentchat", reason="autogen-agentchat is not installed")
pytest.importorskip("autogen_ext", reason="autogen-ext is not installed")

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import CreateResult, ModelFamily, RequestUsage, SystemMessage
from autogen_ext.models.replay import ReplayChatCompletionClient

__all__ = ["own_data"]  # a fixture

INFO: dict[str, Any] = {
    "function_calling": True, "vision": False, "json_output": False,
    "family": ModelFamily.UNKNOWN, "structured_output": False,
}  # fmt: skip


async def _run(team: Team, turn: Turn, words: str) -> Any:
    call = FunctionCall(id="call", name=turn.tool, arguments=json.dumps(dict(turn.given)))
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    first = CreateResult(finish_reason="function_calls", content=[call], usage=usage, cached=False)
    client = ReplayChatCompletionClient([first, words], model_info=INFO)
    agent = AssistantAgent(
        turn.agent, model_client=client, memory=[team.autogen_memory(turn.agent)],
        tools=team.autogen_tools(turn.agent), reflect_on_tool_use=True,
    )  # fmt: skip
    async for _ in team.autogen_recorded(agent.run_stream(task="Go on.")):
        pass
    return client


async def test_twelve_turns_are_in_the_log_by_their_acts() -> None:
    """What an agent ends with is recorded too."""
    with Team(SESSION, chair=CHAIR) as team:
        for turn in TURNS:
            client = await _run(team, turn, "Done.")
    prompt = client.create_calls[0]["messages"]
    ledgers = [part.content for part in prompt if isinstance(part, SystemMessage)]
    assert any("Postgres it is" in text for text in ledgers)
    await check_acts("Done.")


async def test_a_refusal_reaches_the_model_in_our_words() -> None:
    """As the result of the tool."""
    with Team(SESSION) as team:
        client = await _run(team, REFUSED, "Well.")
    assert REFUSAL in str(client.create_calls[1]["messages"])
    assert [row[0] for row in await said()] == ["ana"]


async def test_the_memory_keeps_the_whole_protocol() -> None:
    """It gives nothing while there is nothing, adds to the log, and never takes from it."""
    with Team(SESSION) as team:
        memory = team.autogen_memory("ana")
        assert (await memory.query("what was decided?")).results == []
        await team.act("ben", "propose", content="We keep the orders in Postgres.")
        (found,) = (await memory.query("what was decided?")).results
        assert "Postgres" in str(found.content)
        await memory.add(MemoryContent(content="Good.", mime_type=MemoryMimeType.TEXT))
        with pytest.raises(DomainError, match="only added to"):
            await memory.clear()
        await memory.close()
        assert (await memory.query("")).results == [found]
    assert [row[0] for row in await said()] == ["ben", "ana"]


async def test_a_model_context_has_the_ledger_of_each_call() -> None:
    """Within a run as well, once, before the messages; a saved state has no ledger."""
    call = FunctionCall(id="call", name="propose", arguments='{"content": "We keep a log."}')
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    first = CreateResult(finish_reason="function_calls", content=[call], usage=usage, cached=False)
    client = ReplayChatCompletionClient([first, "Done.", "Well."], model_info=INFO)
    with Team(SESSION) as team:
        context = team.autogen_context("ana", BufferedChatCompletionContext(4))
        agent = AssistantAgent(
            "ana", model_client=client, model_context=context, system_message=None,
            tools=team.autogen_tools("ana"), reflect_on_tool_use=True,
        )  # fmt: skip
        await agent.run(task="Go on.")
        await agent.run(task="And now?")
        kinds = [[type(one).__name__ for one in each["messages"]] for each in client.create_calls]
        state = await context.save_state()
        await context.clear()
        assert [type(one) for one in await context.get_messages()] == [SystemMessage]
        await context.load_state(state)
        assert await context.get_messages() != []
    assert kinds[0] == ["UserMessage"]
    assert kinds[1] == [
        "SystemMessage", "UserMessage", "AssistantMessage", "FunctionExecutionResultMessage",
    ]  # fmt: skip
    assert kinds[2][0] == "SystemMessage"
    assert kinds[2].count("SystemMessage") == 1
    assert "We keep a log" in str(client.create_calls[1]["messages"][0].content)
    assert "We keep a log" not in str(state["messages"][0])


class _WouldRepeat(ReplayChatCompletionClient):
    async def create(self, messages: Any, **given: Any) -> CreateResult:
        turn = would_repeat(str([message.content for message in messages]))
        call = FunctionCall(id="call", name=turn.tool, arguments=json.dumps(dict(turn.given)))
        usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
        return CreateResult(
            finish_reason="function_calls", content=[call], usage=usage, cached=False
        )


async def test_the_example_does_not_repeat_itself() -> None:
    """Its two agents have one model, which proposes what it does not read."""
    from examples.teams.autogen_team import main

    await check_example(await main(_WouldRepeat([], model_info=INFO)))
