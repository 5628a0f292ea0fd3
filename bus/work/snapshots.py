"""A memory as a worker left it: a cache of the fold, never the truth.

Each build of the fold has a snapshot of its own and reads no other's, so builds that work at the
same time neither wait for each other nor overwrite each other's. A session keeps the snapshots
of the two builds that stored one last. Bytes are stored compressed: memory is text that repeats
itself, and every snapshot passes through the append-only file and to the replicas.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Final

from parley.bus.connection.connections import Connections
from parley.bus.connection.event_log import EventLog
from parley.bus.contract.errors import BusError, SessionDamaged, SnapshotDamaged
from parley.bus.contract.keys import Keys

_FIELDS: Final = ("upto", "n", "skips", "identity", "bytes", "checksum")
_LEVEL: Final = 1  # of zlib: a tenth more bytes than at level 6, in half the time
_MOST_BYTES: Final = 1 << 28  # of a memory; what a strange value at the key may take
_logger = EventLog(__name__)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The memory after entry `upto`, by build `build` of the fold.

    `skips` counts the set-aside entries up to `upto` that the fold honoured,
    `identity` is that of the entry at `upto`, `checksum` BLAKE2b-128 of `data`
    in hex.
    """

    upto: int
    n: int
    skips: int
    identity: str
    data: bytes
    checksum: str
    build: str
    incarnation: str = field(default="", compare=False)  # of the log it was found beside


class Snapshots:
    def __init__(self, connections: Connections, keys: Keys) -> None:
        self._connections = connections
        self._keys = keys

    async def snapshot(self, session: str, build: str, *, strict: bool = False) -> Snapshot | None:
        """The newest snapshot of `session` by `build`; None if there is none that is sound.

        A damaged one is reported and counts as absent; with `strict` it raises
        `SnapshotDamaged`. The caller still has to compare `identity` and `skips`
        with the log before building on it.
        """
        keys = self._keys.of(session)
        # The session's name for itself first: a log that takes its place between the two
        # takes the snapshot away.
        state, reply = await self._connections.attempts(
            [
                ("HMGET", keys.meta, "incarnation"),
                ("HMGET", keys.memory(build), *_FIELDS),
            ]
        )
        if isinstance(state, BusError):
            raise SessionDamaged(session, str(state))
        (incarnation,) = state
        if isinstance(reply, BusError):
            reply = [b"garbage"] * len(_FIELDS)  # a key of another type: no sound snapshot
        if all(value is None for value in reply):
            return None
        snapshot = _sound(reply, build)
        if snapshot is None:
            if strict:
                raise SnapshotDamaged(session, build)
            _logger.error("snapshot_damaged", session=session, build=build)
            return None
        return replace(snapshot, incarnation=(incarnation or b"").decode())


def compress(data: bytes) -> bytes:
    """`data` as the key of a snapshot has it."""
    return zlib.compress(data, _LEVEL)


def _decompress(stored: bytes) -> bytes | None:
    """The bytes that were stored; None if the stream is cut, damaged or above `_MOST_BYTES`."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(stored, _MOST_BYTES)
    except zlib.error:
        return None
    return data if stream.eof and not stream.unused_data else None


def _sound(reply: list[bytes | None], build: str) -> Snapshot | None:
    upto, n, skips, identity, stored, checksum = (value or b"" for value in reply)
    data = _decompress(stored)
    if data is None or blake2b(data, digest_size=16).hexdigest().encode() != checksum:
        return None
    try:
        return Snapshot(
            int(upto), int(n), int(skips), str(identity, "utf-8"), data, checksum.decode(), build
        )
    except ValueError:
        return None
