"""Keep snapshots and facts fresh: the loop of the fold lane.

Take what is due, read it, fold it, record what came of it. One round serves
several sessions: their reads travel together, their folds follow one another,
their commits travel together again. Memories stay in the process between
rounds, and a commit is one script, so a message costs its fold and little else.

A session whose last takers died is a suspect. It is taken alone, then entry
by entry with its progress recorded, so that the entry that kills is found and
set aside, and no innocent neighbour is.
"""

from __future__ import annotations

import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import anyio.lowlevel

from parley.bus import Bus, Claim, Commit, Snapshot
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import open_task_group
from parley.bus.contract.errors import (
    BusError,
    Fenced,
    SessionDamaged,
    SessionNotFound,
    Unavailable,
)
from parley.bus.contract.tracing import tracer
from parley.bus.entries import Record
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.cache.memory_cache import (
    CachedMemory,
    CachedTail,
    MemoryCache,
    fold_cached,
    read_tails,
)
from parley.listeners.cache.projection import EntryFacts, due_effects, fact_rows
from parley.listeners.workers.backoff import backoff_ms, bound_idle_seconds, serve_rounds
from parley.memory.errors import DomainError
from parley.memory.extraction.structure.scorecards import current_scorecards
from parley.memory.fold.canonical_bytes import checksum, dump
from parley.memory.state.memory import Packs
from parley.memory.text.plain_text import clip, one_line

LANE: Final = "fold"
_ALONE_AFTER: Final = 1  # deaths without progress until a session is taken alone
_SINGLY_AFTER: Final = 2  # and until its entries are folded one by one
_SET_ASIDE_AFTER: Final = 5  # and until its next entry is set aside
_APART_SHOWN: Final = 20  # sessions that wait, of which a heartbeat says why
_REASON: Final = 200  # characters
_PART: Final = 3  # sessions read in one go: parts overlap, smaller ones cost more calls

log = EventLog("parley.projector")


_SMALL_BYTES: Final = 1 << 20  # of a snapshot that need not wait; written in 2 ms
_ENTRY_BYTES: Final = 4_096  # of a larger one, for each entry since the one before


