"""CrewAI: tools, and a callback of a task that records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import PrivateAttr

from parley.server.integrations.frameworks import needing
from parley.server.integrations.team_talk import VERBS, TeamTalk, arguments_model

with needing("crewai"):
    from crewai.tools import BaseTool


class _VerbTool(BaseTool):
    _talk: Any = PrivateAttr()
    _who: str = PrivateAttr()

    def _run(self, **given: Any) -> str:
        return str(self._talk.act_now(self._who, self.name, **given))


def tools(talk: TeamTalk, name: str) -> list[BaseTool]:
    """For `Agent(tools=…)`; `get_context` gives the ledger and the newest messages."""
    made = []
    for verb in VERBS:
        tool = _VerbTool(
            name=verb.name, description=verb.description, args_schema=arguments_model(verb)
        )
        tool._talk, tool._who = talk, name
        made.append(tool)
    return made


def backstory(talk: TeamTalk, name: str, role: str) -> str:
    """For `Agent(backstory=…)`: `role` and the ledger as it is now; CrewAI reads it once."""
    return "\n\n".join(filter(None, (role, talk.ledger_now(name))))


def recorder(talk: TeamTalk, name: str) -> Callable[[Any], None]:
    """For `Task(callback=…)`: puts the output of the task in the log."""

    def note(output: Any) -> None:
        talk.record_now(name, str(output.raw))

    return note
