"""Two agents of Pydantic AI that would propose the same, and do not.

    python examples/teams/pydantic_ai_team.py openai:gpt-5-mini

The second reads in its instructions what the first proposed, and supports it.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from pydantic_ai import Agent

from parley.integrations import Team

ROLE = "Agree on where the orders are kept. Propose once; support what is proposed already."


async def main(model: Any) -> str:
    with Team("orders", chair="lead") as team:
        for name in ("backend", "data"):
            agent = Agent(
                model, instructions=team.pydantic_ai_instructions(name, ROLE),
                toolsets=[team.pydantic_ai_toolset(name)],
            )  # fmt: skip
            agent.output_validator(team.pydantic_ai_recorder(name))
            await agent.run("It is your turn.")
        return await team.ledger("lead")


if __name__ == "__main__":
    print(asyncio.run(main(sys.argv[1])))