@dataclass(frozen=True, slots=True)
class ProjectorPace:
    """How much is taken, held and kept; the defaults are those of docs/protocol.md."""

    sessions: int = 8  # taken at once: 8 of up to 500 entries beat 64 of 30
    batch: int = 500
    lease_ms: int = 10_000
    snapshot_tail: int = 1_000
    snapshot_seconds: float = 30.0
    copies: int = 1_024  # memories kept in the process
    idle_seconds: float = 1.0

    def is_snapshot_due(self, behind: int, age: float, size: int) -> bool:
        """Whether `behind` entries and `age` seconds are worth another snapshot of `size` bytes.

        A snapshot is the whole memory: a large one waits for as many more entries as it takes
        to write, all in all, a few times what the memory comes to.
        """
        if behind >= max(self.snapshot_tail, (size - _SMALL_BYTES) // _ENTRY_BYTES):
            return True
        return behind > 0 and age >= self.snapshot_seconds * max(1, size / _SMALL_BYTES)


@dataclass(slots=True)
class ProjectorTally:
    """What a projector has done since it began; a heartbeat carries it."""

    folded: int = 0
    commits: int = 0
    facts: int = 0
    snapshots: int = 0
    refolds: int = 0
    failed: int = 0
    set_aside: int = 0
    votes: int = 0  # that the counter beside it saw to their end
    apart: dict[str, str] = field(default_factory=dict)  # sessions that wait, and why: the newest


class Projector:
    """Folds what is due until told to stop."""

    def __init__(
        self, bus: Bus, packs: Packs, owner: str, pace: ProjectorPace | None = None
    ) -> None:
        self._bus, self._packs, self._owner = bus, packs, owner
        self._pace = pace or ProjectorPace()
        # A short rest is taken along: a second round for it would cost as much as a full one.
        self._count = self._pace.batch + self._pace.batch // 8
        self._cache = MemoryCache(self._pace.copies)
        self._failures: dict[str, int] = {}  # sessions that cannot be folded, and how often
        self._fenced: set[str] = set()  # sessions that were, since something of them was recorded
        self._stranded: list[Claim] = []  # held when Redis went away; given back later
        self.tally = ProjectorTally()
        current_scorecards()  # a tenth of a second: not in front of the first message
        fold_build()  # of the sources as they are now, when they are loaded

    async def run(self, stop: anyio.Event) -> None:
        """Serve the lane until `stop` is set; what is in hand then is finished."""
        await serve_rounds(
            stop, self.round, lambda wait: self._bus.wait_due([LANE], self._owner, wait)
        )

    async def round(self) -> float:
        """Serve what is due now; the seconds to wait when nothing was, else 0."""
        pace = self._pace
        while self._stranded:
            await self._bus.release(self._stranded[-1])
            self._stranded.pop()
        taken = await self._bus.take(LANE, self._owner, count=pace.sessions, lease_ms=pace.lease_ms)
        if not taken.claims:
            return bound_idle_seconds(taken.next_ms, pace.idle_seconds)
        suspects = [claim for claim in taken.claims if claim.tries >= _ALONE_AFTER]
        for claim in suspects[1:]:
            await self._bus.release(claim)
        await self._serve_together([claim for claim in taken.claims if claim.tries < _ALONE_AFTER])
        if suspects:
            await self._serve_alone(suspects[0])
        return 0.0

    async def _serve_together(self, claims: Sequence[Claim]) -> None:
        """Serve several sessions; while some are folded, the others' reads and commits travel."""
        failures: list[Exception] = []

        async def serve(part: Sequence[Claim]) -> None:
            try:
                await self._serve_part(part)
            except Exception as error:  # raised below: the other parts are finished first
                failures.append(error)

        async with open_task_group() as group:
            for k in range(0, len(claims), _PART):
                group.start_soon(serve, claims[k : k + _PART])
        if failures:
            raise failures[0]

    async def _serve_part(self, claims: Sequence[Claim]) -> None:
        """Read, fold and record: one read for all, then a commit for each.

        Where they cannot be read together each is read by itself: the one at fault waits.
        """
        try:
            tails = await self._read(claims)
        except Unavailable:
            raise
        except Exception as error:
            if len(claims) == 1:
                await self._set_apart(claims[0], error)
                return
            for claim in claims:
                await self._serve_part([claim])
            return
        await anyio.lowlevel.checkpoint()  # the next part's request leaves before the fold
        async with open_task_group() as commits:
            for claim, tail in zip(claims, tails, strict=True):
                if tail is None:
                    commits.start_soon(self._guard, claim, self._miss(claim))
                else:
                    commits.start_soon(self._guard, claim, self._serve_tail(claim, tail))

    async def _serve_alone(self, suspect: Claim) -> None:
        """Serve a session that was in hand when its last takers died."""
        if suspect.tries >= _SET_ASIDE_AFTER:
            await self._guard(suspect, self._set_aside(suspect))
        elif suspect.tries >= _SINGLY_AFTER:
            await self._guard(suspect, self._serve_by_entry(suspect))
        else:
            await self._serve_together([suspect])

    async def _miss(self, claim: Claim) -> None:
        """Let go of a session that is not there: removed, or without its state, and due for ever.

        Raises `SessionDamaged` for the latter.
        """
        if await self._bus.renew(claim, self._pace.lease_ms):
            raise SessionDamaged(claim.member, "its state is gone")

    async def _serve_tail(self, claim: Claim, tail: CachedTail) -> None:
        if not tail.records and tail.head > tail.copy.seq:
            gone = f"its log ends with entry {tail.copy.seq}, and its state says {tail.head}"
            raise SessionDamaged(claim.member, gone)
        with tracer().folding(claim.member, tail.records):
            await self._record(claim, self._fold(tail, tail.records))

    async def _serve_by_entry(self, claim: Claim) -> None:
        """Fold entry by entry, each one recorded before the next can do harm."""
        (tail,) = await self._read([claim])
        if tail is None:
            await self._miss(claim)
            return
        for record in tail.records[:-1]:
            await self._record(claim, self._fold(tail, [record]), done=False)
        await self._record(claim, self._fold(tail, tail.records[-1:]))

    async def _set_aside(self, claim: Claim) -> None:
        """Have every fold skip the entry that stands where all takers died."""
        info = await self._bus.info(claim.member)
        seq = info.folded + 1
        while seq in info.skips:
            seq += 1
        if seq <= info.head:
            reason = f"{claim.tries} workers died folding it"
            await self._bus.set_aside(claim.member, seq, reason)
            self.tally.set_aside += 1
            log.error("entry_set_aside", session=claim.member, seq=seq, reason=reason)
        await self._bus.release(claim)

    async def _read(self, claims: Sequence[Claim]) -> list[CachedTail | None]:
        """The tails of the sessions claimed; when they cannot be read, the claims are kept in
        mind and the reason is raised."""
        copies = {claim.member: self._cache.get(claim.member) for claim in claims}
        try:
            read = await read_tails(self._bus, self._packs, list(copies.items()), self._count)
        except Unavailable:
            self._stranded += claims
            raise
        for tail in read:
            if tail is not None and copies[tail.copy.session] not in (None, tail.copy):
                self.tally.refolds += 1
                log.warning("session_refolded", session=tail.copy.session, after=tail.copy.seq)
        return read

    def _fold(self, tail: CachedTail, records: Sequence[Record]) -> Commit:
        """Fold, and say what to record of it. What it raises is about this session alone."""
        copy, after = tail.copy, tail.copy.seq
        self._cache.drop(copy.session)  # a fold that fails leaves half a copy behind
        folded = fold_cached(copy, records, tail.skips)
        self._cache.put(copy)
        self.tally.folded += len(records)
        return self._commit(copy, after, folded)

    def _commit(self, copy: CachedMemory, after: int, folded: Sequence[EntryFacts]) -> Commit:
        facts = fact_rows(folded)
        due = due_effects(copy.memory)
        fresh = [effect for effect in due if effect.comes_again or effect.key not in copy.scheduled]
        copy.scheduled = frozenset(effect.key for effect in due)
        self.tally.facts += len(facts)
        return Commit(
            session=copy.session,
            to=copy.seq,
            identity=copy.identity,
            skips=copy.honoured,
            after=after,
            facts=facts,
            effects=[(effect.lane, effect.id, effect.answers) for effect in fresh],
            snapshot=self._snapshot(copy),
            incarnation=copy.incarnation,
        )

    def _snapshot(self, copy: CachedMemory) -> Snapshot | None:
        """The copy's bytes, when the newest snapshot is far behind or old."""
        behind = copy.seq - copy.saved_seq
        age = time.monotonic() - copy.saved_at
        if not self._pace.is_snapshot_due(behind, age, copy.saved_bytes):
            return None
        data = dump(copy.memory)
        copy.saved_seq, copy.saved_at, copy.saved_bytes = copy.seq, time.monotonic(), len(data)
        self.tally.snapshots += 1
        return Snapshot(
            copy.seq, copy.n, copy.honoured, copy.identity, data, checksum(data), fold_build()
        )

    async def _record(self, claim: Claim, commit: Commit, *, done: bool = True) -> None:
        await self._bus.commit(claim, commit, done=done)
        self.tally.commits += 1
        self._failures.pop(claim.member, None)
        self._fenced.discard(claim.member)
        self.tally.apart.pop(claim.member, None)

    async def _guard(self, claim: Claim, work: Coroutine[Any, Any, object]) -> None:
        """Do `work` for one claim so that what stops it stops no other."""
        try:
            await work
        except Fenced as error:
            self._cache.drop(claim.member)
            self.tally.refolds += 1
            log.warning("commit_fenced", session=claim.member, reason=error.reason)
            if claim.member in self._fenced:  # again, and nothing was recorded between
                await self._set_apart(claim, error)
            else:
                self._fenced.add(claim.member)
                await self._release(claim)
        except SessionNotFound:
            self._cache.drop(claim.member)
            await self._release(claim)
        except Unavailable as error:
            self._cache.drop(claim.member)
            self._stranded.append(claim)
            log.warning("redis_unavailable", session=claim.member, reason=str(error))
        except Exception as error:  # of this session alone
            await self._set_apart(claim, error)

    async def _set_apart(self, claim: Claim, error: Exception) -> None:
        """Leave a session alone for a while, longer each time; the heartbeat says why."""
        if isinstance(error, (DomainError, BusError)):
            log.warning("session_waits", session=claim.member, reason=str(error))
        else:
            log.error("fold_failed", session=claim.member, exc_info=error)
        self._cache.drop(claim.member)
        apart = self.tally.apart
        apart.pop(claim.member, None)
        apart[claim.member] = clip(one_line(str(error) or repr(error)), _REASON)
        while len(apart) > _APART_SHOWN:
            apart.pop(next(iter(apart)))
        self.tally.failed += 1
        failures = self._failures[claim.member] = self._failures.get(claim.member, 0) + 1
        try:
            await self._bus.fail(claim, backoff_ms(failures))
        except Unavailable:
            self._stranded.append(claim)
        except BusError as refused:  # it could not even be handed back: its lease brings it
            log.warning("session_waits", session=claim.member, reason=str(refused))

    async def _release(self, claim: Claim) -> None:
        try:
            await self._bus.release(claim)
        except Unavailable:
            self._stranded.append(claim)
