"""Publishing and hearing: rates and latencies beside the bare commands, in one run.

python -m benchmarks.live [--runs 5] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio
import redis.asyncio

from benchmarks.fold import spread
from benchmarks.material import OPENED, PACKS, talk
from parley.bus import Bus, Draft
from parley.bus.contract.wire import encode
from parley.bus.embedded import serve
from parley.bus.entries import Record
from parley.listeners.workers.projector import Projector

MESSAGES = 4000
RATE = 200  # a second, for latencies
LIVE_SECONDS = 5


async def publish_ratio(bus: Bus, client: redis.asyncio.Redis, batch: int, run: int) -> float:
    """Publishing through the bus, as a multiple of raw XADD pipelines of the same size."""
    lines = talk(MESSAGES, acts=0)[: MESSAGES if batch > 1 else MESSAGES // 4]
    bodies = [encode(line) for line in lines]
    raw = f"raw-{batch}-{run}"
    started = time.perf_counter()
    for at in range(0, len(bodies), batch):
        pipe = client.pipeline(transaction=False)
        for k, body in enumerate(bodies[at : at + batch], at):
            pipe.xadd(raw, {"id": f"line:{k}", "t": 1, "entry": body})
        await pipe.execute()
    bare = time.perf_counter() - started
    session = f"publish-{batch}-{run}"
    await bus.open(session, OPENED)
    drafts = [Draft(f"line:{k}", line) for k, line in enumerate(lines)]
    started = time.perf_counter()
    for at in range(0, len(drafts), batch):
        await bus.publish(session, drafts[at : at + batch])
    return bare / (time.perf_counter() - started)


async def latencies(bus: Bus, url: str, session: str) -> dict[str, list[float]]:
    """Milliseconds from publish to folded, and to a subscriber, at 200 messages a second."""
    await bus.open(session, OPENED)
    stop = anyio.Event()
    heard: dict[str, float] = {}
    sent: dict[str, float] = {}
    folded: dict[int, float] = {}
    async with await Bus.connect(url, outbox_seconds=0) as other:
        projector = Projector(other, PACKS, "live")
        running = asyncio.create_task(projector.run(stop))
        following = asyncio.create_task(_hear(other, session, heard))
        watching = asyncio.create_task(_watch_folded(other, session, folded, stop))
        await asyncio.sleep(0.3)
        seqs: dict[str, int] = {}
        for k, line in enumerate(talk(RATE * LIVE_SECONDS, acts=0)):
            tick = time.perf_counter()
            name = f"live:{k}"
            sent[name] = tick
            (receipt,) = await bus.publish(session, [Draft(name, line)])
            seqs[name] = receipt.seq
            await asyncio.sleep(max(0.0, 1 / RATE - (time.perf_counter() - tick)))
        await asyncio.sleep(0.5)
        stop.set()
        following.cancel()
        await asyncio.wait([running, following, watching])
    reached = sorted(folded.items())
    to_fold = []
    for name, seq in seqs.items():
        when = next((at for up_to, at in reached if up_to >= seq), None)
        if when is not None:
            to_fold.append((when - sent[name]) * 1e3)
    return {
        "folded": to_fold,
        "heard": [(heard[name] - at) * 1e3 for name, at in sent.items() if name in heard],
    }


async def _hear(bus: Bus, session: str, heard: dict[str, float]) -> None:
    async with bus.subscribe(session, None, facts=False) as items:
        async for item in items:
            if isinstance(item, Record):
                heard[item.id] = time.perf_counter()


async def _watch_folded(
    bus: Bus, session: str, folded: dict[int, float], stop: anyio.Event
) -> None:
    """Note when `folded` moves, as fast as one connection can ask."""
    while not stop.is_set():
        info = await bus.info(session)
        folded.setdefault(info.folded, time.perf_counter())


async def raw_pubsub(client: redis.asyncio.Redis) -> list[float]:
    """Milliseconds from a bare PUBLISH to its subscriber, at the same rate."""
    figures: list[float] = []
    subscriber = client.pubsub()
    await subscriber.subscribe("bare")

    async def hear() -> None:
        async for message in subscriber.listen():
            if message["type"] != "message":
                continue
            figures.append((time.perf_counter() - float(message["data"])) * 1e3)

    hearing = asyncio.create_task(hear())
    for _ in range(RATE * 2):
        await client.publish("bare", repr(time.perf_counter()))
        await asyncio.sleep(1 / RATE)
    hearing.cancel()
    await asyncio.wait([hearing])
    await subscriber.aclose()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
    return figures


def percentile(figures: list[float], share: int) -> float:
    """The value below which `share` per cent of `figures` lie."""
    return sorted(figures)[min(len(figures) - 1, len(figures) * share // 100)]


async def measure(runs: int) -> dict[str, Any]:
    """All figures of this page."""
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as directory:
        started = time.perf_counter()
        async with serve("auto", Path(directory)) as server:
            figures["embedded server's first answer, ms"] = round(
                (time.perf_counter() - started) * 1e3, 1
            )
            client = redis.asyncio.from_url(server.url)
            async with await Bus.connect(server.url, outbox_seconds=0) as bus:
                for batch in (1, 64):
                    ratios = [await publish_ratio(bus, client, batch, run) for run in range(runs)]
                    figures[f"publish, batches of {batch} / raw XADD"] = spread(ratios)
                figures["bytes in Redis of a message of 480 characters"] = await _bytes(bus, client)
                p50s: dict[str, list[float]] = {"folded": [], "heard": [], "bare": []}
                p99s: list[float] = []
                for run in range(runs):
                    samples = await latencies(bus, server.url, f"live-{run}")
                    for name, values in samples.items():
                        p50s[name].append(percentile(values, 50))
                    p99s.append(percentile(samples["folded"], 99))
                    p50s["bare"].append(percentile(await raw_pubsub(client), 50))
                figures["publish to folded, p50, ms"] = spread(p50s["folded"])
                figures["publish to folded, p99, ms"] = spread(p99s)
                figures["publish to subscriber, p50 / bare publish"] = spread(
                    [ours / bare for ours, bare in zip(p50s["heard"], p50s["bare"], strict=True)]
                )
            await client.aclose()
    return figures


async def _bytes(bus: Bus, client: redis.asyncio.Redis) -> int:
    session = "publish-64-0"
    keys = bus.keys.of(session)
    total = 0
    for key in (keys.log, keys.ids):
        total += int(await client.memory_usage(key, samples=0) or 0)
    return total // MESSAGES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = asyncio.run(measure(options.runs))
    if options.json:
        print(json.dumps(figures))
    else:
        for name, figure in figures.items():
            print(f"{name:48} {figure}")


if __name__ == "__main__":
    main()
