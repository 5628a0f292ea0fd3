"""The doors under load: latency, fan-out, idle streams, moments of the past.

python -m benchmarks.doors [--runs 5] [--only latency,fanout,idle,past,posts] [--json]

The server is a process of its own, on a Redis of its own; the clients are this one.
Latencies stand beside a bare publish/subscribe of the same words in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import redis.asyncio

from benchmarks.fold import spread
from benchmarks.material import OPENED, PACKS, long_session, talk
from benchmarks.served import Served, served
from benchmarks.streams import Poster, Tally, hello_within, opened
from parley.bus import Bus
from parley.bus.embedded import serve
from parley.listeners.history.moments import History
from parley.listeners.workers.worker import calm_collector

RATE: Final = 200  # a second
SECONDS: Final = 5
FANOUT: Final = 1_000
FANOUT_RATE: Final = 10
IDLE: Final = 10_000
OF_A_TOKEN: Final = 30


def quantiles(milliseconds: list[float]) -> dict[str, float]:
    ordered = sorted(milliseconds)
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * q))] for q in (0.5, 0.99)]
    return {"p50": at[0], "p99": at[1]}


async def paced(count: int, rate: float, call: Callable[[int], Awaitable[None]]) -> None:
    """`call` for each of `count`, that many a second, late ones at once."""
    started = time.perf_counter()
    for k in range(count):
        await call(k)
        await asyncio.sleep(max(0.0, started + (k + 1) / rate - time.perf_counter()))


async def raw_latency(url: str, texts: list[str]) -> dict[str, float]:
    """Milliseconds of a bare publish to a bare subscriber."""
    latencies: list[float] = []
    async with redis.asyncio.from_url(url) as client, client.pubsub() as heard:
        await heard.subscribe("raw")

        async def hear() -> None:
            async for message in heard.listen():
                if message["type"] == "message":
                    sent = float(message["data"].partition(b" ")[0])
                    latencies.append((time.perf_counter() - sent) * 1e3)

        async def say(k: int) -> None:
            await client.publish("raw", f"{time.perf_counter()} {texts[k % len(texts)]}")

        hearing = asyncio.create_task(hear())
        await asyncio.sleep(0.1)
        await paced(RATE * SECONDS, RATE, say)
        await asyncio.sleep(0.2)
        hearing.cancel()
        await asyncio.wait({hearing})
    return quantiles(latencies)


async def latency(at: Served, bus: Bus, run: int, texts: list[str]) -> dict[str, float]:
    """Milliseconds from before the POST to the event on another connection."""
    session = f"latency-{run}"
    await bus.open(session, OPENED)
    raw = await raw_latency(at.redis, texts)
    tally, sent = Tally(), list[float]()
    async with opened(at, session, at.token("eve"), tally), Poster(at, session) as poster:
        await hello_within(tally, 1)

        async def say(k: int) -> None:
            sent.append(time.perf_counter())
            await poster.post(texts[k % len(texts)])

        await paced(RATE * SECONDS, RATE, say)
        await asyncio.sleep(0.3)
    assert len(tally.times) == len(sent), f"{len(sent)} said, {len(tally.times)} heard"
    own = quantiles([(b - a) * 1e3 for a, b in zip(sent, tally.times, strict=True)])
    return {
        "raw p50": raw["p50"], "raw p99": raw["p99"], "p50": own["p50"], "p99": own["p99"],
        "p99 / raw p99": own["p99"] / raw["p99"],
    }  # fmt: skip


async def fanout(at: Served, bus: Bus, run: int, texts: list[str]) -> dict[str, float]:
    """A thousand who listen to ten messages a second: lost events, and the server's load."""
    session = f"fanout-{run}"
    await bus.open(session, OPENED)
    tally = Tally()
    post_count = FANOUT_RATE * SECONDS * 2
    async with many(at, session, FANOUT, tally), Poster(at, session) as poster:
        before, began = at.cpu_seconds(), time.perf_counter()
        await paced(post_count, FANOUT_RATE, lambda k: poster.post(texts[k % len(texts)]))
        await tally.until(post_count * FANOUT, 20)
        took = time.perf_counter() - began
        used = at.cpu_seconds() - before
    return {"lost": post_count * FANOUT - tally.entries, "CPU %": 100 * used / took}


