"""Hints by publish/subscribe: something fell due, a session moved.

A hint only saves waiting. All that a listener does on one it also does once a
second without, so a hint may be lost, doubled or late.

One task alone uses the connection: redis-py mends a broken one in whichever task finds it
broken, and two that do so at once leave one behind, or raise what no caller expects.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Final

import anyio
from redis import exceptions
from redis.asyncio.client import PubSub

from parley.bus.connection.connections import Connections, translate_errors
from parley.bus.connection.event_log import EventLog
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
            pubsub = self._connections.pubsub()
            try:
                await self._listen(pubsub)
            except Exception as error:
                self._say_lost(error)
                await anyio.sleep(_RETRY_SECONDS)
            finally:
                with anyio.CancelScope(shield=True), contextlib.suppress(Exception):
                    await pubsub.aclose()  # type: ignore[no-untyped-call]  # untyped in redis-py 8.1

    def _say_lost(self, error: Exception) -> None:
        if not self._lost:  # logged once an outage, not twice a second
            address = self._connections.address
            known = isinstance(error, exceptions.RedisError)
            reason = str(translate_errors(error, address)) if known else repr(error)
            _logger.warning("hints_lost", reason=reason)
        self._lost = True

    def _interrupt(self) -> None:
        if self._reading is not None:
            self._reading.cancel()

    async def _listen(self, pubsub: PubSub) -> None:
        await pubsub.subscribe(*self._wakes)
        followed: set[str] = set()
        while True:
            if new := self._channels.keys() - followed:
                await pubsub.subscribe(*new)
            if old := followed - self._channels.keys():
                await pubsub.unsubscribe(*old)
            followed = followed - old | new
            message = None
            with anyio.CancelScope() as self._reading:
                if self._channels.keys() == followed:  # nobody came while the others were told
                    message = await pubsub.get_message(timeout=BLOCK_SECONDS)
            self._reading = None
            if message is not None:
                self._distribute(message)

    def _distribute(self, message: dict[str, Any]) -> None:
        channel = str(message["channel"], "utf-8")
        signal = self._channels.get(channel)
        if message["type"] == "subscribe" and self._lost:
            _logger.info("hints_resumed")
            self._lost = False
        if message["type"] not in ("message", "subscribe"):
            return
        if signal is not None:
            signal.set()
        elif channel in self._wakes and message["type"] == "message":
            lane, _, last = str(message["data"], "utf-8").partition(" ")
            for owner, pending in self._owners.items():
                pending.add(lane, is_own=last in ("-", owner))


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
