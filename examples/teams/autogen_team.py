"""Two agents of AutoGen that would propose the same, and do not.

    python examples/teams/autogen_team.py gpt-5-mini

The second reads in its memory what the first proposed, and supports it.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from autogen_agentchat.agents import AssistantAgent

from parley.integrations import Team

ROLE = "Agree on where the orders are kept. Propose once; support what is proposed already."


async def main(client: Any) -> str:
    with Team("orders", chair="lead") as team:
        for name in ("backend", "data"):
            agent = AssistantAgent(
                name, model_client=client, system_message=ROLE,
                memory=[team.autogen_memory(name)], tools=team.autogen_tools(name),
            )  # fmt: skip
            async for _ in team.autogen_recorded(agent.run_stream(task="It is your turn.")):
                pass
        return await team.ledger("lead")


if __name__ == "__main__":
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    print(asyncio.run(main(OpenAIChatCompletionClient(model=sys.argv[1]))))
