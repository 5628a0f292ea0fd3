"""`Bus`: the client of one process to the log, its work and its sessions on one Redis.

Every verb is a bound method of the part that owns it, so that each part can be
read by itself: the log, its sessions, the lanes, the snapshots, the workforce,
the subscriptions. docs/protocol.md lists them all.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from parley.bus.connection.connections import Connections
from parley.bus.connection.hints import Hints
from parley.bus.connection.server_info import Durability, ServerInfo, examine_server
from parley.bus.contract.errors import Unavailable
from parley.bus.contract.keys import META, Keys
from parley.bus.log.charges import Quotas
from parley.bus.log.log import BACKLOG, Log
from parley.bus.log.outbox import Outbox
from parley.bus.log.subscription import Subscriptions
from parley.bus.scripts.lua import Scripts
from parley.bus.sessions.audit import Audits
from parley.bus.sessions.sessions import Sessions
from parley.bus.work.attendance import Attendance
from parley.bus.work.lanes import Lanes
from parley.bus.work.snapshots import Snapshots
from parley.bus.work.workforce import Workforce

if TYPE_CHECKING:
    from parley.bus.diagnosis.damaged_keys import DamagedKey
    from parley.bus.sessions.redaction import Blank, Redaction
    from parley.bus.sessions.tenants import Tenancy
    from parley.bus.work.nodes import NodeShare

CLUSTER_BUCKETS = 16  # polling 64 due sets costs a millisecond


class Bus:
    """The client of one Redis: made by `connect`, closed by `aclose` or as a context manager."""

    def __init__(
        self, connections: Connections, buckets: int, *, outbox_seconds: float, backlog: int
    ) -> None:
        keys = Keys(buckets)
        self._connections = connections
        self._outbox = Outbox(connections, keys, outbox_seconds)
        self._hints = Hints(connections, keys)
        quotas = Quotas(connections)
        log = Log(connections, keys, self._outbox, quotas, backlog)
        sessions = Sessions(connections, keys, self._outbox, quotas, backlog)
        lanes = Lanes(connections, keys, self._hints)
        workforce = Workforce(connections, keys)
        self._subscriptions = Subscriptions(connections, keys, self._hints, self._outbox)
        self.keys = keys
        self._sessions = sessions
        self.script_set = connections.scripts.digest

        self.open, self.publish, self.close = log.open, log.publish, log.close
        self.read, self.read_many, self.tail = log.read, log.read_many, log.tail
        self.fact_rows, self.find = log.fact_rows, log.find
        self.info, self.sessions = sessions.info, sessions.sessions
        self.remove, self.restore = sessions.remove, sessions.restore
        self.quota_of = quotas.quota_of
        audits = Audits(connections, keys)
        self.mark, self.audit = sessions.mark, audits.audit
        self.audit_state, self.audit_pages = audits.state, audits.pages
        self.audit_strangers = audits.strangers
        self.subscribe, self.nudge = self._subscriptions.subscribe, self._subscriptions.nudge
        self.take, self.commit, self.finish = lanes.take, lanes.commit, lanes.finish
        self.renew, self.release, self.fail = lanes.renew, lanes.release, lanes.fail
        self.drop, self.set_aside, self.wait_due = lanes.drop, lanes.set_aside, lanes.wait_due
        self.snapshot = Snapshots(connections, keys).snapshot
        self.beat, self.farewell, self.workers = (
            workforce.beat, workforce.farewell, workforce.workers,
        )  # fmt: skip
        self.attend = Attendance(connections, keys).attend
        self.janitor, self.repaired_total = workforce.janitor, workforce.repaired_total
        self.oldest_due_ms, self.now_ms = workforce.oldest_due_ms, workforce.now_ms
        self.revoke_token, self.revoked_tokens = workforce.revoke_token, workforce.revoked_tokens
        self.use_once, self.due_count = workforce.use_once, workforce.due_count

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        require_durable: bool = False,
        outbox_seconds: float = 5.0,
        backlog: int = BACKLOG,
        scripts: Scripts | None = None,
    ) -> Self:
        """A bus on the Redis at `url`, examined at once.

        `backlog` limits the sessions opened here. Raises `Unavailable`, naming the
        cure, where the server is down, locked, too old or not writable, or, with
        `require_durable`, where it can lose what it acknowledged.
        """
        connections = Connections(url, scripts or Scripts())
        try:
            server = await examine_server(connections)
            if server.cluster and not connections.follows_cluster:
                await connections.follow_cluster()
                server = await examine_server(connections)
            if require_durable and server.durability != "always":
                raise Unavailable(_not_durable(connections.address, server.durability))
            buckets = await _buckets(connections, server)
        except BaseException:
            await connections.aclose()
            raise
        return cls(connections, buckets, outbox_seconds=outbox_seconds, backlog=backlog)

    @property
    def healed(self) -> int:
        """How many entries this process gave back to logs that had lost them."""
        return self._outbox.healed

    async def server(self) -> ServerInfo:
        """The server as it is now."""
        return await examine_server(self._connections)

    async def damaged_keys(self) -> list[DamagedKey]:
        """Keys that hold what Parley never put there, and cures. Raises `Unavailable`."""
        from parley.bus.diagnosis.damaged_keys import find_damaged_keys  # few processes ever ask

        return [found async for found in find_damaged_keys(self._connections, self.keys)]

    async def redact(
        self, session: str, n: int, *, blank: Blank, reason: str, by: str | None = None
    ) -> Redaction:
        """The outcome of taking what primary entry `n` says out of the log, as `Redactions` does.

        Raises `SessionNotFound`, and `InvalidEntry` if there is no such entry.
        """
        from parley.bus.sessions.redaction import Redactions  # few processes ever ask

        redactions = Redactions(self._connections, self.keys, self._sessions, self._outbox)
        return await redactions.redact(session, n, blank=blank, reason=reason, by=by)

    async def nodes(self) -> tuple[NodeShare, ...]:
        """The nodes that have a bucket each, with what is due there. Raises `Unavailable`."""
        from parley.bus.work.nodes import count_shares  # few processes ever ask

        return await count_shares(self._connections, self.keys)

    @property
    def tenancy(self) -> Tenancy:
        """The tenants that have a quota."""
        from parley.bus.sessions.tenants import Tenancy  # few processes ever ask

        return Tenancy(self._connections, self.keys)

    async def aclose(self) -> None:
        """Ends every subscription and all watching. What was acknowledged stays."""
        await self._subscriptions.aclose()
        await self._hints.aclose()
        await self._outbox.aclose()
        await self._connections.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _not_durable(address: str, durability: Durability) -> str:
    """Why a Redis that has to keep all that it acknowledged is refused, and what to do."""
    if durability == "unknown":
        return (
            f"Redis at {address} writes an append-only file, but this user may not ask when "
            "(CONFIG GET appendfsync), so that nobody knows whether it can lose what it "
            "acknowledged; have an operator see to 'appendfsync always' and do without "
            "--require-durable, or let this user ask (ACL SETUSER … +config|get, which shows the "
            "passwords of the settings too)"
        )
    return (
        f"Redis at {address} can lose what it acknowledged (durability {durability}); set "
        "appendonly yes and appendfsync always, or do without --require-durable"
    )


async def _buckets(connections: Connections, server: ServerInfo) -> int:
    """The number of buckets, fixed by whoever came first."""
    buckets = CLUSTER_BUCKETS if server.cluster else 1
    (stored,) = await connections.once("HMGET", META, "buckets")
    try:
        await connections.once("HDEL", META, "-")  # a write that changes nothing: a replica says so
    except Unavailable as error:
        if stored is None or "denies this user" not in str(error):
            raise
        return int(stored)  # who may only read, or only publish, leaves this key to others
    if stored is None:
        seconds, microseconds = await connections.once("TIME")
        created = int(seconds) * 1000 + int(microseconds) // 1000
        await connections.once("HSETNX", META, "buckets", buckets)
        await connections.once("HSETNX", META, "created_ms", created)
        (stored,) = await connections.once("HMGET", META, "buckets")
    return int(stored)
