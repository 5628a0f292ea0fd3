"""A process that wants a tool's result.

`python -m tests.support.processes.tool_caller URL SESSION FILE GO`

Says `ready` on stdout, begins once the file GO is there, appends a line to FILE
where it has to run the tool itself, and prints the result.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from parley.bus import Bus
from parley.listeners.sessions.session_client import SessionClient
from tests.faults.language import PACKS
from tests.support.servers.patience import wait_until


async def main(url: str, session: str, file: Path, go: Path) -> None:
    async def run() -> str:
        with file.open("a") as ran:
            ran.write(f"{os.getpid()}\n")
        await asyncio.sleep(0.3)
        return f"made by {os.getpid()}"

    async with await Bus.connect(url) as bus:
        tools = SessionClient(bus, PACKS, session, f"p{os.getpid()}").tools
        print("ready", flush=True)
        await wait_until(go.exists, 60)
        reply = await tools.call("weather", {"city": "Oslo"}, run, read_only=True)
        print(reply.result, flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])))
