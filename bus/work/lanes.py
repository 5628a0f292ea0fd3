"""Due work: who takes it, how it is committed, and what happens when it fails.

A lane is a set of members with the time at which each may be taken; the lease is
that time. Losing a lease costs work, not truth: whatever was folded from the log
as it stands may still be committed.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from parley.bus.connection.connections import Connections
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.hints import Hints
from parley.bus.connection.server_connection import Argument
from parley.bus.contract.drafts import Draft, Receipt, epoch_of, set_aside_id
from parley.bus.contract.drafts import seal as seal_draft
from parley.bus.contract.errors import Fenced, InvalidEntry, SessionNotFound
from parley.bus.contract.keys import LANES, OWED, BucketKeys, Keys, is_member, session_of
from parley.bus.log.replies import FactRecord, parse_records
from parley.bus.log.wholeness import mend_index
from parley.bus.work.snapshots import Snapshot, compress

HEAD_START_MS: Final = 100  # of a member's last owner, whose memory of it is warm
FACTS_KEPT: Final = 10_000
_SHOWN: Final = 80  # characters of a strange entry that the log shows
_logger = EventLog(__name__)


@dataclass(frozen=True, slots=True)
class Claim:
    """The lease of one owner on `member` of a lane.

    `tries` counts the takes before this one whose worker died: they ended in no
    progress, and were not handed back. 0 is the usual.
    """

    lane: str
    member: str
    nonce: str
    tries: int

    @property
    def session(self) -> str:
        return session_of(self.member)


@dataclass(frozen=True, slots=True)
class TakenWork:
    """`next_ms`: how long from now until something else falls due; None if nothing will."""

    claims: list[Claim]
    next_ms: int | None


EffectDue = tuple[str, str, Sequence[str]]  # lane, effect id, the ids its result may have


@dataclass(frozen=True, slots=True)
class Commit:
    """The result of folding a session up to entry `to`: facts, effects and a snapshot.

    `identity` is that of the entry at `to`; `skips` counts the set-aside entries
    up to `to` that were honoured. `facts` and `effects` are of entries beyond
    `after`, which must be recorded already: a crash may lose a commit and keep
    what it was about. An effect is not scheduled where the log has one of its
    results. A snapshot is of `to`. `incarnation` is that of the log that was
    folded; '' asks for none.
    """

    session: str
    to: int
    identity: str
    skips: int
    after: int = 0
    facts: Sequence[FactRecord] = ()
    effects: Sequence[EffectDue] = ()
    snapshot: Snapshot | None = None
    incarnation: str = ""


class Lanes:
    """The lanes of every bucket on one Redis."""

    def __init__(self, connections: Connections, keys: Keys, hints: Hints) -> None:
        self._connections = connections
        self._keys = keys
        self._hints = hints
        self._first = 0  # bucket asked first; moves on, so that none starves

    async def take(self, lane: str, owner: str, *, count: int = 8, lease_ms: int) -> TakenWork:
        """Up to `count` due members, oldest first, leased for `lease_ms`."""
        _check_lane(lane)
        self._hints.spend(owner, lane)
        buckets = self._keys.buckets
        self._first = (self._first + 1) % len(buckets)
        claims: list[Claim] = []
        waits: list[int] = []
        for i in range(len(buckets)):
            if len(claims) == count:
                waits.append(0)
                break
            bucket = buckets[(self._first + i) % len(buckets)]
            taken, wait = await self._take(bucket, lane, owner, count - len(claims), lease_ms)
            claims += taken
            waits += [wait] if wait >= 0 else []
        return TakenWork(claims, min(waits, default=None))

    async def commit(self, claim: Claim, commit: Commit, *, done: bool) -> int:
        """Records that `commit.session` is folded up to `commit.to`; the new folded.

        With `done` the member is freed, or due again at once where entries came
        meanwhile; without, the claim stays. A worker that lost its lease may
        still commit, and frees nothing then. Raises `Fenced` where the log is no
        longer the one that was folded: drop the copy and fold again.
        """
        if claim.session != commit.session:
            raise ValueError(f"a claim on {claim.session!r} cannot commit {commit.session!r}")
        keys = self._keys.of(commit.session)
        bucket = keys.bucket
        snapshot = commit.snapshot
        declared = [
            *keys.appending(),
            keys.facts,
            *map(bucket.due, OWED),
            keys.memory(snapshot.build if snapshot else "none"),
        ]
        args: list[Argument] = [
            commit.session, keys.wake, bucket.wake, claim.nonce, commit.to, commit.identity,
            commit.skips, int(done), FACTS_KEPT, *_snapshot_args(commit), commit.after,
            commit.incarnation, len(commit.facts),
        ]  # fmt: skip
        for row in commit.facts:
            args += (f"{row.seq}-{row.k}", orjson.dumps(row.fact, option=orjson.OPT_SORT_KEYS))
        for lane, effect, results in commit.effects:
            if lane not in OWED:
                raise ValueError(f"an effect has no lane {lane!r}; it is {' or '.join(OWED)}")
            args += (lane, f"{commit.session} {effect}", len(results), *results)
        reply = await self._run("commit", commit.session, declared, args)
        _check(commit.session, reply)
        if reply[4]:
            await self._shed(commit.session, str(reply[4], "utf-8").split())
        return int(reply[1])

    async def finish(
        self,
        claim: Claim,
        session: str,
        draft: Draft,
        last_input: str,
        *,
        incarnation: str = "",
    ) -> Receipt:
        """Appends an effect's result and takes the effect off its lane, in one step.

        `last_input` is the identity of the last entry it read, or '' for none;
        `incarnation` that of the session before anything of it was read, or ''.
        The first result of an id stands; a later one is a duplicate, whatever it
        says. The effect is done then, also where the lease was lost to somebody.
        Raises `Fenced` where the input is no longer in the log, or no longer says the same.
        """
        keys = self._keys.of(session)
        seal = seal_draft(draft.id, draft.entry)
        due, claims = keys.bucket.due(claim.lane), keys.bucket.claims(claim.lane)
        reply = await self._run(
            "finish",
            session,
            [*keys.appending(), due, claims],
            [
                session, keys.wake, keys.bucket.wake, claim.lane, claim.member,
                last_input, seal.id, seal.fingerprint, seal.kind, seal.body, incarnation,
            ],
        )  # fmt: skip
        _check(session, reply)
        return Receipt(int(reply[1]), int(reply[2]), duplicate=bool(reply[3]))

    async def renew(self, claim: Claim, lease_ms: int) -> bool:
        """Leases the member anew from now. False: it was lost to someone else."""
        _, declared = self._claimed(claim)
        reply = await self._connections.run(
            "renew", declared, [claim.member, claim.nonce, lease_ms]
        )
        return bool(reply)

    async def release(self, claim: Claim) -> bool:
        """Hands the member back, due at once."""
        return await self._yield(claim, 0)

    async def fail(self, claim: Claim, backoff_ms: int) -> bool:
        """Hands the member back, due after `backoff_ms`: only this member waits.

        A failure that is handed back is no death: it does not count in `tries`.
        """
        return await self._yield(claim, backoff_ms)

    async def drop(self, claim: Claim, head: int | None = None) -> bool:
        """Takes an effect off its lane that nobody needs any more.

        With a `head` only where the log still ends there: what came since may need it.
        """
        if claim.lane == "fold":
            raise ValueError("folding is never moot; release the claim instead")
        _, declared = self._claimed(claim)
        meta = self._keys.of(claim.session).meta
        reply = await self._connections.run(
            "drop",
            [*declared, meta],
            [claim.member, claim.nonce, claim.lane, "" if head is None else head],
        )
        return bool(reply)

    async def set_aside(self, session: str, seq: int, reason: str) -> None:
        """Has every fold skip entry `seq` from now on; repeatable.

        The skip stands in the session's list at once and as an entry of the log,
        with a copy of the entry in the bucket's `dead` stream. Raises `Fenced`
        where the entry is folded already: then it killed nobody.
        """
        keys = self._keys.of(session)
        records = parse_records(await self._connections.command("XRANGE", keys.log, seq, seq))
        epoch = max((epoch_of(record.entry) or 0 for record in records), default=0)
        from parley.bus.entries import EntrySetAside

        seal = seal_draft(set_aside_id(seq), EntrySetAside(seq=seq, reason=reason, epoch=epoch))
        reply = await self._run(
            "set_aside",
            session,
            [*keys.appending(), keys.bucket.dead],
            [
                session, keys.wake, keys.bucket.wake, seq, reason,
                seal.id, seal.fingerprint, seal.body,
            ],
        )  # fmt: skip
        if reply[0] == b"folded":
            raise Fenced(session, f"entry {seq} is folded already, up to {int(reply[1])}")
        if reply[0] == b"beyond":
            raise InvalidEntry(f"{session!r} has no entry {seq}; its head is {int(reply[1])}")
        _check(session, reply)

    async def wait_due(self, lanes: Sequence[str], owner: str, timeout: float) -> bool:  # noqa: ASYNC109 - a longest wait, not a failure
        """Returns when something may have fallen due for `owner`, at the latest after `timeout` s.

        True where a hint said so. One that names another owner counts after that one's
        head start. Waits no longer than a second, whatever `timeout` is.
        """
        return await self._hints.wait_due(lanes, owner, timeout, HEAD_START_MS / 1000)

    async def _run(
        self, name: str, session: str, declared: Sequence[str], args: Sequence[Argument]
    ) -> list[Any]:
        """The reply of a script that first looks whether the index of ids is whole; it is then."""
        while True:
            reply: list[Any] = await self._connections.run(name, declared, args)
            if reply[0] != b"unindexed":
                return reply
            await mend_index(self._connections, session, self._keys.of(session))

    async def _shed(self, session: str, builds: Sequence[str]) -> None:
        """Drop the snapshots by builds that two others have stored theirs after."""
        keys = self._keys.of(session)
        declared = [keys.meta, *map(keys.memory, builds)]
        await self._connections.run("shed", declared, builds)

    async def _take(
        self, bucket: BucketKeys, lane: str, owner: str, count: int, lease_ms: int
    ) -> tuple[list[Claim], int]:
        nonce = secrets.token_hex(8)
        reply: list[Any] = await self._connections.run(
            "take",
            [bucket.due(lane), bucket.claims(lane), bucket.taken(lane, owner)],
            [owner, nonce, count, lease_ms, HEAD_START_MS],
        )
        claims: list[Claim] = []
        for member, tries in zip(reply[1::2], reply[2::2], strict=True):
            if is_member(lane, member):
                claims.append(Claim(lane, str(member, "utf-8"), nonce, int(tries)))
            else:
                await self._throw_out(bucket, lane, member)
        return claims, int(reply[0])

    async def _throw_out(self, bucket: BucketKeys, lane: str, member: bytes) -> None:
        """Remove from a lane an entry that names no session: it would come back at every take."""
        _logger.error("member_thrown_out", key=bucket.due(lane), member=repr(member)[:_SHOWN])
        await self._connections.commands(
            [("ZREM", bucket.due(lane), member), ("HDEL", bucket.claims(lane), member)]
        )

    async def _yield(self, claim: Claim, delay_ms: int) -> bool:
        bucket, declared = self._claimed(claim)
        reply = await self._connections.run(
            "yield",
            declared,
            [claim.member, claim.nonce, bucket.wake, claim.lane, delay_ms],
        )
        return bool(reply)

    def _claimed(self, claim: Claim) -> tuple[BucketKeys, list[str]]:
        _check_lane(claim.lane)
        bucket = self._keys.bucket(claim.session)
        return bucket, [bucket.due(claim.lane), bucket.claims(claim.lane)]


def _check_lane(lane: str) -> None:
    if lane not in LANES:
        raise ValueError(f"no lane {lane!r}; the lanes are {', '.join(LANES)}")


def _snapshot_args(commit: Commit) -> tuple[Argument, ...]:
    snapshot = commit.snapshot
    if snapshot is None:
        return ("", 0, "", "")
    if (snapshot.upto, snapshot.identity) != (commit.to, commit.identity):
        raise ValueError(f"a commit to {commit.to} cannot carry a snapshot of {snapshot.upto}")
    return (snapshot.build, snapshot.n, compress(snapshot.data), snapshot.checksum)


def _check(session: str, reply: list[Any]) -> None:
    if reply[0] == b"missing":
        raise SessionNotFound(session)
    if reply[0] == b"fenced":
        raise Fenced(session, str(reply[1], "utf-8"))
