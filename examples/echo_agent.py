"""An agent that repeats what it is asked, by name.

    python examples/echo_agent.py redis://localhost:6379 harbour

Say "@echo hello" in the session, and it answers. It ends when the session does.
"""

from __future__ import annotations

import asyncio
import sys

from parley import Session


async def echo(url: str, session: str, name: str = "echo") -> int:
    """Answers whoever speaks to it, until the session closes; the number of answers."""
    answers = 0
    async with Session.connect(url, session, name, interests=["echoes"], create=True) as joined:
        async for message in joined:
            if message.addressed:
                words = message.content.replace(f"@{name}", "").strip()
                await joined.inform(f"{message.participant} said: {words}", re=message.n)
                answers += 1
    return answers


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(asyncio.run(echo(*sys.argv[1:])), "answers")
