"""Two agents of LlamaIndex that would propose the same, and do not.

    python examples/teams/llama_index_team.py gpt-5-mini

The second reads in its memory what the first proposed, and supports it.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import Memory

from parley.integrations import Team

ROLE = "Agree on where the orders are kept. Propose once; support what is proposed already."


async def main(llm: Any) -> str:
    with Team("orders", chair="lead") as team:
        for name in ("backend", "data"):
            agent = FunctionAgent(
                name=name, llm=llm, tools=team.llama_index_tools(name), system_prompt=ROLE,
                streaming=False,
            )  # fmt: skip
            memory = Memory.from_defaults(memory_blocks=[team.llama_index_block(name)])
            result = await agent.run("It is your turn.", memory=memory)
            await team.record(name, str(result))
        return await team.ledger("lead")


if __name__ == "__main__":
    from llama_index.llms.openai import OpenAI

    print(asyncio.run(main(OpenAI(model=sys.argv[1]))))
