"""The list of workers by their last heartbeat, and the janitor that repairs what they left."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from parley.bus.connection.connections import Connections
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.server_connection import Argument
from parley.bus.contract.errors import BusError, WrongType
from parley.bus.contract.keys import META, REVOKED, USED, WORKERS, Keys

_PAGE: Final = 500
LOOKED_AT: Final = 20_000  # sessions in one call: a tenth of a second of a processor
LATEST_MS: Final = 300_000  # from now: leases and back-offs end long before that
_FORGOTTEN_MS: Final = 3_600_000  # a worker silent for an hour is no longer listed
_CLOCKS_DIFFER: Final = 60  # seconds that the clock of a server may be behind Redis'
_logger = EventLog(__name__)


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker's last beat. `stats` is its report, `age_ms` how long ago by Redis' clock."""

    owner: str
    pid: int
    host: str
    lanes: tuple[str, ...]
    beat_ms: int
    age_ms: int
    stats: dict[str, Any]


class Workforce:
    def __init__(self, connections: Connections, keys: Keys) -> None:
        self._connections = connections
        self._keys = keys
        self._bucket = self._start = 0  # where the janitor goes on

    async def beat(self, owner: str, stats: dict[str, Any]) -> None:
        """Writes the heartbeat of `owner`, with `stats` beside its pid and host."""
        row = {"pid": os.getpid(), "host": socket.gethostname(), **stats}
        row["beat_ms"] = await self.now_ms()
        await self._connections.run("beat", [WORKERS], [owner, orjson.dumps(row)])

    async def farewell(self, owner: str) -> None:
        """Takes `owner` off the list: it ended in order."""
        await self._connections.command("HDEL", WORKERS, owner)

    async def workers(self) -> list[WorkerInfo]:
        """Every worker with a heartbeat within the last hour, by name."""
        now = await self.now_ms()
        workers = [_worker(name, row, now) for name, row in await self._beats()]
        return [worker for worker in workers if worker and worker.age_ms < _FORGOTTEN_MS]

    async def _beats(self) -> list[tuple[bytes, bytes]]:
        """Each worker's name and last beat as they are stored; none of a key that a beat mends."""
        try:
            names = sorted(await self._connections.command("HKEYS", WORKERS))
            rows = await self._connections.command("HMGET", WORKERS, *names) if names else []
        except WrongType:
            return []
        return [pair for pair in zip(names, rows, strict=True) if pair[1] is not None]

    async def janitor(self) -> int:
        """Makes due what should be and is not; the number of such sessions and effects.

        Also what is due later than any lease or back-off lasts: Redis' clock went back. Each
        one is a fault, of Parley or of that clock: `repaired_total` in parley:meta counts them
        and should stay 0. Of more than `LOOKED_AT` sessions the next call looks at the others.
        """
        now = await self.now_ms()
        repaired = await self._repair_some(now)
        for bucket in self._keys.buckets:
            for lane in ("effects", "upgrades"):
                repaired += await self._bring_forward(bucket.due(lane), now)
        if repaired:
            await self._connections.command("HINCRBY", META, "repaired_total", repaired)
            _logger.error("due_repaired", sessions=repaired)
        await self._forget_workers()
        return repaired

    async def repaired_total(self) -> int:
        (total,) = await self._connections.command("HMGET", META, "repaired_total")
        return int(total) if total and total.isdigit() else 0

    async def _repair_some(self, now: int) -> int:
        """`_repair` of the next sessions, of each bucket at most once."""
        repaired = looked_at = 0
        for _ in self._keys.buckets:
            bucket = self._keys.buckets[self._bucket]
            while looked_at < LOOKED_AT and (
                names := await self._connections.command(
                    "ZRANGE", bucket.sessions, self._start, self._start + _PAGE - 1
                )
            ):
                repaired += await self._repair([str(name, "utf-8") for name in names], now)
                self._start += _PAGE
                looked_at += len(names)
            if looked_at >= LOOKED_AT:
                break
            self._bucket, self._start = (self._bucket + 1) % len(self._keys.buckets), 0
        return repaired

    async def _bring_forward(self, due: str, now: int) -> int:
        """Makes due now what waits for a time that is too far off."""
        far = await self._connections.command("ZRANGEBYSCORE", due, now + LATEST_MS, "+inf")
        if far:
            scored = [word for member in far for word in (now, member)]
            await self._connections.command("ZADD", due, "XX", *scored)
        return len(far)

    async def _repair(self, sessions: Sequence[str], now: int) -> int:
        commands: list[Sequence[Argument]] = []
        for session in sessions:
            keys = self._keys.of(session)
            commands.append(("HMGET", keys.meta, "head", "folded"))
            commands.append(("ZMSCORE", keys.bucket.due("fold"), session))
        replies = await self._connections.attempts(commands)
        repaired = 0
        for i, session in enumerate(sessions):
            if _is_forgotten(replies[2 * i], replies[2 * i + 1], now):
                keys = self._keys.of(session)
                repaired += await self._connections.run(
                    "repair",
                    [keys.meta, keys.bucket.due("fold")],
                    [session, keys.bucket.wake, LATEST_MS],
                )
        return repaired

    async def due_count(self, lane: str) -> int:
        """How many members `lane` has: those that wait, are in hand, or back off."""
        sizes = await self._connections.commands(
            [("ZCARD", bucket.due(lane)) for bucket in self._keys.buckets]
        )
        return sum(map(int, sizes))

    async def oldest_due_ms(self, lane: str) -> int:
        """For how long the member of `lane` that waits longest could have been taken; 0 for none.

        A member in somebody's hands, or backing off, does not wait.
        """
        now = await self.now_ms()
        waiting = await self._connections.commands(
            [
                ("ZRANGEBYSCORE", bucket.due(lane), 1, now, "WITHSCORES", "LIMIT", 0, 1)
                for bucket in self._keys.buckets
            ]
        )
        return max((now - int(float(scored[1])) for scored in waiting if scored), default=0)

    async def _forget_workers(self) -> None:
        now = await self.now_ms()
        forgotten = [
            name
            for name, row in await self._beats()
            if (worker := _worker(name, row, now)) is None or worker.age_ms >= _FORGOTTEN_MS
        ]
        if forgotten:
            await self._connections.command("HDEL", WORKERS, *forgotten)

    async def use_once(self, name: str, seconds: float) -> bool:
        """Uses `name` up for `seconds`: True for the first caller on this Redis alone."""
        key, own = f"{USED}{name}", secrets.token_hex(8)
        # Asked again where a reply is lost: whose value stands there was first.
        _, first = await self._connections.commands(
            [("SET", key, own, "NX", "PX", max(1, int(seconds * 1000))), ("GET", key)]
        )
        return bool(first == own.encode())

    async def revoke_token(self, token_id: str, expires: int) -> None:
        """Puts a token's id on the list of those that are revoked, until `expires` (seconds of
        Unix) and a minute more; those of which that is over go."""
        now = await self.now_ms() // 1000
        await self._connections.command("ZADD", REVOKED, expires, token_id)
        over = await self._connections.command("ZRANGEBYSCORE", REVOKED, 0, now - _CLOCKS_DIFFER)
        if over:
            await self._connections.command("ZREM", REVOKED, *over)
        latest = max((await self.revoked_tokens()).values(), default=now)
        lasts = max(1, latest - now + _CLOCKS_DIFFER)
        await self._connections.command("EXPIRE", REVOKED, lasts)

    async def revoked_tokens(self) -> dict[str, int]:
        """The ids of tokens that are revoked, and until when each would have held (seconds)."""
        rows = await self._connections.command(
            "ZRANGEBYSCORE", REVOKED, "-inf", "+inf", "WITHSCORES"
        )
        pairs = zip(rows[::2], rows[1::2], strict=True)
        return {name.decode(errors="replace"): int(float(score)) for name, score in pairs}

    async def now_ms(self) -> int:
        """The clock of the log: Redis' own."""
        seconds, microseconds = await self._connections.command("TIME")
        return int(seconds) * 1000 + int(microseconds) // 1000


def _is_forgotten(state: Any, score: Any, now: int) -> bool:
    """True where more is in the log than is folded, and the session is not due, or far too late.

    False where its state cannot be read: whoever folds the session says what is wrong with it.
    Where the lane cannot, it holds nothing.
    """
    if isinstance(state, BusError):
        return False
    if isinstance(score, BusError):
        score = [None]
    if score[0] is not None and float(score[0]) < now + LATEST_MS:
        return False
    head, folded = state
    try:
        return head is not None and int(head) > int(folded)
    except (TypeError, ValueError):
        return False


def _worker(owner: bytes, beat: bytes, now: int) -> WorkerInfo | None:
    """The worker of a beat; None if the row is not a beat."""
    try:
        row = orjson.loads(beat)
        pid, beat_ms = int(row["pid"]), int(row["beat_ms"])
        name, host, lanes = owner.decode(), str(row["host"]), tuple(row.get("lanes", ()))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return WorkerInfo(name, pid, host, lanes, beat_ms, max(now - beat_ms, 0), row)
