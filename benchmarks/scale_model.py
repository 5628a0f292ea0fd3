"""Sessions, workers and nodes as a simulation, with the costs that `benchmarks.scale` measures.

    python -m benchmarks.scale_model [--rate 4000] [--workers 8] [--nodes 3] [--sessions 1000000]
                                     [--active 1000] [--seconds 20]

A node of Redis, a worker's thread and each core serve whoever comes first. Messages come at random
into `active` of the sessions, are published on the node of their bucket, and folded by workers that
take up to eight due sessions at a time, read and commit in parts of three, and keep 1,024 memories
each: another one is folded anew, from `--history` entries, as one without a snapshot is. Printed
are what came through, how long from publication to commit, and how busy each part was. Cores are as
many as there are processes, unless `--cores` says.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
from collections import OrderedDict, deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

from parley.bus.client import CLUSTER_BUCKETS
from parley.bus.contract.keys import crc16

POINTS: Final = Path(__file__).with_name("data") / "scale.json"
TAKEN: Final = 8  # sessions at once, as ProjectorPace has it
PART: Final = 3
COPIES: Final = 1024
HEAD_START: Final = 0.1
LOOKED_AT: Final = TAKEN * 8 + 64

Steps = Generator[Any, None, None]


@dataclass(frozen=True)
class Costs:
    """Seconds of a processor."""

    publish: float  # of a node, for one message
    node_turn: float  # of a node: a session read and committed, with its share of a take
    node_entry: float
    worker_turn: float  # of a worker
    worker_entry: float
    refold: float = 0.0  # of a worker, for an entry of a memory that it does not keep

    @classmethod
    def measured(cls) -> Costs:
        return cls(**json.loads(POINTS.read_text())["costs"])


class Simulation:
    """Processes that wait for times and resources; the earliest goes on first."""

    def __init__(self) -> None:
        self.now = 0.0
        self._events: list[tuple[float, int, Steps]] = []
        self._number = count()

    def start(self, steps: Steps, at: float | None = None) -> None:
        heapq.heappush(self._events, (self.now if at is None else at, next(self._number), steps))

    def run(self, until: float = float("inf")) -> None:
        while self._events and self._events[0][0] <= until:
            self.now, _, steps = heapq.heappop(self._events)
            self._go_on(steps)

    def _go_on(self, steps: Steps) -> None:
        for wanted in steps:
            if isinstance(wanted, Resource):
                if not wanted.take(steps):
                    return
            elif wanted is None:  # until somebody starts it again
                return
            else:
                self.start(steps, self.now + wanted)
                return


class Resource:
    """`size` places; whoever finds none waits in line."""

    def __init__(self, simulation: Simulation, size: int = 1) -> None:
        self._simulation, self._free = simulation, size
        self._waiting: deque[Steps] = deque()
        self.busy = 0.0

    def take(self, steps: Steps) -> bool:
        if self._free:
            self._free -= 1
            return True
        self._waiting.append(steps)
        return False

    def give(self) -> None:
        if self._waiting:
            self._simulation.start(self._waiting.popleft())
        else:
            self._free += 1


def use(seconds: float, *resources: Resource) -> Steps:
    """Holds all of `resources`, one after the other in line for it, for `seconds`."""
    for resource in resources:
        yield resource
    yield seconds
    for resource in resources:
        resource.busy += seconds
        resource.give()


@dataclass
class Session:
    bucket: int
    pending: list[float] = field(default_factory=list)  # when each entry was published
    history: int = 0  # entries that were folded before
    is_due: bool = False  # or in hand
    since: float = 0.0
    owner: int = -1


class Fleet:
    """What there is, and what was done."""

    def __init__(self, costs: Costs, *, nodes: int, workers: int, cores: int) -> None:
        self.simulation, self.costs = Simulation(), costs
        self.cores = Resource(self.simulation, cores)
        self.nodes = [Resource(self.simulation) for _ in range(nodes)]
        self.threads = [Resource(self.simulation) for _ in range(workers)]
        self.caches: list[OrderedDict[int, Session]] = [OrderedDict() for _ in range(workers)]
        self.parts_left = [0] * workers
        self.workers = [self._work(worker) for worker in range(workers)]
        self.due: list[deque[Session]] = [deque() for _ in range(CLUSTER_BUCKETS)]
        self.sessions: dict[int, Session] = {}
        self.waits: list[float] = []  # from publication to commit
        self.cold = self.turns = 0
        self.publishing = True

    def session(self, number: int) -> Session:
        if number not in self.sessions:
            self.sessions[number] = Session(crc16(f"s{number}".encode()) % CLUSTER_BUCKETS)
        return self.sessions[number]

    def node_of(self, session: Session) -> Resource:
        return self.nodes[session.bucket * len(self.nodes) // CLUSTER_BUCKETS]

    def publish(self, number: int) -> Steps:
        """A message reaches the log, and its session falls due."""
        session, begun = self.session(number), self.simulation.now
        yield from use(self.costs.publish, self.node_of(session), self.cores)
        session.pending.append(begun)
        self._fall_due(session)

    def _fall_due(self, session: Session) -> None:
        if session.pending and not session.is_due:
            session.is_due, session.since = True, self.simulation.now
            self.due[session.bucket].append(session)

    def begin(self) -> None:
        for steps in self.workers:
            self.simulation.start(steps)

    def keep(self, session: Session, worker: int) -> None:
        """Has a worker fold it before, and keep its memory."""
        session.owner = worker
        self._keeps(worker, session)

    def _work(self, worker: int) -> Steps:
        """A worker, until nothing comes any more."""
        first = worker
        while True:
            first += 1
            taken = self._take(worker, first)
            if taken:
                parts = [taken[k : k + PART] for k in range(0, len(taken), PART)]
                self.parts_left[worker] = len(parts)
                for part in parts:
                    self.simulation.start(self._serve(worker, part))
                yield None
            elif self.publishing or any(self.due):
                yield 0.005
            else:
                return

    def _take(self, worker: int, first: int) -> list[Session]:
        taken: list[Session] = []
        for k in range(CLUSTER_BUCKETS):
            due = self.due[(first + k) % CLUSTER_BUCKETS]
            passed: list[Session] = []
            for _ in range(min(len(due), LOOKED_AT)):
                if len(taken) == TAKEN:
                    return taken
                session = due.popleft()
                early = self.simulation.now < session.since + HEAD_START
                if early and session.owner not in (-1, worker):
                    passed.append(session)
                else:
                    taken.append(session)
            due.extendleft(reversed(passed))
        return taken

    def _serve(self, worker: int, part: Sequence[Session]) -> Steps:
        costs, thread = self.costs, self.threads[worker]
        for session in part:
            yield from use(costs.node_turn / 2, self.node_of(session), self.cores)
        for session in part:
            entries, session.pending = session.pending, []
            again = 0 if self._keeps(worker, session) else session.history
            seconds = costs.worker_turn + len(entries) * costs.worker_entry + again * costs.refold
            yield from use(seconds, thread, self.cores)
            seconds = costs.node_turn / 2 + len(entries) * costs.node_entry
            yield from use(seconds, self.node_of(session), self.cores)
            self.waits += [self.simulation.now - begun for begun in entries]
            self.turns += 1
            self.cold += again > 0
            session.history += len(entries)
            session.owner, session.is_due = worker, False
            self._fall_due(session)
        self.parts_left[worker] -= 1
        if not self.parts_left[worker]:
            self.simulation.start(self.workers[worker])

    def _keeps(self, worker: int, session: Session) -> bool:
        cache = self.caches[worker]
        kept = cache.pop(id(session), None) is not None
        cache[id(session)] = session
        if len(cache) > COPIES:
            cache.popitem(last=False)
        return kept


def drain(
    costs: Costs, *, nodes: int, workers: int, sessions: int, entries: int, cores: int = 2
) -> float:
    """The seconds until a backlog is folded."""
    fleet = Fleet(costs, nodes=nodes, workers=workers, cores=cores)
    fleet.publishing = False
    for number in range(sessions):
        session = fleet.session(number)
        session.pending = [0.0] * entries
        fleet._fall_due(session)
    fleet.begin()
    fleet.simulation.run()
    return fleet.simulation.now


def live(
    costs: Costs, *, nodes: int, workers: int, cores: int, sessions: int, active: int, rate: float,
    history: int, seconds: float, seed: int = 1,
) -> dict[str, Any]:  # fmt: skip
    """What becomes of messages that come at random, `rate` a second, into `active` sessions."""
    fleet, chance = Fleet(costs, nodes=nodes, workers=workers, cores=cores), random.Random(seed)
    numbers = chance.sample(range(sessions), active)
    for place, number in enumerate(numbers):
        session = fleet.session(number)
        session.history = history
        if place < workers * COPIES:
            fleet.keep(session, place % workers)

    def arrive() -> Steps:
        while fleet.simulation.now < seconds:
            fleet.simulation.start(fleet.publish(chance.choice(numbers)))
            yield chance.expovariate(rate)
        fleet.publishing = False

    fleet.simulation.start(arrive())
    fleet.begin()
    fleet.simulation.run(until=seconds)
    waits = sorted(fleet.waits)
    offered = len(waits) + sum(len(each.pending) for each in fleet.sessions.values())
    return {
        "messages": offered,
        "folded_share": round(len(waits) / max(1, offered), 3),
        "p50_ms": round(1000 * waits[len(waits) // 2], 1) if waits else None,
        "p99_ms": round(1000 * waits[int(len(waits) * 0.99)], 1) if waits else None,
        "entries_a_turn": round(len(waits) / max(1, fleet.turns), 2),
        "cold_share": round(fleet.cold / max(1, fleet.turns), 3),
        "busiest_node": round(max(node.busy for node in fleet.nodes) / seconds, 2),
        "busiest_worker": round(max(thread.busy for thread in fleet.threads) / seconds, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=4000.0, help="messages a second")
    parser.add_argument("--workers", type=int, default=8, help="processes that fold")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--cores", type=int, default=0, help="0: one a process")
    parser.add_argument("--sessions", type=int, default=1_000_000)
    parser.add_argument("--active", type=int, default=1000, help="sessions in which people talk")
    parser.add_argument("--history", type=int, default=50, help="entries of a session before")
    parser.add_argument("--seconds", type=float, default=20.0)
    given = parser.parse_args()
    given.cores = given.cores or given.workers + given.nodes
    print(json.dumps(live(Costs.measured(), **vars(given))))


if __name__ == "__main__":
    main()
