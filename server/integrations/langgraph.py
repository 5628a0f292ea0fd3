"""LangGraph and LangChain: a node whose model reads the ledger, tools, a chat history."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import isawaitable
from typing import Any

from parley.server.integrations.frameworks import needing
from parley.server.integrations.talk_history import TalkHistory, refuse_to_clear
from parley.server.integrations.talk_hosts import Line
from parley.server.integrations.team_talk import VERBS, TeamTalk

with needing("langgraph"):
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import BaseTool, StructuredTool

MESSAGES = "messages"  # the key of a graph's state


def node(talk: TeamTalk, name: str, own: Callable[..., Any]) -> RunnableLambda[Any, Any]:
    """For `graph.add_node`: `own` with the ledger before the messages of its state.

    The AI messages of its update are put in the log. The state is a mapping with `messages`;
    the ledger is in no update, so it is not in the state afterwards.
    """

    def now(state: Mapping[str, Any]) -> Any:
        update = own(_led(state, talk.ledger_now(name)))
        for text in _said(update):
            talk.record_now(name, text)
        return update

    async def later(state: Mapping[str, Any]) -> Any:
        update = own(_led(state, await talk.ledger(name)))
        update = await update if isawaitable(update) else update
        for text in _said(update):
            await talk.record(name, text)
        return update

    return RunnableLambda(now, later, name=name)


def _led(state: Mapping[str, Any], ledger: str) -> dict[str, Any]:
    return {**state, MESSAGES: [SystemMessage(ledger), *state.get(MESSAGES, ())]}


def _said(update: Any) -> Sequence[str]:
    found = update.get(MESSAGES, ()) if isinstance(update, Mapping) else ()
    messages = [found] if isinstance(found, BaseMessage) else found
    return [str(message.text) for message in messages if isinstance(message, AIMessage)]


def tools(talk: TeamTalk, name: str) -> list[BaseTool]:
    """For `bind_tools`, `ToolNode` and `create_agent`."""
    made = []
    for verb in VERBS:
        now, later = talk.tool(name, verb)
        tool = StructuredTool.from_function(
            now, later, verb.name, verb.description, args_schema=verb.schema()
        )
        made.append(tool)
    return made


class TalkMessages(BaseChatMessageHistory):
    """LangChain's chat history on a log that is only added to.

    The agent's own messages are the AI's, all others a human's. Calls and results of tools are
    not among them.
    """

    def __init__(self, talk: TeamTalk, name: str, user: str) -> None:
        super().__init__()
        self._history = TalkHistory(talk, name, user)

    @property
    def messages(self) -> list[BaseMessage]:
        """All messages of the talk."""
        return self._read(self._history.talk.talk_now(self._history.name))

    async def aget_messages(self) -> list[BaseMessage]:
        """All messages of the talk."""
        return self._read(await self._history.talk.talk(self._history.name))

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Put the words of humans and of the agent in the log; other messages are not kept."""
        for who, text in self._written(messages):
            self._history.talk.record_now(who, text)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """`add_messages`."""
        for who, text in self._written(messages):
            await self._history.talk.record(who, text)

    def clear(self) -> None:
        """Raises `HistoryKept`: others read the log too."""
        raise refuse_to_clear()

    def _read(self, lines: Sequence[Line]) -> list[BaseMessage]:
        return [
            (AIMessage if self._history.is_own(line) else HumanMessage)(self._history.words(line))
            for line in lines
        ]

    def _written(self, messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
        speakers = {"human": self._history.user, "ai": self._history.name}
        return [
            (speakers[message.type], str(message.text))
            for message in messages
            if message.type in speakers
        ]
