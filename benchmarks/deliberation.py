"""A deliberation over real HTTP: what it asks of a model, beside sending the whole history.

    python -m benchmarks.deliberation [--turns 60] [--agents 8] [--speed 1] [--json]

The endpoint is the tests' own: 300 ms to the first token, 50 tokens a second,
one call in twenty at fault, replies of 80 to 300 tokens from a seeded generator;
`--speed 10` makes it ten times as fast. It runs in a process of its own and
counts the tokens of what it receives, summaries included. The baseline sends
each speaker the same system prompt and all that was said so far, once a turn.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio

from benchmarks.material import PACKS
from parley.bus import Bus, Draft
from parley.bus.embedded import serve
from parley.bus.entries import Message, Record, SessionOpened
from parley.listeners.agents.host import HostedPart, HostTally, host_agents
from parley.listeners.agents.prompts import system_prompt
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import Room, enter_room
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector
from parley.memory.text.text_sizes import count_tokens
from parley.personas.library import bundled_cast

GOAL = "Decide how the session store survives the loss of a region, and what that may cost."
SEATS = (
    "proposer", "skeptic", "pragmatist", "historian", "customer", "security", "cost", "operator",
    "contrarian", "mediator", "measurer", "maintainer",
)  # fmt: skip


@contextmanager
def endpoint(speed: float, seed: int) -> Iterator[str]:
    """The endpoint's address; it serves in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.endpoint", str(speed), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


async def deliberate(turns: int, agents: int, speed: float, seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, endpoint(speed, seed) as url:
        async with (
            serve("auto", Path(folder)) as server,
            await Bus.connect(server.url) as bus,
            await Bus.connect(server.url) as other,
        ):
            model = OpenAIModel("small-1", large="large-1", url=url, timeout_seconds=60)
            stop = anyio.Event()
            aside = [
                asyncio.create_task(Projector(other, PACKS, "fold").run(stop)),
                asyncio.create_task(EffectRunner(other, PACKS, model, "effects").run(stop)),
            ]
            began = time.monotonic()
            hosted, room = await _session(bus, model, turns, agents)
            seconds = time.monotonic() - began
            stop.set()
            await asyncio.wait(aside)
            log = await _log(bus)
            await model.aclose()
    return {"seconds": round(seconds), **figures(log, hosted, room, agents)}


async def _session(bus: Bus, model: OpenAIModel, turns: int, agents: int) -> tuple[HostTally, Room]:
    settings = {
        "goal": GOAL,
        "summary": {"how": "model"},
        "floor": {"policy": "bid", "hops_soft": 0, "hops_hard": 0},
        "stop": {"any": [{"turns": turns}, {"seconds": 3600}]},
    }
    await bus.open("bench", SessionOpened(settings=settings, title="benchmark"))
    opening = Message(participant="host", content=GOAL)
    await bus.publish("bench", [Draft("opening", opening)])
    cast = bundled_cast()
    parts = [HostedPart(name, cast[name]) for name in SEATS[:agents]]
    async with enter_room(RedisLog(MemoryReader(bus, PACKS), "bench")) as room:
        return await host_agents(room, parts, model, nonce="bench"), room


async def _log(bus: Bus) -> list[Record]:
    records: list[Record] = []
    while page := await bus.read("bench", after=len(records), count=2000):
        records += page
    return records


def figures(log: list[Record], hosted: HostTally, room: Room, agents: int) -> dict[str, Any]:
    """What the session cost, turn by turn, from its log."""
    entries: list[Any] = [record.entry for record in log]
    sent, baseline = by_turn(entries, room)
    turns = len(sent)
    settled = [entry for entry in entries if entry.kind == "spend.settled"]
    asked = sum(entry.input_tokens for entry in settled)
    evaluations = sum(tally.evaluations for tally in hosted.agents.values())
    pairs = agents + turns * (agents - 1)  # (message, listener), nobody's own
    gated = sum((tally.gated for tally in hosted.agents.values()), Counter[str]())
    early, late = sent[10:20], sent[-10:]
    (closed,) = [entry for entry in entries if entry.kind == "session.closed"]
    return {
        "end": [closed.reason, closed.rule],
        "turns": turns,
        "evaluations": evaluations,
        "evaluations_per_pair": round(evaluations / pairs, 3),
        "sent_turns_11_20": round(statistics.mean(early)) if early else None,
        "sent_last_ten": round(statistics.mean(late)),
        "growth": round(statistics.mean(late) / statistics.mean(early), 3) if early else None,
        "baseline_last_turn": baseline[-1],
        "share_of_baseline_last_ten": round(
            statistics.mean(late) / statistics.mean(baseline[-10:]), 3
        ),
        "share_of_baseline_at_last": round(statistics.mean(late) / baseline[-1], 3),
        "cached_share": round(sum(entry.cached_tokens for entry in settled) / max(asked, 1), 3),
        "calls": dict(Counter(entry.outcome for entry in settled)),
        "tokens_by_purpose": room.memory.ledger.purposes,
        "gated": dict(gated.most_common()),
        "totals": closed.totals,
    }


def by_turn(entries: list[Any], room: Room) -> tuple[list[int], list[int]]:
    """Tokens sent until each turn was spoken, and what the whole history would have taken.

    Ballots are no part of a turn: a vote costs what it costs whenever it is held.
    """
    cast = bundled_cast()
    sent, baseline, since, history = [], [], 0, 0
    ballots = {entry.call for entry in entries if entry.kind == "spend.reserved"
               and entry.purpose == "ballot"}  # fmt: skip
    for entry in entries:
        if entry.kind == "spend.settled":
            since += 0 if entry.call in ballots else entry.input_tokens
        elif entry.kind == "message":
            if entry.participant in cast:
                system = count_tokens(system_prompt(cast[entry.participant], room.memory))
                baseline.append(system + history)
                sent.append(since)
                since = 0
            history += count_tokens(f"{entry.participant}: {entry.content}\n\n")
    # The call of a turn is settled right behind its message: move each one turn back.
    moved = [*sent[1:], since]
    first = sent[0] if sent else 0
    return ([first + moved[0], *moved[1:]] if moved else []), baseline


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    row = asyncio.run(deliberate(args.turns, args.agents, args.speed, args.seed))
    if args.json:
        print(json.dumps(row))
        return
    for name, value in row.items():
        print(f"{name:28} {value}")


if __name__ == "__main__":
    main()
