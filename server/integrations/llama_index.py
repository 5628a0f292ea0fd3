"""LlamaIndex: tools, and a memory block with the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import PrivateAttr

from parley.server.integrations.frameworks import needing
from parley.server.integrations.team_talk import VERBS, TeamTalk, arguments_model

with needing("llama-index-core"):
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.tools import FunctionTool


class LedgerBlock(BaseMemoryBlock[str]):
    """For `Memory.from_defaults(memory_blocks=[…])`: the ledger, never cut.

    What leaves the short-term memory is not put in the log by it, since the log has it already.
    """

    _talk: Any = PrivateAttr()
    _who: str = PrivateAttr()

    @classmethod
    def of(cls, talk: TeamTalk, name: str) -> LedgerBlock:
        """The block of `name`."""
        made = cls(name="ledger", priority=0, accept_short_term_memory=False)
        made._talk, made._who = talk, name
        return made

    async def _aget(self, messages: Sequence[Any] | None = None, **given: Any) -> str:
        return str(await self._talk.ledger(self._who))

    async def _aput(self, messages: Sequence[Any]) -> None:
        for message in messages:
            await self._talk.record(self._who, str(message.content or ""))


def tools(talk: TeamTalk, name: str) -> list[FunctionTool]:
    """For `FunctionAgent(tools=…)`."""
    made = []
    for verb in VERBS:
        now, later = talk.tool(name, verb)
        tool = FunctionTool.from_defaults(
            now, verb.name, verb.description, fn_schema=arguments_model(verb), async_fn=later
        )
        made.append(tool)
    return made
