"""AutoGen: a `Memory` and a model context with the ledger, tools, a recorder over a stream."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from pydantic import BaseModel

from parley.server.basics.agent_verbs import Verb
from parley.server.integrations.frameworks import needing
from parley.server.integrations.talk_history import USER, refuse_to_clear
from parley.server.integrations.team_talk import NOTHING, VERBS, TeamTalk, arguments_model

with needing("autogen-agentchat"):
    from autogen_agentchat.messages import TextMessage
    from autogen_core.memory import (
        Memory,
        MemoryContent,
        MemoryMimeType,
        MemoryQueryResult,
        UpdateContextResult,
    )
    from autogen_core.model_context import ChatCompletionContext, UnboundedChatCompletionContext
    from autogen_core.models import LLMMessage, SystemMessage
    from autogen_core.tools import BaseTool


class LedgerMemory(Memory):
    """For `AssistantAgent(memory=[…])`: the ledger stands in the prompt of each turn.

    `add` puts text in the log in the agent's name. The log is only added to: `clear` is refused.
    """

    def __init__(self, talk: TeamTalk, name: str) -> None:
        self._talk, self._name = talk, name

    async def update_context(self, model_context: Any) -> UpdateContextResult:
        """Add the ledger to the prompt, unless nothing is in it."""
        found = await self.query("")
        for memory in found.results:
            await model_context.add_message(SystemMessage(content=str(memory.content)))
        return UpdateContextResult(memories=found)

    async def query(
        self, query: str | MemoryContent, cancellation_token: Any = None, **given: Any
    ) -> MemoryQueryResult:
        """The ledger as one memory, whatever is asked; no memory while nothing is in it."""
        text = await self._talk.ledger(self._name)
        found = [] if text == NOTHING else [_memory(text)]
        return MemoryQueryResult(results=found)

    async def add(self, content: MemoryContent, cancellation_token: Any = None) -> None:
        """Put what the agent says in the log."""
        given = content.content
        text = given if isinstance(given, str) else json.dumps(given, default=str)
        await self._talk.record(self._name, text)

    async def clear(self) -> None:
        """Raises `HistoryKept`: others read the log too."""
        raise refuse_to_clear()

    async def close(self) -> None:
        """Change nothing: the team's other agents go on. `Team.close` lets go of the session."""


class LedgerContext(ChatCompletionContext):
    """For `AssistantAgent(model_context=…)`: each call of the model reads the ledger as it is.

    The messages are those of another model context, which is never given the ledger.
    """

    def __init__(self, talk: TeamTalk, name: str, within: ChatCompletionContext | None) -> None:
        super().__init__()
        self._talk, self._name = talk, name
        self._within = UnboundedChatCompletionContext() if within is None else within

    async def get_messages(self) -> list[LLMMessage]:
        """The ledger as a system message, unless nothing is in it, then the messages."""
        text = await self._talk.ledger(self._name)
        ledger = [] if text == NOTHING else [SystemMessage(content=text)]
        return [*ledger, *await self._within.get_messages()]

    async def add_message(self, message: LLMMessage) -> None:
        """Keep `message`."""
        await self._within.add_message(message)

    async def clear(self) -> None:
        """Forget the messages; the log and its ledger stay."""
        await self._within.clear()

    async def save_state(self) -> Mapping[str, Any]:
        """The state of the messages."""
        state: Mapping[str, Any] = await self._within.save_state()
        return state

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Take up the messages of a saved state."""
        await self._within.load_state(state)


def _memory(text: str) -> MemoryContent:
    return MemoryContent(content=text, mime_type=MemoryMimeType.MARKDOWN)


class _VerbTool(BaseTool[BaseModel, str]):
    def __init__(self, talk: TeamTalk, name: str, verb: Verb) -> None:
        super().__init__(arguments_model(verb), str, verb.name, verb.description)
        self._talk, self._who, self._verb = talk, name, verb

    async def run(self, args: BaseModel, cancellation_token: Any) -> str:
        return await self._talk.act(self._who, self._verb.name, **args.model_dump())

    async def run_json(
        self, args: Mapping[str, Any], cancellation_token: Any, call_id: str | None = None
    ) -> str:
        """What the model called it with, as it is: so that a refusal is in Parley's words."""
        return await self._talk.act(self._who, self._verb.name, **args)


def tools(talk: TeamTalk, name: str) -> list[BaseTool[BaseModel, str]]:
    """For `AssistantAgent(tools=…)`."""
    return [_VerbTool(talk, name, verb) for verb in VERBS]


async def recorded(talk: TeamTalk, stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """The stream of a run as it comes, each text of an agent in the log; not the user's task."""
    async for event in stream:
        if isinstance(event, TextMessage) and event.source != USER:
            await talk.record(event.source, event.content)
        yield event
