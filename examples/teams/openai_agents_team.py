"""Two agents of the OpenAI Agents SDK that would propose the same, and do not.

    python examples/teams/openai_agents_team.py gpt-5-mini

The second reads in its instructions what the first proposed, and supports it.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from agents import Agent, Runner

from parley.integrations import Team

ROLE = "Agree on where the orders are kept. Propose once; support what is proposed already."


async def main(model: Any, run_config: Any = None) -> str:
    with Team("orders", chair="lead") as team:
        for name in ("backend", "data"):
            agent = Agent(
                name=name, model=model, instructions=team.instructions(name, ROLE),
                tools=team.tools(name), hooks=team.hooks(name),
            )  # fmt: skip
            await Runner.run(agent, "It is your turn.", run_config=run_config)
        return await team.ledger("lead")


if __name__ == "__main__":
    print(asyncio.run(main(sys.argv[1])))
