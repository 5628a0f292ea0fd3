"""The adapter for LlamaIndex, with a scripted model and no network."""

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
    said,
    would_repeat,
)

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory

__all__ = ["own_data"]  # a fixture


async def _run(team: Team, turn: Turn, words: str) -> list[list[ChatMessage]]:
    """What the model was given at each request."""
    given: list[list[ChatMessage]] = []

    def scripted(messages: list[ChatMessage], **_: Any) -> ChatMessage:
        given.append(list(messages))
        if len(given) == 1:
            call = ToolCallBlock(
                tool_call_id="call", tool_name=turn.tool, tool_kwargs=dict(turn.given)
            )
            return ChatMessage(role="assistant", blocks=[call])
        return ChatMessage(role="assistant", content=words)

    agent = FunctionAgent(
        name=turn.agent, llm=MockFunctionCallingLLM(response_generator=scripted),
        tools=team.llama_index_tools(turn.agent), streaming=False,
    )  # fmt: skip
    memory = Memory.from_defaults(memory_blocks=[team.llama_index_block(turn.agent)])
    result = await agent.run("Go on.", memory=memory)
    await team.record(turn.agent, str(result))
    return given


async def test_twelve_turns_are_in_the_log_by_their_acts() -> None:
    """The ledger is in the prompt; what an agent ends with is recorded by `record`."""
    with Team(SESSION, chair=CHAIR) as team:
        for turn in TURNS:
            given = await _run(team, turn, "Done.")
    assert "Postgres it is" in str([message.content for message in given[0]])
    await check_acts("Done.")


async def test_a_refusal_reaches_the_model_in_our_words() -> None:
    """As the content of the tool's message."""
    with Team(SESSION) as team:
        given = await _run(team, REFUSED, "Well.")
    assert REFUSAL in str([message.content for message in given[1]])


async def test_tools_may_be_called_without_a_loop_and_the_block_is_put_to() -> None:
    """A block that messages are put to records them."""
    with Team(SESSION) as team:
        tools = {tool.metadata.name: tool for tool in team.llama_index_tools("ana")}
        tools["propose"].call(content="We keep the orders in Postgres.")
        await team.llama_index_block("ben").aput([ChatMessage(role="assistant", content="Good.")])
        await team.llama_index_block("ben").aput(
            [ChatMessage(role="assistant", content="Good.")], from_short_term_memory=True
        )
    assert [row[0] for row in await said()] == ["ana", "ben"]


async def test_the_example_does_not_repeat_itself() -> None:
    """Its two agents have one model, which proposes what it does not read."""
    from examples.teams.llama_index_team import main

    def scripted(messages: list[ChatMessage], **_: Any) -> ChatMessage:
        if messages[-1].role == "tool":
            return ChatMessage(role="assistant", content="Done.")
        turn = would_repeat(str([message.content for message in messages]))
        call = ToolCallBlock(tool_call_id="call", tool_name=turn.tool, tool_kwargs=dict(turn.given))
        return ChatMessage(role="assistant", blocks=[call])

    await check_example(await main(MockFunctionCallingLLM(response_generator=scripted)))
