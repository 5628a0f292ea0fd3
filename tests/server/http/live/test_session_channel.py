"""The stream of a room: whoever listens hears every entry once, whenever they came."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import msgspec
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.bus import Bus, Draft
from parley.bus.contract.errors import SessionNotFound
from parley.bus.entries import Message, Record, SessionOpened, VoteInitiated
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.history.moments import History
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import Room, enter_room
from parley.memory.fold.apply import apply
from parley.memory.state.memory import Memory
from parley.server.http.live import frames as made
from parley.server.http.live.client_queue import BYTES, FRAMES, ClientQueue
from parley.server.http.live.cursors import StreamCursor
from parley.server.http.live.frames import BEAT, Frame, entry_frame, notice_frame, reset_frame
from parley.server.http.live.session_channel import SessionChannel, Subscription
from parley.server.http.live.session_channels import SessionChannels
from tests.support.logs.logs import PACKS, numbered
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.sessions import discuss, whole


@dataclass
class Client:
    """One who listens, goes away and comes back with the cursor it has."""

    began: int
    heard: list[int] = field(default_factory=list)
    listener: Subscription | None = None
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    reading: asyncio.Task[None] | None = None

    async def come(self, channel: SessionChannel, after: int | None) -> None:
        self.listener = await self.stack.enter_async_context(
            channel.listen(None if after is None else StreamCursor(after))
        )
        if after is None:
            self.began = self.listener.after
        self.reading = asyncio.create_task(self._read(self.listener))

    async def go(self) -> None:
        if self.reading is not None:
            self.reading.cancel()
            await asyncio.wait({self.reading})
        await self.stack.aclose()

    async def come_back(self, channel: SessionChannel) -> None:
        await self.go()
        await self.come(channel, self.heard[-1] if self.heard else self.began)

    async def _read(self, listener: Subscription) -> None:
        while frames := await listener.frames():
            self.heard += [frame.seq for frame in frames]


@asynccontextmanager
async def channelled(
    url: str, session: str, before: int, ring: int = 2_000, stretch: int = 500
) -> AsyncIterator[tuple[Bus, Room, SessionChannel]]:
    """A channel of a session that had `before` messages when its room was entered."""
    async with await Bus.connect(url) as bus:
        await discuss(bus, session, before)
        moments = History(bus, PACKS)
        try:
            async with enter_room(RedisLog(MemoryReader(bus, PACKS), session)) as room:
                yield bus, room, SessionChannel(room, moments, ring=ring, stretch=stretch)
        finally:
            await moments.aclose()


step = st.one_of(
    st.tuples(st.just("say"), st.integers(1, 4)),
    st.tuples(st.just("come"), st.none() | st.integers(0, 40)),
    st.tuples(st.just("back"), st.integers(0, 5)),
    st.tuples(st.just("breathe"), st.integers(1, 3)),
)


@given(
    steps=st.lists(step, min_size=3, max_size=14),
    ring=st.integers(1, 8),
    stretch=st.integers(1, 5),
    before=st.integers(1, 12),
)
@settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_interleaving_gives_each_entry_once_and_in_order(
    redis_url: str, steps: list[tuple[str, Any]], ring: int, stretch: int, before: int
) -> None:
    """Whoever comes, goes and comes back, from whatever place, while others speak."""
    session = f"s{abs(hash((str(steps), ring, stretch, before)))}"
    asyncio.run(_interleave(redis_url, session, steps, ring, stretch, before))


async def _interleave(
    url: str, session: str, steps: list[tuple[str, Any]], ring: int, stretch: int, before: int
) -> None:
    clients: list[Client] = []
    async with channelled(url, session, before, ring, stretch) as (bus, room, channel):
        count = before
        for what, value in steps:
            if what == "say":
                await discuss(bus, session, value, first=count + 1)
                count += value
            elif what == "come":
                after = None if value is None else min(value, room.seq)
                clients.append(Client(after or 0))
                await clients[-1].come(channel, after)
            elif what == "back" and clients:
                await clients[value % len(clients)].come_back(channel)
            else:
                for _ in range(value):
                    await anyio.sleep(0)
        head = (await bus.info(session)).head
        with anyio.fail_after(PATIENCE):
            for client in clients:
                while (client.heard[-1] if client.heard else client.began) < head:
                    await anyio.sleep(0.001)
        for client in clients:
            assert client.heard == list(range(client.began + 1, head + 1))
            await client.go()
        await bus.remove(session)


async def test_those_who_come_back_at_once_share_one_fold(redis_url: str) -> None:
    """Of a hundred with cursors of their own, one fills the ring, and the others wait for it."""
    asked = 0

    class Counting(History):
        def since(self, session: str, seq: int, to: int) -> Any:
            nonlocal asked
            asked += 1
            return super().since(session, seq, to)

    async with await Bus.connect(redis_url) as bus:
        await discuss(bus, "s", 120)
        moments = Counting(bus, PACKS)
        async with enter_room(RedisLog(MemoryReader(bus, PACKS), "s")) as room:
            channel = SessionChannel(room, moments)
            clients = [Client(after) for after in range(100)]
            for client in clients:
                await client.come(channel, client.began)
            with anyio.fail_after(PATIENCE):
                while any(not c.heard or c.heard[-1] < room.seq for c in clients):
                    await anyio.sleep(0.005)
            assert asked == 1
            for client in clients:
                assert client.heard == list(range(client.began + 1, room.seq + 1))
                await client.go()
        await moments.aclose()


async def test_facts_are_the_same_however_they_are_heard(redis_url: str) -> None:
    """Live, out of the ring, and folded from the log: byte for byte one event."""
    async with channelled(redis_url, "s", 40) as (bus, room, channel):
        async with channel.listen(None) as live:
            await discuss(bus, "s", 30, first=41)
            heard: list[Frame] = []
            while not heard or heard[-1].seq < (await bus.info("s")).head:
                heard += await live.frames()
        other = SessionChannel(room, channel._moments, stretch=7)
        other._floor = room.seq
        async with other.listen(live.cursor) as late:
            frames: list[Frame] = []
            while len(frames) < len(heard):
                frames += await late.frames()
        assert [frame.sse for frame in frames] == [frame.sse for frame in heard]
        assert any(b'"facts":[{' in frame.data for frame in frames)


async def test_a_log_that_was_replaced_resets_whoever_listens(redis_url: str) -> None:
    """Those who are live and those who are behind begin anew at the new head, and go on."""
    async with channelled(redis_url, "s", 20, ring=1) as (bus, room, channel):
        records = await whole(bus, "s")
        async with channel.listen(None) as live, channel.listen(StreamCursor(3)) as behind:
            await bus.restore("s", records[:8], replace=True)
            while room.seq != 8:
                await room.wait_past(room.seq, 5)
            for listener in (live, behind):
                (reset,) = await listener.frames()
                assert (reset.event, reset.seq) == ("reset", 8)
            await discuss(bus, "s", 1, first=30)
            for listener in (live, behind):
                assert [frame.seq for frame in await listener.frames()] == [9]


async def test_a_session_that_is_removed_ends_whoever_listens(redis_url: str) -> None:
    """Through `SessionChannels`, which lets go of the room: the next to come finds no session."""
    async with await Bus.connect(redis_url) as bus:
        await discuss(bus, "s", 3)
        moments = History(bus, PACKS)
        rooms = SessionChannels(MemoryReader(bus, PACKS), moments)
        async with rooms.room("s"), rooms.channel("s").listen(None) as listener:
            channel = rooms.channel("s")
            await bus.remove("s")
            with anyio.fail_after(PATIENCE):
                assert await listener.frames() == []
            assert listener.outlet.ended == "gone"
            async with channel.listen(None) as late:
                assert await late.frames() == []
            assert rooms.current("s") is None
            with pytest.raises(SessionNotFound):
                await rooms.room("s").__aenter__()
        await rooms.aclose()
        await moments.aclose()


async def test_a_room_whose_session_is_removed_is_not_kept_for_its_votes(redis_url: str) -> None:
    """Nobody counts there any more: it goes with whoever was in it."""
    async with await Bus.connect(redis_url) as bus:
        await discuss(bus, "s", 3)
        called = VoteInitiated(participant="ana", content="Boats?")
        await bus.publish("s", [Draft("vote", called)])
        moments = History(bus, PACKS)
        rooms = SessionChannels(MemoryReader(bus, PACKS), moments, linger_seconds=0.01)

        async def visit() -> weakref.ref[Room]:
            async with rooms.room("s") as room:
                assert room.memory.votes.running
                await bus.remove("s")
                await wait_until(lambda: rooms.current("s") is None)
                return weakref.ref(room)

        gone = await visit()
        await wait_until(lambda: gc.collect() >= 0 and gone() is None)
        await rooms.aclose()
        await moments.aclose()


async def test_a_room_is_shared_and_kept_a_while_after_the_last_left(redis_url: str) -> None:
    """Two who come at once get one room; who comes back in time finds it again."""
    async with await Bus.connect(redis_url) as bus:
        await discuss(bus, "s", 3)
        moments = History(bus, PACKS)
        rooms, brief = (
            SessionChannels(MemoryReader(bus, PACKS), moments, seconds) for seconds in (60.0, 0.01)
        )

        async def visit(rooms: SessionChannels) -> Room:
            async with rooms.room("s") as room:
                await anyio.sleep(0)
                return room

        room, other = await asyncio.gather(visit(rooms), visit(rooms))
        assert room is other
        assert await visit(rooms) is room
        await visit(brief)
        await wait_until(lambda: brief.current("s") is None)
        await brief.aclose()
        await rooms.aclose()
        assert rooms.current("s") is None
        await moments.aclose()


async def test_messages_alone_come_with_their_facts(redis_url: str) -> None:
    """`show` leaves out the entries of other groups, not what messages gave."""
    async with (
        channelled(redis_url, "s", 20) as (_, room, channel),
        channel.listen(StreamCursor(0), frozenset({"messages"})) as listener,
    ):
        frames: list[Frame] = []
        while not frames or frames[-1].seq < room.seq:
            frames += await listener.frames()
    assert {frame.group for frame in frames} == {"messages"}
    assert [frame.seq for frame in frames] == list(range(2, 22))


async def test_an_outlet_over_its_limit_is_dropped_and_holds_nothing() -> None:
    """Who queues does not wait, and what was queued is let go of."""
    outlet = ClientQueue()
    for seq in range(1, FRAMES + 2):
        outlet.put(Frame("entry", seq, "messages", b"{}"))
    assert outlet.ended == "slow"
    assert await outlet.frames() == []
    long = ClientQueue()
    long.put(Frame("entry", 1, "messages", b"x" * (BYTES + 1)))
    assert len(await long.frames()) == 1, "a frame longer than the limit passes alone"
    for seq in (1, 2):
        long.put(Frame("entry", seq, "messages", b"x" * (BYTES // 2 + 1)))
    assert long.ended == "slow"


async def test_what_an_outlet_begins_with_counts_towards_no_limit() -> None:
    """A ring of two thousand frames is no sign of a slow client; what comes on top counts."""
    outlet = ClientQueue()
    outlet.prefill([Frame("entry", seq, "messages", b"{}") for seq in range(1, 2_001)])
    for seq in range(2_001, 3_001):
        outlet.put(Frame("entry", seq, "messages", b"{}"))
    assert outlet.ended is None
    outlet.beat()
    assert [frame.seq for frame in await outlet.frames()] == list(range(1, 3_001))
    outlet.beat()
    assert await outlet.frames() == [BEAT]


async def test_what_was_queued_is_told_before_the_end() -> None:
    """An outlet that ends for another reason than slowness says what it has."""
    outlet = ClientQueue()
    outlet.put(reset_frame(StreamCursor(7), 3))
    outlet.end("shutdown")
    outlet.end("expired")
    outlet.put(reset_frame(StreamCursor(8), 3))
    assert [frame.seq for frame in await outlet.frames()] == [7]
    assert await outlet.frames() == []
    assert outlet.ended == "shutdown"


def test_a_frame_is_one_line_whatever_was_said() -> None:
    """Line breaks, and what looks like a field of the protocol, stay inside the JSON."""
    words = "a\ndata: {}\r\nid: 99\n\nevent: bye\u2028\x00\x1b[31m</script>"
    (record,) = numbered([Message(participant="ana\nid: 7", content=words)])
    frame = entry_frame(record, apply(Memory(PACKS), numbered([SessionOpened()])[0]))
    lines = frame.sse.split(b"\n")
    assert lines[:2] == [f"id: 1-{record.mark}".encode(), b"event: entry"]
    assert lines[2].startswith(b"data: ")
    assert lines[3:] == [b"", b""]
    assert b"\r" not in frame.sse
    assert orjson.loads(lines[2][6:])["entry"]["content"] == words
    assert orjson.loads(frame.ws) == orjson.loads(lines[2][6:])


def test_a_frame_without_facts_differs_in_nothing_else() -> None:
    """`facts=0` is cut from the same bytes."""
    log = numbered([SessionOpened(), Message(participant="ana", content="Hello.")])
    frame = entry_frame(log[1], [])
    assert orjson.loads(frame.bare.data) == {
        key: value for key, value in orjson.loads(frame.data).items() if key != "facts"
    }
    assert frame.bare.sse.startswith(f"id: 2-{log[1].mark}\nevent: entry\n".encode())
    assert notice_frame("bye", reason="gone").bare.data == b'{"type":"bye","reason":"gone"}'


def test_text_that_is_not_utf8_is_told_as_unreadable() -> None:
    """What was written past the doors breaks no stream."""
    (record,) = numbered([Message(participant="ana", content="Hello.")])
    broken: Any = msgspec.structs.replace(record.entry, content="\ud800")  # type: ignore[type-var]
    frame = entry_frame(Record(1, 1, "e1", 5, broken), [])
    assert orjson.loads(frame.data)["unreadable"] is True
    assert made.group_of_kind("participant.joined") == "floor"
