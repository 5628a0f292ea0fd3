"""When things happened, by the clock of the log: what an arbiter goes by."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from parley.bus import Bus, Draft
from parley.bus.contract.errors import Unavailable
from parley.bus.entries import Entry, FloorGranted, Message, Record, SessionOpened, VoteInitiated
from parley.bus.log import log_tail
from parley.bus.log.local_log import LocalLog
from parley.bus.log.log_pages import LogPage, read_page
from parley.listeners.cache.memory_cache import CachedMemory
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.rooms.log_clock import LogClock
from parley.listeners.rooms.log_port import LocalLogPort, LogReplaced, RedisLog
from parley.listeners.rooms.room import enter_room
from parley.memory.arbitration.steps import ElapsedTimes
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS
from tests.support.logs.tables import Table, agent, person
from tests.support.servers.patience import PATIENCE
from tests.support.sessions.sessions import discuss, replayed_bytes

SECOND = 1_000


def waited(table: Table, *entries: tuple[int, Entry]) -> ElapsedTimes:
    """What marks say after `entries`, each at its second."""

    async def main() -> ElapsedTimes:
        marks = LogClock()
        for second, entry in entries:
            table.put(entry)
            seq, n = table.memory.seq, table.memory.n
            marks.note(Record(seq, n, f"e{seq}", second * SECOND, entry), live=False)
        return marks.waited(table.memory)

    return asyncio.run(main())


def test_a_lease_is_counted_from_the_grant_whatever_is_said() -> None:
    """Else a holder that died would keep the floor as long as somebody asks for it."""
    table = Table(agent("ana"), person("eli"))
    grant = FloorGranted(participant="ana", epoch=1)
    elapsed = waited(table, (10, grant), (70, Message(participant="eli", content="Hello?")))
    assert elapsed.floor - elapsed.head == 60 * SECOND


def test_a_votes_time_is_counted_from_its_own_call() -> None:
    """Not from that of another one, nor from a call that was refused."""
    table = Table(agent("ana"), person("eli"), vote={"confirm": "all"})
    calls = [VoteInitiated(participant="eli", content=f"Question {k}?") for k in range(2)]
    refused = VoteInitiated(participant="ana", content="May I?")
    hello = Message(participant="eli", content="Hello?")
    elapsed = waited(table, (10, calls[0]), (70, calls[1]), (80, refused), (100, hello))
    assert {ref: ms - elapsed.head for ref, ms in elapsed.votes.items()} == {
        1: 90 * SECOND,
        2: 30 * SECOND,
    }


class _Crowded(LocalLogPort):
    """A session in which somebody speaks just as a room is entered."""

    async def recent(self, count: int) -> list[Record]:
        entry = Message(participant="eli", content="Morning.")
        await self.publish([Draft("late", entry)], None)
        return await super().recent(count)


async def test_what_is_said_while_a_room_is_entered_is_heard_once() -> None:
    """By its memory and among the recent messages alike."""
    log = LocalLog()
    log.open(SessionOpened())
    async with enter_room(_Crowded(log, PACKS)) as room, asyncio.timeout(PATIENCE):
        await room.wait_until_folded(2)
        assert [record.id for record in room.recent] == ["late"]
        assert room.memory.messages == 1


class _Faltering(LocalLogPort):
    """A store that is away when it is asked next, again and again: the log was replaced."""

    away = 0

    async def copy(self) -> CachedMemory:
        self._falter()
        return await super().copy()

    async def recent(self, count: int) -> list[Record]:
        self._falter()
        return await super().recent(count)

    async def follow(self, after: int) -> AsyncGenerator[list[Record]]:
        self._falter()
        async for records in super().follow(after):
            yield records
            if records[-1].id == "last":
                self.away = 3
                raise LogReplaced

    def _falter(self) -> None:
        self.away -= 1
        if self.away >= 0:
            raise Unavailable("Redis does not answer")


async def test_an_outage_while_a_log_is_read_anew_is_waited_out() -> None:
    """Nobody is told that the session is gone: it is read once the store is back."""
    log = LocalLog()
    log.open(SessionOpened())
    door = _Faltering(log, PACKS)
    async with enter_room(door) as room, asyncio.timeout(20):
        anew = asyncio.Event()
        room.add_listener(lambda record, facts: None, anew.set)
        message = Message(participant="eli", content="Morning.")
        await room.publish([Draft("last", message)])
        await anew.wait()
        await room.publish([Draft("later", message)])
        assert room.memory.messages == 2


async def test_a_room_outlives_the_reader_of_its_log(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever that died of, the room follows the session with the next one."""
    await discuss(bus, "a", 5)
    broken = True

    async def read_once_broken(*args: Any, **options: Any) -> LogPage:
        nonlocal broken
        if broken:
            broken = False
            raise RuntimeError("read() called while another coroutine is already waiting")
        return await read_page(*args, **options)

    async with enter_room(RedisLog(MemoryReader(bus, PACKS), "a")) as room, asyncio.timeout(20):
        monkeypatch.setattr(log_tail, "read_page", read_once_broken)
        await room.publish([Draft("late", Message(participant="eli", content="Hi."))])
        assert not broken
        assert dump(room.memory) == await replayed_bytes(bus, "a")


async def test_readers_of_a_process_read_the_memory_of_its_room(bus: Bus) -> None:
    """A session is folded once: the reader's copy goes to the room, and comes back from it."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 20)
    memory = await reader.current("a")
    async with enter_room(RedisLog(reader, "a")) as room:
        assert room.memory is memory
        (receipt,) = await bus.publish(
            "a", [Draft("late", Message(participant="eli", content="Hi."))]
        )
        assert await reader.current("a") is memory
        assert memory.seq == receipt.seq
        assert reader.peek("a") is memory
    assert await reader.current("a") is memory
    assert dump(memory) == await replayed_bytes(bus, "a")


class _Stuck:
    """A room that folds nothing any more."""

    def __init__(self, incarnation: str) -> None:
        self.memory, self.incarnation = Memory(PACKS), incarnation

    async def wait_until_folded(self, seq: int) -> None:
        await asyncio.sleep(PATIENCE)


async def test_a_room_that_is_behind_or_of_another_log_is_not_read(bus: Bus) -> None:
    """The log is, as if there were no room."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 20)
    for incarnation in ("another", (await bus.info("a")).incarnation):
        with reader.sharing("a", _Stuck(incarnation)):
            assert dump(await reader.current("a")) == await replayed_bytes(bus, "a")
