"""Twenty subscribers in processes of their own hear all, once and in order, whatever dies."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from parley.bus import Bus, Cursor
from parley.listeners.workers.projector import Projector, ProjectorPace
from tests.faults.subscribers import BUFFER, Subscribers, heard
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.sessions import discuss, running, thoughts, whole

SESSION = "talk"
LOG = "parley:{0}:s:talk:log"
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is said, and how often Redis dies meanwhile; in each round a subscriber does."""

    rounds: int
    messages: int  # said in each round
    redis_every: int  # rounds
    many: int = 20


SHORT = Amount(rounds=20, messages=16, redis_every=10)
LONG = Amount(rounds=200, messages=16, redis_every=33)


def rows(file: Path) -> Rows:
    """What a subscriber has written down so far, but for a line under way."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_bytes().rpartition(b"\n")[0].splitlines()]


def items(rows: Rows) -> list[list[Any]]:
    return [row["item"] for row in rows if "item" in row]


class Outsider:
    """Somebody else's consumer group on the session's log."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self.read: list[str] = []
        with server.client() as client:
            client.xgroup_create(LOG, "outsider", "0")

    def go_on(self) -> None:
        """Read and acknowledge what is new."""
        with self._server.client() as client:
            ask: Any = client  # redis-py types its replies for every client setting at once
            while reply := ask.xreadgroup("outsider", "one", {LOG: ">"}, count=500):
                places = [place for place, _ in _entries(reply)]
                self.read += [fields[b"id"].decode() for _, fields in _entries(reply)]
                ask.xack(LOG, "outsider", *places)


def _entries(reply: Any) -> list[tuple[bytes, dict[bytes, bytes]]]:
    streams = reply.values() if isinstance(reply, dict) else [entries for _, entries in reply]
    entries = [row for stream in streams for row in stream]
    return entries[0] if entries and isinstance(entries[0], list) else entries


class Trial:
    """A session that is spoken in, folded and followed while its followers and Redis die."""

    def __init__(self, server: RedisServer, folder: Path, amount: Amount) -> None:
        self.server, self.folder, self.amount = server, folder, amount
        self.lively = [folder / f"s{k}" for k in range(amount.many)]
        self.frozen = folder / "frozen"
        self.files = [*self.lively, self.frozen]
        self.release = folder / "release"
        self.kills = self.midway = 0

    async def run(self) -> list[list[Any]]:
        """Everything that there was to hear: all entries, then all facts."""
        async with await Bus.connect(self.server.url) as bus:
            await discuss(bus, SESSION, 3)
            outsider = Outsider(self.server)
            with Subscribers(self.server.url, self.folder / "log") as crew:
                async with running(Projector(bus, PACKS, "w1", ProjectorPace(idle_seconds=0.05))):
                    await self._suffer(bus, crew, outsider)
                    await wait_until(lambda: is_folded(bus))
                truth = await everything(bus)
                self.release.touch()
                crew.say("thaw", self.frozen)
                dawdler = [self.folder / "dawdler", self.folder / "dawdler.beside"]
                await wait_until(lambda: all_heard([*self.files, *dawdler], truth))
            outsider.go_on()
            assert outsider.read == [record.id for record in await whole(bus, SESSION)]
            return truth

    async def _suffer(self, bus: Bus, crew: Subscribers, outsider: Outsider) -> None:
        for file in self.files:
            crew.say("follow", file, SESSION)
        crew.say("dawdle", self.folder / "dawdler", SESSION, self.release)
        beside = self.folder / "dawdler.beside"
        await wait_until(lambda: all(rows(file) for file in [*self.files, beside]))
        crew.say("freeze", self.frozen)  # the whole time: nobody waits for it
        published = 3
        for k in range(self.amount.rounds):
            await bus.publish(SESSION, thoughts(self.amount.messages, published + 1))
            await self._kill(crew, k, published + 1)
            published += self.amount.messages
            if k % self.amount.redis_every == self.amount.redis_every - 2:
                outsider.go_on()
                self.server.kill9()
                self.server.restart()

    async def _kill(self, crew: Subscribers, k: int, before: int) -> None:
        """Kill and replace the next one, as soon as it has begun on what is new."""
        victim = self.lively[k % len(self.lively)]
        await wait_until(lambda: entries_of(victim) > before, every=0.001)
        assert crew.say("kill", victim) == "-9"
        self.kills += 1
        self.midway += entries_of(victim) < before + self.amount.messages
        crew.say("follow", victim, SESSION)


