"""An agent of another framework in a session: anything with `run(text)` that gives a text.

    python examples/bridge_agent.py redis://localhost:6379 harbour

`bridge` hands it the context that Parley keeps, whenever somebody speaks to it,
and says in its name what it answers. Async and plain methods both will do.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from typing import Any

from parley import Session


async def answer(agent: Any, text: str) -> str:
    """What the agent says to `text`; a plain method has a thread to itself."""
    if inspect.iscoroutinefunction(agent.run):
        return str(await agent.run(text))
    return str(await asyncio.to_thread(agent.run, text))


async def bridge(url: str, session: str, name: str, agent: Any) -> None:
    """Lets `agent` take part as `name` until the session closes."""
    async with Session.connect(url, session, name, create=True) as joined:
        async for message in joined:
            if not message.addressed:
                continue
            async with joined.floor(intent="answer", re=message.n):
                context = await joined.context("full", budget=2000)
                reply = await answer(agent, f"{context.text}\n\nAnswer {message.participant}.")
                if reply.strip():  # else the floor is given back without a word
                    await joined.say(reply, re=message.n)


class Agreeable:
    """In the place of a real one."""

    def run(self, text: str) -> str:
        asked = text.rsplit("Answer ", 1)[-1].rstrip(".")
        return f"I agree with {asked}."


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    asyncio.run(bridge(sys.argv[1], sys.argv[2], "agreeable", Agreeable()))
