"""A backlog drained by workers, beside a bare loop over the same bytes.

    python -m benchmarks.drain [--sessions 200] [--messages 500] [--pairs 5] [--json]

Publishes `sessions` × `messages` entries of 480 characters into a private Redis,
then, in turn: a bare redis-py + hiredis loop that reads every entry in batches
of 100 and does nothing with it, one worker that folds them all (extraction,
facts, commits, snapshots), two workers. Every reader is a process of its own
that has connected before the clock starts. Ratios are taken pair by pair.
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
from pathlib import Path
from typing import Any

from benchmarks.fold import spread
from benchmarks.material import OPENED, PACKS, talk
from parley.bus import Bus, Draft
from parley.bus.embedded import serve
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.workers.projector import Projector
from parley.listeners.workers.worker import calm_collector

NAME = "drain-{}"


async def fill(url: str, sessions: int, messages: int) -> None:
    """Publish the backlog."""
    lines = talk(messages)
    async with await Bus.connect(url, outbox_seconds=0) as bus:
        for index in range(sessions):
            session = NAME.format(index)
            await bus.open(session, OPENED)
            await bus.publish(session, [Draft(f"line:{k}", line) for k, line in enumerate(lines)])


async def unfold(url: str, sessions: int) -> None:
    """Make everything due again, as if no worker had ever run."""
    import redis.asyncio

    async with await Bus.connect(url, outbox_seconds=0) as bus:
        keys = bus.keys
    client = redis.asyncio.from_url(url)
    pipe = client.pipeline(transaction=False)
    for index in range(sessions):
        own = keys.of(NAME.format(index))
        bucket = keys.bucket(NAME.format(index))
        pipe.hset(own.meta, "folded", 0)
        pipe.delete(own.facts, own.memory(fold_build()), bucket.claims("fold"))
        pipe.delete(bucket.due("effects"), bucket.due("upgrades"))
        pipe.zadd(bucket.due("fold"), {NAME.format(index): 0})
    await pipe.execute()
    await client.aclose()


async def bare(url: str, sessions: int) -> int:
    """Read every entry in batches of 100 and do nothing with it."""
    import redis.asyncio

    async with await Bus.connect(url, outbox_seconds=0) as bus:
        keys = bus.keys
    client = redis.asyncio.from_url(url)
    await client.ping()
    _ready()
    read = 0
    for index in range(sessions):
        log, last = keys.of(NAME.format(index)).log, "-"
        while rows := await client.xrange(log, min=last, count=100):
            read += len(rows)
            newest: Any = rows[-1][0]
            last = "(" + str(newest, "ascii")
    await client.aclose()
    return read


async def worker(url: str, owner: str) -> int:
    """Fold until nothing is due."""
    async with await Bus.connect(url, outbox_seconds=0) as bus:
        calm_collector()
        projector = Projector(bus, PACKS, owner)
        _ready()
        while await projector.round() == 0.0:
            pass
        return projector.tally.folded


def _ready() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


def run(children: list[list[str]], url: str, sessions: int) -> tuple[float, int]:
    """Seconds until every child is done, from a common start; entries they counted together."""
    command = [sys.executable, "-m", "benchmarks.drain", "--url", url, "--sessions", str(sessions)]
    started = [
        subprocess.Popen(
            [*command, *child], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for child in children
    ]
    for process in started:
        assert process.stdout is not None
        process.stdout.readline()
    begun = time.perf_counter()
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    counted = 0
    for process in started:
        assert process.stdout is not None
        counted += int(process.stdout.readline())
    took = time.perf_counter() - begun
    for process in started:
        process.wait(10)
    return took, counted


async def measure(sessions: int, messages: int, pairs: int) -> dict[str, Any]:
    """Ratios of one worker to the bare loop, and of two workers to one."""
    total = sessions * (messages + 1)
    ratios_to_bare, ratios_of_two, rates, folded = [], [], [], []
    with tempfile.TemporaryDirectory() as directory:
        async with serve("auto", Path(directory)) as server:
            await fill(server.url, sessions, messages)
            for _ in range(pairs):
                seconds_bare, _ = run([["--bare"]], server.url, sessions)
                await unfold(server.url, sessions)
                seconds_one, _ = run([["--worker", "one"]], server.url, sessions)
                await unfold(server.url, sessions)
                seconds_two, count = run(
                    [["--worker", "a"], ["--worker", "b"]], server.url, sessions
                )
                ratios_to_bare.append(seconds_bare / seconds_one)
                ratios_of_two.append(seconds_one / seconds_two)
                rates.append(total / seconds_one)
                folded.append(count)
    return {
        "one worker / bare loop": spread(ratios_to_bare),
        "two workers / one": spread(ratios_of_two),
        "messages a second, one worker": round(statistics.median(rates)),
        "entries": total,
        "entries folded by two": folded,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--messages", type=int, default=500)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--bare", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare:
        print(asyncio.run(bare(options.url, options.sessions)), flush=True)
    elif options.worker:
        print(asyncio.run(worker(options.url, options.worker)), flush=True)
    else:
        figures = asyncio.run(measure(options.sessions, options.messages, options.pairs))
        if options.json:
            print(json.dumps(figures))
        else:
            for name, figure in figures.items():
                print(f"{name:45} {figure}")


if __name__ == "__main__":
    main()
