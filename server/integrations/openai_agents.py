"""The OpenAI Agents SDK: dynamic instructions, function tools, hooks that record, a `Session`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from parley.server.basics.agent_verbs import Verb
from parley.server.integrations.frameworks import needing
from parley.server.integrations.talk_history import TalkHistory, refuse_to_clear
from parley.server.integrations.talk_hosts import Line
from parley.server.integrations.team_talk import VERBS, TeamTalk

with needing("openai-agents"):
    from agents import AgentHooks, FunctionTool, SessionSettings, TResponseInputItem


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


class TalkSession:
    """The SDK's `Session` on a log that is only added to: for `Runner.run(…, session=…)`.

    Its items are the messages of the talk: the agent's own are the assistant's, all others the
    user's. What tools were called with is not among them.
    """

    session_settings: SessionSettings | None = None

    def __init__(self, talk: TeamTalk, name: str, user: str) -> None:
        self.session_id = talk.session
        self._history = TalkHistory(talk, name, user)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The newest `limit` messages, oldest first; None: those of `session_settings`, or all."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        lines = await self._history.talk.talk(self._history.name, limit)
        return [self._item(line) for line in lines]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Put the words of the user and of the agent in the log; other items are not kept."""
        speakers = {"user": self._history.user, "assistant": self._history.name}
        for item in items:
            fields: Any = item
            who = speakers.get(fields.get("role", ""))
            if who is not None:
                await self._history.talk.record(who, _text(fields.get("content")))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take back the newest message, if it is the user's or the agent's, and give it.

        None if there is none. Raises a `DomainError` if another agent said it, or if a decision
        or a vote rests on it.
        """
        line = await self._history.take_back()
        return None if line is None else self._item(line)

    async def clear_session(self) -> None:
        """Raises `HistoryKept`: others read the log too."""
        raise refuse_to_clear()

    def _item(self, line: Line) -> TResponseInputItem:
        words = self._history.words(line)
        if self._history.is_own(line):
            return {"role": "assistant", "content": words}
        return {"role": "user", "content": words}


def _text(content: Any) -> str:
    """The words of an item, which has them itself or in parts."""
    if isinstance(content, str):
        return content
    parts = [str(part["text"]) for part in content or () if isinstance(part.get("text"), str)]
    return "\n".join(parts)
