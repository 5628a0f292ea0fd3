"""The adapter for LangGraph, with a scripted model and no network."""

from __future__ import annotations

import warnings
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
    would_repeat,
)

pytest.importorskip("langgraph", reason="langgraph is not installed")

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

__all__ = ["own_data"]  # a fixture


class Scripted:
    """A node whose model calls the tool of a turn, then ends with `words`."""

    def __init__(self, turn: Turn, words: str) -> None:
        self._turn, self._words = turn, words
        self.given: list[list[BaseMessage]] = []

    def __call__(self, state: dict[str, Any]) -> dict[str, Any]:
        self.given.append(state["messages"])
        if len(self.given) == 1:
            call = {"name": self._turn.tool, "args": dict(self._turn.given), "id": "call"}
            return {"messages": [AIMessage("", tool_calls=[call])]}
        return {"messages": [AIMessage(self._words)]}


def _graph(team: Team, turn: Turn, node: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node(turn.agent, team.langgraph_node(turn.agent, node))
    graph.add_node("tools", ToolNode(team.langchain_tools(turn.agent)))
    graph.add_edge(START, turn.agent)
    graph.add_conditional_edges(turn.agent, tools_condition)
    graph.add_edge("tools", turn.agent)
    return graph.compile()


async def test_twelve_turns_are_in_the_log_by_their_acts() -> None:
    """What a node ends with is recorded too; the ledger is in its prompt and not in the state."""
    with Team(SESSION, chair=CHAIR) as team:
        for turn in TURNS:
            node = Scripted(turn, "Done.")
            state = await _graph(team, turn, node).ainvoke({"messages": [("user", "Go on.")]})
            assert [message.type for message in state["messages"]] == ["human", "ai", "tool", "ai"]
    assert node.given[0][0].type == "system"
    assert "Postgres it is" in str(node.given[0][0].content)
    await check_acts("Done.")


def test_graphs_run_without_a_loop_and_hear_of_refusals() -> None:
    """`invoke` as `ainvoke`; the refusal is the content of the tool's message."""
    with Team(SESSION) as team:
        node = Scripted(REFUSED, "Well.")
        state = _graph(team, REFUSED, node).invoke({"messages": [("user", "Go on.")]})
    assert REFUSAL in state["messages"][2].content


async def test_nodes_may_be_async() -> None:
    """And may give one message instead of a list."""

    async def node(state: dict[str, Any]) -> dict[str, Any]:
        return {"messages": AIMessage("I propose that we keep the orders in Postgres.")}

    with Team(SESSION) as team:
        wrapped = team.langgraph_node("ana", node)
        await wrapped.ainvoke({"messages": []})
        assert "P1" in await team.ledger("ben")


async def test_the_chat_history_keeps_the_whole_protocol() -> None:
    """With and without a loop; others' words under their names; it is not cleared."""
    with Team(SESSION) as team:
        history = team.langchain_history("ana")
        await history.aadd_messages(
            [HumanMessage("Hello."), AIMessage("", tool_calls=[]), AIMessage("Good morning.")]
        )
        await team.record("ben", "Me too.")
        read = await history.aget_messages()
        assert [(message.type, message.content) for message in read] == [
            ("human", "Hello."), ("ai", "Good morning."), ("human", "ben: Me too."),
        ]  # fmt: skip
        with pytest.raises(DomainError, match="only added to"):
            await history.aclear()


def test_the_chat_history_is_for_chains() -> None:
    """`RunnableWithMessageHistory` reads it before a run and adds what was said after it."""
    given: list[list[str]] = []

    def answer(messages: list[BaseMessage]) -> AIMessage:
        given.append([str(message.content) for message in messages])
        return AIMessage(f"Answer {len(given)}.")

    with Team(SESSION) as team, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LangChain keeps it until its next major version
        chain = RunnableWithMessageHistory(
            RunnableLambda(answer), lambda session_id: team.langchain_history(session_id)
        )
        for asked in ("First?", "Second?"):
            chain.invoke([HumanMessage(asked)], {"configurable": {"session_id": "ana"}})
        assert str(team.langchain_history("ana")).startswith("Human: First?\nAI: Answer 1.")
    assert given == [["First?"], ["First?", "Answer 1.", "Second?"]]


class _WouldRepeat:
    def bind_tools(self, tools: Any) -> _WouldRepeat:
        return self

    def invoke(self, messages: list[BaseMessage]) -> AIMessage:
        if messages[-1].type == "tool":
            return AIMessage("Done.")
        turn = would_repeat(str([message.content for message in messages]))
        call = {"name": turn.tool, "args": dict(turn.given), "id": "call"}
        return AIMessage("", tool_calls=[call])


async def test_the_example_does_not_repeat_itself() -> None:
    """Its two nodes have one model, which proposes what it does not read."""
    from examples.teams.langgraph_team import main

    await check_example(main(_WouldRepeat()))
