"""Throughput with 1, 2, 3 nodes and 1, 2, 4 workers, beside what the model says.

    python -m benchmarks.scale [--nodes 1,2,3] [--least] [--write]

Clusters of one, two and three primaries, each with a backlog of many short sessions, the first with
one of few long ones too, folded by 1, 2 and 4 processes. What others do on the machine is left out:
measured is processor time, and the seconds of a run are those that it takes two free cores: the
most of what its busiest process took and of half of what all took. The costs are those of one node
and one worker; every other point is predicted from them. With `--least` each is the least of this
run and the one in the file, for what others do only ever adds to it. `--write` puts points and
costs into benchmarks/data/scale.json, which `benchmarks.scale_model` runs on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import anyio
import redis
from anyio import to_thread

from benchmarks.material import OPENED, PACKS, talk
from benchmarks.scale_model import POINTS, Costs, drain
from parley.bus import Bus, Draft
from parley.bus.contract.keys import Keys
from parley.bus.log.local_log import LocalLog
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.workers.projector import Projector
from parley.listeners.workers.worker import calm_collector
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.memory import Memory
from tests.support.servers.clusters import ClusterServers

CORES: Final = 2
_STEPS: Final = 4  # until the model gives the two points that it is fitted to
WORKERS: Final = (1, 2, 4)
_TICK: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Load:
    name: str
    sessions: int
    entries: int  # of a session, its opening among them

    def names(self) -> list[str]:
        return [f"{self.name}-{number}" for number in range(self.sessions)]


SHORT: Final = Load("short", 800, 11)
LONG: Final = Load("long", 64, 151)


@dataclass(frozen=True)
class Point:
    nodes: int
    workers: int
    load: str
    seconds: float  # on two free cores
    wall: float
    worker_seconds: float  # of all workers
    node_seconds: float  # of all nodes


async def fill(url: str, load: Load, *, singly: bool) -> None:
    """The backlog; `singly`, each message is published by itself, as people do it."""
    lines = [Draft(f"m{k}", line) for k, line in enumerate(talk(load.entries - 1))]
    async with await Bus.connect(url, outbox_seconds=0) as bus:

        async def say(session: str) -> None:
            async with limit:
                await bus.open(session, OPENED)
                for part in [[line] for line in lines] if singly else [lines]:
                    await bus.publish(session, part)

        limit = anyio.CapacityLimiter(16)
        async with anyio.create_task_group() as tasks:
            for session in load.names():
                tasks.start_soon(say, session)


def unfold(cluster: ClusterServers, keys: Keys, load: Load) -> None:
    """Make everything due again, as if no worker had ever run."""
    with redis.RedisCluster.from_url(cluster.url) as client:
        for bucket in keys.buckets:
            client.delete(*(bucket.due(lane) for lane in ("fold", "effects", "upgrades", "votes")))
            client.delete(bucket.claims("fold"))
        for session in load.names():
            own = keys.of(session)
            client.hset(own.meta, "folded", 0)
            client.delete(own.facts, own.memory(fold_build()))
            client.zadd(own.bucket.due("fold"), {session: 0})


async def fold(url: str, owner: str) -> None:
    """Fold until nothing is due that no other has; prints the processor time that it took."""
    warm_up()
    async with await Bus.connect(url, outbox_seconds=0) as bus:
        calm_collector()
        projector = Projector(bus, PACKS, owner)
        print("ready", flush=True)
        sys.stdin.readline()
        begun = time.process_time()
        while await projector.round() == 0.0:
            pass
        print(time.process_time() - begun, flush=True)


def warm_up() -> None:
    """What a process does once for all sessions."""
    local, memory = LocalLog(session="warm"), Memory(PACKS)
    local.open(OPENED)
    local.publish([Draft(f"m{k}", line) for k, line in enumerate(talk(60))])
    for record in local.read():
        apply(memory, record)
    dump(memory)


def node_seconds(cluster: ClusterServers) -> list[float]:
    """The processor time of each node since it began."""
    seconds = []
    for node in cluster.nodes:
        fields = Path(f"/proc/{node.pid}/stat").read_text().rpartition(")")[2].split()
        seconds.append((int(fields[11]) + int(fields[12])) / _TICK)
    return seconds


def run_workers(cluster: ClusterServers, load: Load, workers: int) -> Point:
    command = [sys.executable, "-m", "benchmarks.scale", "--fold", cluster.url]
    children = [
        subprocess.Popen(
            [*command, f"w{number}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for number in range(workers)
    ]
    for child in children:
        assert child.stdout is not None
        child.stdout.readline()
    before, begun = node_seconds(cluster), time.perf_counter()
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    took = []
    for child in children:
        assert child.stdout is not None
        took.append(float(child.stdout.readline()))
    wall = time.perf_counter() - begun
    nodes = [after - once for after, once in zip(node_seconds(cluster), before, strict=True)]
    for child in children:
        child.communicate(timeout=30)
    seconds = max(*took, *nodes, (sum(took) + sum(nodes)) / CORES)
    return Point(
        len(nodes), workers, load.name, round(seconds, 3), round(wall, 2),
        round(sum(took), 3), round(sum(nodes), 3),
    )  # fmt: skip


async def measure(sizes: Sequence[int]) -> tuple[list[Point], float]:
    """Every point of clusters of these sizes, and what publishing a message takes a node."""
    points: list[Point] = []
    publish = 0.0
    for nodes in sizes:
        with ClusterServers(nodes) as cluster:
            async with await Bus.connect(cluster.url) as bus:
                keys = bus.keys
            for load in (SHORT, LONG) if nodes == 1 else (SHORT,):
                before, is_first = sum(node_seconds(cluster)), not publish
                await fill(cluster.url, load, singly=is_first)
                if is_first:
                    took = sum(node_seconds(cluster)) - before
                    publish = took / (load.sessions * load.entries)
                for workers in WORKERS:
                    await to_thread.run_sync(unfold, cluster, keys, load)
                    points.append(await to_thread.run_sync(run_workers, cluster, load, workers))
                    print(points[-1], flush=True)
    return points, publish


def fit(points: list[Point], publish: float) -> Costs:
    """What a turn and an entry take, by the two loads of one node and one worker."""
    alone = {point.load: point for point in points if (point.nodes, point.workers) == (1, 1)}
    short, long = SHORT, LONG

    def solve(first: float, second: float) -> tuple[float, float]:
        a, b, c, d = (
            short.sessions, short.sessions * short.entries, long.sessions,
            long.sessions * long.entries,
        )  # fmt: skip
        whole = a * d - b * c
        return (first * d - b * second) / whole, (a * second - first * c) / whole

    node = solve(alone["short"].node_seconds, alone["long"].node_seconds)
    took = {name: point.worker_seconds for name, point in alone.items()}
    for _ in range(_STEPS):  # a worker also waits: so much less is its own work
        worker = solve(took["short"], took["long"])
        costs = Costs(publish, *node, *worker, refold=worker[1])
        for name, point in alone.items():
            took[name] *= point.seconds / predict(costs, point)
    return costs


def take_least(points: list[Point], publish: float) -> tuple[list[Point], float]:
    """Those of the file, where a run of now took less: what others do only ever adds to it."""
    data = json.loads(POINTS.read_text())
    before = [Point(**{k: v for k, v in row.items() if k != "model"}) for row in data["points"]]
    least: dict[tuple[int, int, str], Point] = {}
    for point in (*before, *points):
        key = (point.nodes, point.workers, point.load)
        if key not in least or point.seconds < least[key].seconds:
            least[key] = point
    return list(least.values()), min(publish, data["costs"]["publish"])


def predict(costs: Costs, point: Point) -> float:
    load = SHORT if point.load == SHORT.name else LONG
    return drain(
        costs, nodes=point.nodes, workers=point.workers, sessions=load.sessions,
        entries=load.entries, cores=CORES,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--nodes", default="1,2,3", help="sizes of the clusters")
    parser.add_argument("--least", action="store_true", help="of this run and the file's")
    parser.add_argument("--fold", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fold:
        asyncio.run(fold(*given.fold))
        return
    points, publish = anyio.run(measure, [int(size) for size in given.nodes.split(",")])
    if given.least:
        points, publish = take_least(points, publish)
    costs = fit(points, publish)
    rows: list[dict[str, Any]] = []
    for point in points:
        load = SHORT if point.load == SHORT.name else LONG
        model = predict(costs, point)
        rows.append({**asdict(point), "model": round(model, 3)})
        rate = load.sessions * load.entries / point.seconds
        print(
            f"{point.nodes} nodes, {point.workers} workers, {point.load:5}: {rate:7,.0f} a second, "
            f"{point.seconds:.2f} s, model {model:.2f} s ({model / point.seconds - 1:+.0%})"
        )
    print(costs)
    if given.write:
        data = {"costs": asdict(costs), "points": rows}
        POINTS.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
