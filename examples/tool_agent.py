"""An agent with a tool: it counts the words of what a proposal says, once for each text.

    python examples/tool_agent.py redis://localhost:6379 harbour

It looks into the session before it runs the tool: a result that is kept,
or that another process is just working on, is served instead.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial

from parley import Session


async def count_words(text: str) -> str:
    """The tool. Anything slow, such as a search, is worth the same care."""
    return str(len(text.split()))


async def measure(url: str, session: str, name: str = "measurer") -> int:
    """Measures every proposal until the session closes; the number that it measured."""
    measured = 0
    joining = Session.connect(url, session, name, interests=["length"], create=True)
    async with joining as joined:
        async for message in joined:
            if message.act != "propose":
                continue
            text = message.content
            run = partial(count_words, text)
            length = await joined.tools.call(
                "count_words", {"text": text}, run, read_only=True, ttl=3
            )
            await joined.inform(f"That proposal has {length.result} words.", re=message.n)
            measured += 1
    return measured


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(asyncio.run(measure(*sys.argv[1:])), "proposals measured")