@asynccontextmanager
async def many(at: Served, session: str, count: int, tally: Tally) -> AsyncIterator[None]:
    """That many event streams of `session`, all past their hello."""
    tokens = [at.token(f"ana{k}") for k in range(count // OF_A_TOKEN + 1)]
    streams = []
    try:
        for start in range(0, count, 100):
            some = range(start, min(start + 100, count))
            made = [opened(at, session, tokens[k // OF_A_TOKEN], tally) for k in some]
            await asyncio.gather(*(stream.__aenter__() for stream in made))
            streams += made
        await hello_within(tally, count)
        yield
    finally:
        await asyncio.gather(*(stream.__aexit__(None, None, None) for stream in streams))


async def idle(at: Served, bus: Bus, run: int, _: list[str]) -> dict[str, float]:
    """KiB of the server that an idle subscriber takes."""
    session = f"idle-{run}"
    await bus.open(session, OPENED)
    tally = Tally()
    async with many(at, session, 50, tally):
        pass
    before = at.rss_kib()
    tally = Tally()
    async with many(at, session, IDLE, tally):
        taken = (at.rss_kib() - before) / IDLE
        async with Poster(at, session) as poster:
            began = time.perf_counter()
            await poster.post("Is everybody here?")
            await tally.until(IDLE, 30)
            took = time.perf_counter() - began
    return {"KiB each": taken, "all told, s": took, "lost": IDLE - tally.entries}


async def posts(at: Served, bus: Bus, run: int, texts: list[str]) -> dict[str, float]:
    """How many messages a second one client publishes, each after the other's receipt."""
    session = f"posts-{run}"
    await bus.open(session, OPENED)
    async with Poster(at, session) as poster:
        began = time.perf_counter()
        for k in range(1_000):
            await poster.post(texts[k % len(texts)])
        return {"a second": 1_000 / (time.perf_counter() - began)}


async def past(at: Served, bus: Bus, run: int, texts: list[str]) -> dict[str, float]:
    """Moments of a long session, in this process: cold build, then at random places."""
    records = long_session()
    session = f"past-{run}"
    await bus.restore(session, records)
    last = records[-1].n
    moments = History(bus, PACKS)
    began = time.perf_counter()
    await moments.at(session, last)
    cold = time.perf_counter() - began
    calm_collector()  # as the server does once it stands
    latencies, used = [], []
    for k in range(200):
        began, spent = time.perf_counter(), time.process_time()
        await moments.at(session, 1 + (k * 7_919) % last)
        latencies.append((time.perf_counter() - began) * 1e3)
        used.append((time.process_time() - spent) * 1e3)
    await moments.aclose()
    own = quantiles(used)
    async with Poster(at, session) as asking:
        await asking.get(f"/view?at={last - 1}")  # builds the server's own checkpoints
        views = []
        for k in range(200):
            began = time.perf_counter()
            await asking.get(f"/view?at={1 + (k * 6_007) % last}")
            views.append((time.perf_counter() - began) * 1e3)
    view = quantiles(views)
    return {
        "cold, s": cold, **quantiles(latencies), "CPU p50": own["p50"], "CPU p99": own["p99"],
        "view p50": view["p50"], "view p99": view["p99"],
    }  # fmt: skip


MEASURES: Final = {
    "latency": latency, "posts": posts, "fanout": fanout, "idle": idle, "past": past,
}  # fmt: skip


async def measured(runs: int, only: list[str]) -> dict[str, dict[str, list[float]]]:
    values: dict[str, dict[str, list[float]]] = {}
    texts = [entry.content for entry in talk(1_000) if entry.kind == "message"]
    for name in only:
        for run in range(1 if name == "idle" else runs):
            async with (
                serve("auto") as server,
                served(server.url) as at,
                await Bus.connect(server.url) as bus,
            ):
                for row, value in (await MEASURES[name](at, bus, run, texts)).items():
                    values.setdefault(name, {}).setdefault(row, []).append(value)
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default=",".join(MEASURES))
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    only = asked.only.split(",")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if "idle" in only and hard < IDLE + 1_000:
        print(f"idle: skipped, it needs ulimit -n of {IDLE + 1_000}", file=sys.stderr)
        only.remove("idle")
    figures: dict[str, Any] = asyncio.run(measured(asked.runs, only))
    if asked.json:
        print(json.dumps(figures))
        return
    for name, rows in figures.items():
        for row, values in rows.items():
            print(f"{name:8} {row:14} {spread(values)}")


if __name__ == "__main__":
    main()
