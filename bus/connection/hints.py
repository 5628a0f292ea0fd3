"""Hints by publish/subscribe: something fell due, a session moved.

A hint only saves waiting. All that a listener does on one it also does once a
second without, so a hint may be lost, doubled or late.

One task alone uses the connection; a broken one is replaced by another that follows all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import anyio

from parley.bus.connection.connections import Connections
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.server_connection import ServerConnection, pack_commands
from parley.bus.connection.server_errors import RedisError, translate_errors
from parley.bus.connection.signal import Signal
from parley.bus.connection.single_node import BLOCK_SECONDS
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.keys import Keys

_RETRY_SECONDS: Final = 0.5
_logger = EventLog(__name__)


class Hints:
    """The one publish/subscribe connection of a process, and the signals that its hints set."""

    def __init__(self, connections: Connections, keys: Keys) -> None:
        self._connections = connections
        self._wakes = tuple(bucket.wake for bucket in keys.buckets)
        self._channels: dict[str, Signal] = {}
        self._owners: dict[str, _PendingHints] = {}
        self._tasks = TaskHost("parley-hints")
        self._listener: Child | None = None
        self._lost = False
        self._reading: anyio.CancelScope | None = None

    async def aclose(self) -> None:
        await self._tasks.aclose()
        self._listener = None

    def follow(self, channel: str) -> Signal:
        """A signal that each hint on `channel` sets, and its beginning; clear it before looking."""
        signal = self._channels[channel] = Signal()
        self._start()
        self._interrupt()
        return signal

    def unfollow(self, channel: str) -> None:
        """Ends the hints on `channel`."""
        self._channels.pop(channel, None)
        self._interrupt()

    def spend(self, owner: str, lane: str) -> None:
        """`owner` is about to look into `lane`: earlier hints are spent."""
        self._pending(owner).spend(lane)

    async def wait_due(
        self, lanes: Sequence[str], owner: str, seconds: float, head_start: float
    ) -> bool:
        pending = self._pending(owner)
        deadline = anyio.current_time() + min(seconds, BLOCK_SECONDS)
        while not pending.own.intersection(lanes):
            if pending.others.intersection(lanes):
                deadline = min(deadline, anyio.current_time() + head_start)
            if (left := deadline - anyio.current_time()) <= 0:
                return bool(pending.others.intersection(lanes))
            pending.signal.clear()
            with anyio.move_on_after(left):
                await pending.signal.wait()
        return True

    def _pending(self, owner: str) -> _PendingHints:
        self._start()
        return self._owners.setdefault(owner, _PendingHints())

    def _start(self) -> None:
        if self._listener is None:
            self._listener = self._tasks.start("parley-hints-listener", self._listen_always)

    async def _listen_always(self) -> None:
        """Without hints all is only slower, so nobody is stopped by an error, whatever it is."""
        while True:
            try:
                connection = await self._connections.subscription()
                try:
                    await self._listen(connection)
                finally:
                    connection.disconnect()
            except Exception as error:
                self._say_lost(error)
                await anyio.sleep(_RETRY_SECONDS)

    def _say_lost(self, error: Exception) -> None:
        if not self._lost:  # logged once an outage, not twice a second
            address = self._connections.address
            known = isinstance(error, (RedisError, OSError))
            reason = str(translate_errors(error, address)) if known else repr(error)
            _logger.warning("hints_lost", reason=reason)
        self._lost = True

    def _interrupt(self) -> None:
        if self._reading is not None:
            self._reading.cancel()

    async def _listen(self, connection: ServerConnection) -> None:
        followed: set[str] = set(self._wakes)
        await _tell(connection, "SUBSCRIBE", followed)
        while True:
            wanted = self._channels.keys() | set(self._wakes)
            await _tell(connection, "SUBSCRIBE", wanted - followed)
            await _tell(connection, "UNSUBSCRIBE", followed - wanted)
            followed = wanted
            message = None
            with anyio.CancelScope() as self._reading:
                if self._channels.keys() | set(self._wakes) == followed:  # nobody came meanwhile
                    message = await connection.receive()
            self._reading = None
            if message is not None:
                self._distribute(*message)

    def _distribute(self, kind: bytes, channel: bytes, text: Any) -> None:
        """Takes in a hint, or (`text` is a number then) that the hints of a channel begin."""
        name = str(channel, "utf-8")
        if kind == b"subscribe" and self._lost:
            _logger.info("hints_resumed")
            self._lost = False
        if kind not in (b"message", b"subscribe"):
            return
        if (signal := self._channels.get(name)) is not None:
            signal.set()
        elif name in self._wakes and kind == b"message":
            lane, _, last = str(text, "utf-8").partition(" ")
            for owner, pending in self._owners.items():
                pending.add(lane, is_own=last in ("-", owner))


async def _tell(connection: ServerConnection, command: str, channels: set[str]) -> None:
    if channels:
        await connection.send(pack_commands([(command, *channels)]))


class _PendingHints:
    """The lanes with hints that one owner has not acted upon yet: for itself, and for others."""

    __slots__ = ("others", "own", "signal")

    def __init__(self) -> None:
        self.own: set[str] = set()
        self.others: set[str] = set()
        self.signal = Signal()

    def add(self, lane: str, *, is_own: bool) -> None:
        (self.own if is_own else self.others).add(lane)
        self.signal.set()

    def spend(self, lane: str) -> None:
        self.own.discard(lane)
        self.others.discard(lane)
