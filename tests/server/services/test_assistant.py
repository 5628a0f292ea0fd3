"""A long session of an assistant is the same wherever and however it is read."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from parley.bus import Bus
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.sessions.session_client import SessionClient
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.context.chat_messages import prepare_messages
from parley.memory.exchanges.tool_cache import list_live_results, remaining_exchanges
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.memory import Memory
from parley.server.records.session_file import (
    export_session,
    read_file,
    restore_session,
    write_file,
)
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import wait_until
from tests.support.sessions.sessions import is_settled, replayed, running, whole

FRESH = """
import asyncio, json, sys
from parley.bus import Bus
from parley.listeners.sessions.session_client import SessionClient
from tests.faults.language import PACKS

async def main(url, session):
    async with await Bus.connect(url) as bus:
        prompt = await SessionClient(bus, PACKS, session, "helper").prepare_messages("What now?")
        print(json.dumps(prompt.messages))

asyncio.run(main(*sys.argv[1:]))
"""


async def converse(bus: Bus, session: str) -> None:
    """200 exchanges; 40 tools are called as they come, some of them again and again."""
    assistant = SessionClient(bus, PACKS, session, "helper").assistant
    await assistant.open(limits={"context_text": 200})
    for number in range(200):
        arguments = {"place": "here"}
        for tool in (f"tool_{number % 40}", f"tool_{(number + 1) % 3}"):
            if await assistant.lookup_tool(tool, arguments) is None:
                long = f"{tool} says {number}. " * (80 if number % 5 == 0 else 1)
                await assistant.add_tool_result(tool, arguments, long, ttl=1 + number % 12)
        if number % 20 == 0:
            await assistant.inject_screen_context("screen", f"Screen {number}")
        answer = f"Answer {number}. " * (60 if number % 9 == 0 else 1)
        await assistant.finalize(f"What is {number}?", answer)


def kept(memory: Memory) -> list[tuple[str, str, int]]:
    return [
        (cached.tool, cached.call_id, remaining_exchanges(memory, cached))
        for cached in list_live_results(memory)
    ]


async def test_200_exchanges_with_40_tools_are_the_same_wherever_they_are_read(
    redis_url: str, tmp_path: Path
) -> None:
    """Messages and kept results: after a rebuild, an export and import, and a restart."""
    async with await Bus.connect(redis_url) as bus:
        await converse(bus, "desk")
        projector = Projector(bus, PACKS, "w1", ProjectorPace(snapshot_tail=1, idle_seconds=0.05))
        async with running(projector):
            await wait_until(lambda: is_settled(bus, "desk"))
        chat_messages = await SessionClient(bus, PACKS, "desk", "helper").prepare_messages(
            "What now?"
        )
        rebuilt, _ = replayed(await whole(bus, "desk"))
        assert rebuilt.exchanges.turn == 200
        assert rebuilt.exchanges.compressions > 0
        assert rebuilt.tools.hits > 50
        assert len({cached.tool for cached in list_live_results(rebuilt)}) > 5
        assert prepare_messages(rebuilt, "helper", "What now?") == chat_messages

        await _copy(redis_url, "desk", "copy", tmp_path / "desk.json")
        copy = await MemoryReader(bus, PACKS).current("copy")
        assert dump(copy) == dump(rebuilt)
        assert kept(copy) == kept(rebuilt)

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", FRESH, redis_url, "desk", stdout=asyncio.subprocess.PIPE
    )
    data, _ = await asyncio.wait_for(process.communicate(), 60)
    assert json.loads(data) == list(chat_messages.messages)


async def _copy(redis_url: str, session: str, name: str, file: Path) -> None:
    """Export `session` to `file` and import it as `name`."""
    async with await Bus.connect(redis_url) as bus:
        write_file(file, await export_session(bus, session))
        await restore_session(bus, name, read_file(file), replace=False)
