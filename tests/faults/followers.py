"""Followers of a session that write down what they hear: over the bus, events and a WebSocket."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from parley.bus import Cursor
from parley.bus.contract.errors import (
    BusError,
    FactsExpired,
    Fenced,
    SessionNotFound,
    SlowSubscriber,
    Unavailable,
)
from parley.bus.entries import Record
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import Room, enter_room
from parley.memory.errors import DomainError
from parley.memory.fold.canonical_bytes import dump
from tests.faults.gateway import Gateway
from tests.faults.language import PACKS
from tests.faults.subscribers import patient
from tests.support.doors.sse import seq_of, streamed

PAUSE = 0.05  # seconds before a follower that was cut off comes back


@dataclass(slots=True)
class Heard:
    """What one follower heard since it last began: (seq, id) of each entry."""

    name: str
    session: str
    places: list[tuple[int, str]] = field(default_factory=list)
    resets: int = 0
    connections: int = 0

    def begin_anew(self) -> None:
        """It was told that what it has may no longer stand."""
        self.places.clear()
        self.resets += 1


@dataclass(slots=True)
class Guest:
    """Who sits in the room of a session, and in the next one where that fails."""

    session: str
    room: Room | None = None
    rooms: int = 0

    @property
    def seq(self) -> int:
        return self.room.seq if self.room else 0

    def told(self) -> bytes:
        """The memory of the room that it is, or was last, in."""
        return dump(self.room.memory) if self.room else b""


async def follow_room(url: str, guest: Guest) -> None:
    """Sit in the session's room until it fails, and then in another, until it is cancelled."""
    async with patient(url) as bus:
        while True:
            try:
                door = RedisLog(MemoryReader(bus, PACKS), guest.session)
                async with enter_room(door) as guest.room:
                    guest.rooms += 1
                    while True:
                        await guest.room.wait_past(guest.seq)
            except (BusError, DomainError):
                await asyncio.sleep(PAUSE)


async def follow_bus(url: str, heard: Heard) -> None:
    """Subscribe, and again behind the last cursor, until it is cancelled."""
    cursor = Cursor.after(0)
    async with patient(url) as bus:
        while True:
            try:
                async with bus.subscribe(heard.session, cursor, facts=False) as subscription:
                    heard.connections += 1
                    async for item in subscription:
                        assert isinstance(item, Record)
                        cursor = subscription.cursor
                        heard.places.append((item.seq, item.id))
            except (Fenced, FactsExpired):
                heard.begin_anew()
                cursor = Cursor.after(0)
            except (SlowSubscriber, Unavailable, SessionNotFound):
                await asyncio.sleep(PAUSE)


async def follow_events(gateway: Gateway, heard: Heard) -> None:
    """Read server-sent events, and again with the last one's id, until it is cancelled."""
    path = f"/v1/sessions/{heard.session}/events?after=0"
    url, token = f"http://127.0.0.1:{gateway.port}", gateway.token("eve")
    last: dict[str, str] = {}
    while True:
        try:
            async with streamed(url, path, token, **last) as stream:
                while stream.status == 200:
                    event = await stream.next()
                    if event.event == "reset":
                        heard.begin_anew()
                        last = {}
                        break
                    if event.event == "entry":
                        assert event.id is not None
                        last = {"Last_Event_ID": event.id}
                        heard.places.append((seq_of(event), str(event.data["id"])))
                        heard.connections += 1
        except (OSError, EOFError, ValueError, TimeoutError):
            pass  # it was killed, or began to answer and was
        await asyncio.sleep(PAUSE)


async def follow_socket(gateway: Gateway, heard: Heard) -> None:
    """Listen at a WebSocket, and again behind the last cursor, until it is cancelled."""
    url = f"ws://127.0.0.1:{gateway.port}/v1/sessions/{heard.session}/ws"
    headers = {"Authorization": f"Bearer {gateway.token('wim')}"}
    after: str | int = 0
    while True:
        try:
            async with connect(url, additional_headers=headers, compression=None) as socket:
                await socket.send(json.dumps({"type": "subscribe", "after": after}))
                async for text in socket:
                    frame = json.loads(text)
                    if frame["type"] in ("reset", "nack"):  # it is not what it was
                        heard.begin_anew()
                        after = 0
                        break
                    if frame["type"] == "entry":
                        after = frame["cursor"]
                        heard.places.append((frame["seq"], frame["id"]))
        except (OSError, EOFError, TimeoutError, WebSocketException):
            pass  # it was killed, or began to answer and was
        await asyncio.sleep(PAUSE)
