"""Whether the work is being done: workers, what they run, sessions that stand still."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

from parley.bus import Bus, WorkerInfo
from parley.bus.contract.quotas import TenantUse
from parley.bus.diagnosis.damaged_keys import DamagedKey
from parley.listeners.cache.fold_build import fold_build
from parley.server.runtime.checks import Check, build_check
from parley.server.runtime.status import every_session, list_apart
from parley.server.runtime.worker_process import STALE_MS

_STUCK_MS: Final = 30_000  # a worker that lives takes what is due within a second
_KEYS_SHOWN: Final = 50  # damaged keys, of which each has a row
_NEARLY: Final = 0.9  # of a quota
_LANES: Final = {"fold": "memories go stale", "effects": "no summary is written"}


async def check_work(bus: Bus, kind: str) -> AsyncIterator[Check]:
    """What the Redis of `bus` says of itself, of its workers and of its sessions."""
    server = await bus.server()
    yield build_check("redis", "ok", f"{server.version} ({kind})")
    durable = server.durability in ("everysec", "always")
    yield build_check("durability", "ok" if durable else "warn", server.durability)
    for warning in server.warnings:
        yield build_check("redis", "warn", warning)
    for check in _check_keys(await bus.damaged_keys()):
        yield check
    workers = await bus.workers()
    living = [worker for worker in workers if worker.age_ms < STALE_MS]
    for check in _check_workers(workers, living, bus.script_set):
        yield check
    async for check in _check_sessions(bus, living):
        yield check
    for use in await bus.tenancy.list_tenants():
        if short := [_share(*pair) for pair in _quotas(use) if pair[2] >= _NEARLY * pair[1]]:
            yield build_check(
                "quotas", "warn",
                f"tenant {use.tenant} has {', '.join(short)}; 'parley archive DIR --older-than 30d "
                f"--tenant {use.tenant}' makes room, 'parley quota set {use.tenant}' raises it",
            )  # fmt: skip


def _check_keys(damaged: Sequence[DamagedKey]) -> Iterator[Check]:
    """Each key that holds what Parley never put there: what it is, and how to mend it."""
    for found in damaged[:_KEYS_SHOWN]:
        finding = f"{found.key} {found.holds}; it should be {found.should}: {found.cure}"
        rows = {"key": found.key, "holds": found.holds, "should": found.should, "cure": found.cure}
        yield {**build_check("keys", found.state, finding), **rows, "session": found.session}
    if len(damaged) > _KEYS_SHOWN:
        more = len(damaged) - _KEYS_SHOWN
        yield build_check("keys", "fail", f"{more} more keys are damaged: mend these first")


def _quotas(use: TenantUse) -> Iterator[tuple[str, int, int]]:
    """Each limit of a tenant on what it keeps: its noun, the limit, what it has."""
    quota = use.quota
    for noun, limit, used in (
        ("sessions", quota.sessions, use.sessions), ("bytes", quota.bytes, use.bytes),
        ("micros of this month", quota.spend, use.spend),
    ):  # fmt: skip
        if limit is not None:
            yield noun, limit, used


def _share(noun: str, limit: int, used: int) -> str:
    return f"{used:,} of its {limit:,} {noun}"


def _check_workers(
    workers: Sequence[WorkerInfo], living: Sequence[WorkerInfo], script_set: str
) -> Iterator[Check]:
    for worker in workers:
        if worker not in living:
            yield build_check(
                "workers", "warn",
                f"{worker.owner} has been silent for {worker.age_ms // 1000} s: it was killed, or "
                f"hangs; look at process {worker.pid} on {worker.host}, and start another",
            )  # fmt: skip
    if not living:
        yield build_check("workers", "warn", "none runs; 'parley worker' starts one")
        return
    faults = [*_lanes_without_owner(living), *_versions(living, script_set)]
    yield from faults or [build_check("workers", "ok", "at work")]


def _lanes_without_owner(living: Sequence[WorkerInfo]) -> Iterator[Check]:
    served = {lane for worker in living for lane in worker.lanes}
    for lane, outcome in _LANES.items():
        if lane not in served:
            finding = f"nobody serves the lane '{lane}': {outcome}; 'parley worker --lanes {lane}'"
            yield build_check("lanes", "warn", finding)


def _versions(living: Sequence[WorkerInfo], script_set: str) -> Iterator[Check]:
    """Where workers, or a worker and this program, are of different releases."""
    folds = {str(worker.stats.get("fold", "?")) for worker in living}
    own = fold_build()
    if folds != {own}:
        names = ", ".join(sorted(folds))
        yield build_check(
            "fold", "warn",
            f"workers fold by build {names}, this program by {own}: each makes memories of its "
            "own, twice the work; install one release everywhere and start the others again",
        )  # fmt: skip
    others = [w.owner for w in living if w.stats.get("scripts", script_set) != script_set]
    if others:
        yield build_check(
            "scripts", "warn",
            f"{', '.join(others)} and this program run different scripts on Redis; install one "
            "release everywhere and start the others again",
        )  # fmt: skip


async def _check_sessions(bus: Bus, living: Sequence[WorkerInfo]) -> AsyncIterator[Check]:
    sessions = [info async for info in every_session(bus)]
    for session, reason in (await list_apart(bus, sessions)).items():
        cure = f"put its keys right, or 'parley session import FILE --as {session} --replace'"
        yield build_check("sessions", "fail", f"{session} is set apart: {reason}; {cure}")
    for info in sessions:
        if info.skips:
            skips = ", ".join(map(str, info.skips))
            cure = f"'parley session export {info.session}' and report it"
            finding = f"{info.session}: no fold reads entries {skips}, which killed workers; {cure}"
            yield build_check("sessions", "warn", finding)
    waits = await bus.oldest_due_ms("fold")
    if living and waits > _STUCK_MS:
        yield build_check(
            "lag", "fail",
            f"entries have waited for {waits // 1000} s though workers live; look at their logs "
            "for what they do instead, and start them again",
        )  # fmt: skip
    if repaired := await bus.repaired_total():
        yield build_check(
            "repaired", "warn",
            f"{repaired} sessions or effects were not due that should have been, and were put "
            "right: Redis' clock went back, or somebody else writes to its keys; give Parley a "
            "Redis of its own",
        )  # fmt: skip
