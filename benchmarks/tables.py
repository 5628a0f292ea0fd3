"""Many sessions at once, and how fast a person's word stops a draft.

    python -m benchmarks.tables [--sessions 100] [--turns 12] [--processes 2] [--json]

Five scripted agents a session, 50 ms to the first token and 200 tokens a second, each always
asking for the floor; the sessions are spread over processes that host their
agents and an arbiter each. By Redis' clock, of every turn: a wait is the time from
a bid to its grant, a pause that from a free floor to the next grant; turns are so
far apart in a session, and an agent's own turns from each other.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.material import PACKS
from parley.bus import Bus, Draft
from parley.bus.embedded import serve
from parley.bus.entries import Message, Record, SessionOpened
from parley.listeners.agents.host import HostedPart, host_agents
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import enter_room
from tests.support.sessions.talkers import eager, persona

NAMES = ("ann", "bob", "cyd", "dee", "eve")
CANCELS = 100


def hosting(url: str, sessions: list[str], results: Any) -> None:
    """Host the agents of `sessions` in this process; tells what memory that took, in bytes."""
    results.put(asyncio.run(_host_all(url, sessions)))


async def _host_all(url: str, sessions: list[str]) -> int:
    async with await Bus.connect(url) as bus:
        before = _resident()
        peak = 0

        async def host(session: str) -> None:
            nonlocal peak
            model = ScriptedModel(eager, first_token_seconds=0.05, tokens_per_second=200)
            model.prompts = _Forgetful()
            async with enter_room(RedisLog(MemoryReader(bus, PACKS), session)) as room:
                await host_agents(
                    room, [HostedPart(n, persona(n)) for n in NAMES], model, nonce=session
                )
                peak = max(peak, _resident())

        await asyncio.gather(*(host(session) for session in sessions))
        return peak - before


class _Forgetful(list[Any]):
    """Keeps no prompt: what is measured is a host, not its model's diary."""

    def append(self, item: Any) -> None:
        return None


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


async def tables(count: int, turns: int, processes: int) -> dict[str, Any]:
    """Waits and pauses of `count` sessions at once."""
    settings = {
        "floor": {"policy": "bid", "auction_ms": 50, "hops_soft": 0, "hops_hard": 0},
        "stop": {"any": [{"turns": turns}, {"seconds": 600}]},
    }
    names = [f"table-{k:03d}" for k in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        async with serve("auto", Path(folder)) as server, await Bus.connect(server.url) as bus:
            for name in names:
                await bus.open(name, SessionOpened(settings=settings))
            context = multiprocessing.get_context("spawn")
            queue = context.Queue()
            hosts = [
                context.Process(target=hosting, args=(server.url, names[k::processes], queue))
                for k in range(processes)
            ]
            began = time.monotonic()
            for process in hosts:
                process.start()
            await asyncio.sleep(3)  # everyone sits down before the talk begins
            for name in names:
                message = Message(participant="host", content="Begin.")
                await bus.publish(name, [Draft("begin", message)])
            used = [await asyncio.to_thread(queue.get) for _ in hosts]
            seconds = time.monotonic() - began
            for process in hosts:
                process.join()
            logs = [await _log(bus, name) for name in names]
    return {
        "seconds": round(seconds, 1),
        **_times(logs),
        "kib_a_session": sum(used) // count // 1024,
    }


async def _log(bus: Bus, session: str) -> list[Record]:
    records: list[Record] = []
    while page := await bus.read(session, after=len(records), count=2000):
        records += page
    return records


def _times(logs: list[list[Record]]) -> dict[str, Any]:
    waits: list[int] = []
    pauses: list[int] = []
    turns: list[int] = []
    gaps: list[int] = []
    for log in logs:
        asked: dict[str, int] = {}
        own: dict[str, int] = {}
        free, spoken = None, None
        for record in log:
            entry: Any = record.entry
            if entry.kind == "floor.bid":
                asked.setdefault(entry.participant, record.received_ms)
            elif entry.kind == "floor.granted":
                waits.append(record.received_ms - asked.pop(entry.participant, record.received_ms))
                pauses += [record.received_ms - free] if free is not None else []
            elif entry.kind == "floor.released":
                free = record.received_ms
            elif entry.kind == "message" and entry.participant in NAMES:
                turns += [record.received_ms - spoken] if spoken is not None else []
                spoken = record.received_ms
                gaps += [spoken - own[entry.participant]] if entry.participant in own else []
                own[entry.participant] = spoken
    figures = {"wait": waits, "own turns apart": gaps, "pause": pauses, "turn": turns}
    return {
        name: {"median_ms": statistics.median(times), "longest_ms": max(times),
               "ratio": round(max(times) / max(statistics.median(times), 1), 2), "of": len(times)}
        for name, times in figures.items()
    }  # fmt: skip


async def cancels() -> dict[str, float]:
    """Milliseconds from a person's publish to the draft's cancellation in the agent's process."""
    stopped: list[float] = []

    class Endless:
        """Speaks without an end, and notes when it is stopped."""

        def __init__(self) -> None:
            self.inner = ScriptedModel(eager)
            self.speaking = asyncio.Event()

        async def complete(self, prompt: Any) -> Any:
            return await self.inner.complete(prompt)

        async def stream(self, prompt: Any) -> Any:
            self.speaking.set()
            try:
                while True:
                    await asyncio.sleep(0.01)
                    yield "on and "
            finally:
                stopped.append(time.perf_counter())

    settings = {"floor": {"policy": "bid", "restarts": 10_000, "lease_ms": 600_000},
                "stop": {"turns": 10_000}}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        async with (
            serve("auto", Path(folder)) as server,
            await Bus.connect(server.url) as bus,
            await Bus.connect(server.url) as other,
        ):
            await bus.open("cut", SessionOpened(settings=settings))
            model = Endless()
            async with enter_room(RedisLog(MemoryReader(other, PACKS), "cut")) as room:
                task = asyncio.create_task(
                    host_agents(room, [HostedPart("ann", persona("ann"))], model, nonce="c")
                )
                times = []
                for k in range(CANCELS + 1):
                    if k:
                        await asyncio.wait_for(model.speaking.wait(), 10)
                        await asyncio.sleep(0.02)
                    model.speaking.clear()
                    seen, at = len(stopped), time.perf_counter()
                    message = Message(participant="host", content=f"Wait, {k}.")
                    await bus.publish("cut", [Draft(f"w{k}", message)])
                    while k and len(stopped) == seen:
                        await asyncio.sleep(0.0005)
                    times += [(stopped[-1] - at) * 1e3] if k else []
                task.cancel()
                await asyncio.wait([task])
    times.sort()
    return {"p50_ms": round(statistics.median(times), 2), "p99_ms": round(times[-2], 2),
            "longest_ms": round(times[-1], 2), "of": len(times)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    figures = {
        "cancel": asyncio.run(cancels()),
        "tables": asyncio.run(tables(args.sessions, args.turns, args.processes)),
    }
    if args.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(name, json.dumps(value, indent=2))


if __name__ == "__main__":
    main()