def entries_of(file: Path) -> int:
    """The last entry that a subscriber has heard; reads no more than the end of its file."""
    with file.open("rb") as buffered_reader:
        buffered_reader.seek(max(0, file.stat().st_size - 4096))
        whole_lines = buffered_reader.read().rpartition(b"\n")[0]
    cursor = json.loads(whole_lines.rpartition(b"\n")[2])["cursor"]
    return Cursor.parse(cursor).seq


def all_heard(files: list[Path], truth: list[list[Any]]) -> bool:
    """True when each has come to the last entry and the last fact."""
    last = [item for item in truth if item[0] == "entry"][-1], truth[-1]
    return all(end in items(rows(file)) for file in files for end in last)


async def is_folded(bus: Bus) -> bool:
    info = await bus.info(SESSION)
    return info.folded == info.head


async def everything(bus: Bus) -> list[list[Any]]:
    entries: list[list[Any]] = [heard(record) for record in await whole(bus, SESSION)]
    facts = [heard(fact) for fact in await bus.fact_rows(SESSION, count=100_000)]
    return entries + facts


def assert_heard_once_and_in_order(file: Path, truth: list[list[Any]], first: int = 1) -> None:
    """Entries and facts each in their order, none missing, none twice, no fact too early.

    Who came later than entry `first` has heard all from its own first one on.
    """
    received = items(rows(file))
    for kind in ("entry", "fact"):
        mine = [item for item in received if item[0] == kind]
        stood = [item for item in truth if item[0] == kind]
        assert mine
        assert mine == (stood if first == 1 else stood[-len(mine) :]), file.name
    assert received[0][1] <= first
    last = received[0][1]
    for what, seq, *_ in received:
        last = seq if what == "entry" else last
        assert seq <= last, f"{file.name}: a fact of entry {seq} before it"


async def run(server: RedisServer, folder: Path, amount: Amount) -> None:
    trial = Trial(server, folder, amount)
    truth = await trial.run()
    facts = sum(item[0] == "fact" for item in truth)
    print(f"{len(truth)} items ({facts} facts), {trial.kills} kills, {trial.midway} midway")
    assert facts > trial.amount.rounds
    assert trial.kills >= trial.amount.many
    assert trial.midway >= 1  # killed with more to hear, or it shows nothing
    for file in [*trial.files, folder / "dawdler.beside"]:
        assert_heard_once_and_in_order(file, truth)
    assert_heard_once_and_in_order(folder / "dawdler", truth, first=3 + amount.messages)
    [reason] = [row["dropped"] for row in rows(folder / "dawdler") if "dropped" in row]
    behind = re.search(r"fell (\d+) items behind and was dropped; resume from cursor", reason)
    assert behind
    assert int(behind[1]) > BUFFER


async def test_twenty_subscribers_hear_all_once_through_kills_and_restarts(
    durable_server: RedisServer, tmp_path: Path
) -> None:
    """Each killed while it hears, Redis killed twice; one frozen and one idle hold nobody up."""
    await run(durable_server, tmp_path, SHORT)


@pytest.mark.long
async def test_twenty_subscribers_hear_a_long_talk_once(
    durable_server: RedisServer, tmp_path: Path
) -> None:
    """Three thousand messages, two hundred kills, Redis killed six times."""
    await run(durable_server, tmp_path, LONG)
