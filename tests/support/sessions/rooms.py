"""A table to talk at: a session on a real Redis, agents hosted in this process or in others."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parley.bus import Bus, Draft
from parley.bus.entries import Message, ParticipantJoined, Record, SessionOpened
from parley.listeners.agents.host import HostedPart, HostTally, host_agents
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import Room, enter_room
from parley.memory.fold.apply import apply
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import cancel_and_wait
from tests.support.sessions.talkers import Answer, persona

ROOT = Path(__file__).parents[3]
SILENT_MS = 300_000  # whoever has not answered by then counts as silent, and all silent are the end
BID: dict[str, Any] = {"policy": "bid", "auction_ms": 20, "evaluation_ms": SILENT_MS}


def settings(stop: dict[str, Any], **groups: Any) -> dict[str, Any]:
    """Settings of a session whose agents bid; groups of it may be given."""
    floor = {**BID, **groups.pop("floor", {})}
    return {"floor": floor, "stop": stop, **groups}


async def opened(bus: Bus, session: str, tree: dict[str, Any]) -> None:
    await bus.open(session, SessionOpened(settings=tree))


async def publish_message(bus: Bus, session: str, who: str, content: str, **more: Any) -> int:
    """A person's message; its n."""
    message = Message(participant=who, content=content, **more)
    name = f"{who}:{random.getrandbits(64):x}"
    return (await bus.publish(session, [Draft(name, message)]))[0].n


async def seat(bus: Bus, session: str, who: str, **more: Any) -> None:
    """A person takes a seat."""
    joined = ParticipantJoined(participant=who, **more)
    await bus.publish(session, [Draft(f"seat:{who}", joined)])


async def log_of(bus: Bus, session: str) -> list[Record]:
    """The whole log."""
    records: list[Record] = []
    while page := await bus.read(session, after=len(records), count=2_000):
        records += page
    return records


@asynccontextmanager
async def room(bus: Bus, session: str) -> AsyncIterator[Room]:
    async with enter_room(RedisLog(MemoryReader(bus, PACKS), session)) as entered:
        yield entered


@asynccontextmanager
async def hosted(
    bus: Bus, session: str, names: Sequence[str], answer: Answer, *, nonce: str = "a",
    parts: Sequence[HostedPart] = (), **model: Any,
) -> AsyncIterator[asyncio.Task[HostTally]]:  # fmt: skip
    """Agents in this process; the task ends with the session."""
    async with room(bus, session) as entered:
        every = [*parts, *(HostedPart(name, persona(name)) for name in names)]
        scripted = ScriptedModel(answer, **model)
        task = asyncio.create_task(host_agents(entered, every, scripted, nonce=nonce))
        try:
            yield task
        finally:
            await cancel_and_wait(task)


@dataclass
class Crowd:
    """Processes that host agents; `kill_host` takes a random one away and starts it anew."""

    options: list[dict[str, Any]]
    processes: list[subprocess.Popen[bytes]]
    chance: random.Random
    kills: int = 0
    generation: int = 0

    def kill_host(self) -> None:
        place = self.chance.randrange(len(self.processes))
        self.processes[place].kill()
        self.processes[place].wait()
        self.kills += 1
        self.generation += 1
        self.processes[place] = _start(self.options[place], f"g{self.generation}")

    def kill_host_of(self, agent: str) -> None:
        place = next(i for i, options in enumerate(self.options) if agent in options["agents"])
        self.processes[place].kill()
        self.processes[place].wait()
        self.kills += 1
        self.generation += 1
        self.processes[place] = _start(self.options[place], f"g{self.generation}")


@contextmanager
def crowd(
    url: str, session: str, names: Sequence[str], answer: str, processes: int, *,
    seed: int = 0, **more: Any,
) -> Iterator[Crowd]:  # fmt: skip
    """`names` spread over that many processes, each with an arbiter of its own."""
    options = [
        {"url": url, "session": session, "agents": list(names[i::processes]), "answer": answer,
         "seed": seed, **more}
        for i in range(processes)
    ]  # fmt: skip
    started = Crowd(options, [_start(each, "g0") for each in options], random.Random(seed))
    try:
        yield started
    finally:
        for process in started.processes:
            process.kill()
            process.wait()


def _start(options: dict[str, Any], nonce: str) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "tests.support.processes.host_process",
        json.dumps({**options, "nonce": nonce}),
    ]
    return subprocess.Popen(command, cwd=ROOT)


def spend_by_prefix(records: Sequence[Record]) -> list[int]:
    """Tokens settled and reserved together after each entry, read from the log alone."""
    reserved: dict[str, int] = {}
    spent, sums = 0, []
    for record in records:
        entry: Any = record.entry
        if entry.kind == "spend.reserved":
            reserved.setdefault(entry.call, entry.tokens)
        elif entry.kind == "spend.settled" and entry.call in reserved:
            del reserved[entry.call]
            spent += entry.input_tokens + entry.output_tokens
        sums.append(spent + sum(reserved.values()))
    return sums


def commits_by_epoch(records: Sequence[Record]) -> dict[int, list[str]]:
    """Who spoke while an epoch lasted, agents alone, read from the log alone."""
    epoch, commits = 0, dict[int, list[str]]()
    entries: list[Any] = [record.entry for record in records]
    joined = [entry for entry in entries if entry.kind == "participant.joined"]
    agents = {entry.participant for entry in joined if entry.role == "agent"}
    for entry in entries:
        if entry.kind in ("floor.granted", "floor.released"):
            assert entry.epoch == epoch + 1, (epoch, entry)
            epoch = entry.epoch
        elif entry.kind == "message" and entry.participant in agents:
            commits.setdefault(epoch, []).append(entry.participant)
    return commits


def granted(records: Sequence[Record]) -> list[Record]:
    """The log without the reservations that the fold refused."""
    memory = Memory(PACKS)
    return [
        record
        for record in records
        if not any(fact.kind == "spend.refused" for fact in apply(memory, record))
    ]
