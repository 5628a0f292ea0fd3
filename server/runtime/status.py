"""How the whole stands: Redis, workers, lag; and whether everything needed is there."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final

from parley.bus import Bus
from parley.bus.connection.server_access import examine_access
from parley.bus.contract.errors import BusError
from parley.bus.contract.session_info import DAMAGED, SessionInfo
from parley.memory.errors import DomainError
from parley.server.basics.errors import Refused
from parley.server.runtime.connection import open_connection
from parley.server.runtime.model_checks import Check, check_model
from parley.server.runtime.packs import read_packs
from parley.server.runtime.worker_process import has_live_worker
from parley.server.settings import Settings

PAGE: Final = 1000  # sessions that are asked for at once


async def show_status(settings: Settings) -> dict[str, Any]:
    """Redis, workers, sessions, and what waits to be done."""
    async with open_connection(settings) as running:
        return await _report_status(running.bus, running.kind)


async def _report_status(bus: Bus, kind: str) -> dict[str, Any]:
    server = await bus.server()
    sessions = [info async for info in _every_session(bus)]
    workers = await bus.workers()
    repaired = await bus.repaired_total()
    waiting = {lane: await bus.oldest_due_ms(lane) for lane in ("fold", "effects")}
    return {
        "redis": {
            "kind": kind, "version": server.version, "durability": server.durability,
            "eviction": server.eviction, "cluster": server.cluster, "warnings": server.warnings,
        },
        "workers": [
            {**w.stats, "name": w.owner, "age_ms": w.age_ms, "lanes": w.lanes} for w in workers
        ],
        "sessions": len(sessions),
        "apart": await _list_apart(bus, sessions),
        "repaired_total": repaired,
        "lag": {
            "entries_not_folded": sum(max(0, info.head - info.folded) for info in sessions),
            "effects_due": sum(info.due["effects"] for info in sessions),
            "upgrades_due": sum(info.due["upgrades"] for info in sessions),
            "oldest_fold_ms": waiting["fold"],
            "oldest_effect_ms": waiting["effects"],
        },
        "entries_set_aside": sum(len(info.skips) for info in sessions),
    }  # fmt: skip


async def _every_session(bus: Bus) -> AsyncIterator[SessionInfo]:
    offset = 0
    while page := await bus.sessions(offset, PAGE):
        for info in page:
            yield info
        offset += PAGE


async def _list_apart(bus: Bus, sessions: Sequence[SessionInfo]) -> dict[str, str]:
    """The sessions that no worker can fold, and why, as workers and their own keys say it."""
    reasons: dict[str, str] = {}
    for worker in await bus.workers():
        reasons |= worker.stats.get("apart") or {}
    for info in sessions:
        if info.status == DAMAGED:
            reasons.setdefault(info.session, "its state cannot be read")
    return dict(sorted(reasons.items()))


_STATES: Final = {"closed": "ok", "local": "warn", "open": "fail"}


async def run_checks(settings: Settings) -> list[Check]:
    """Each thing that was looked at: `what`, `state` (ok, warn, fail) and `finding`."""
    checks: list[Check] = list(_at_home(settings))
    checks += [check async for check in check_model(settings)]
    try:
        async with open_connection(settings) as running:
            checks += [check async for check in _connected(running.bus, running.kind)]
            if running.kind == "given":
                access = await examine_access(running.url)
                checks.append(_check("access", _STATES[access.state], access.finding))
    except BusError as error:
        checks.append(_check("redis", "fail", str(error)))
    return checks


def _at_home(settings: Settings) -> Iterator[dict[str, str]]:
    """What needs no server."""
    yield _check("python", "ok", sys.version.partition(" ")[0])
    try:
        names = ", ".join(sorted(read_packs(settings.packs).known))
        yield _check("patterns", "ok", names)
    except (Refused, DomainError) as error:
        yield _check("patterns", "fail", str(error))


async def _connected(bus: Bus, kind: str) -> AsyncIterator[dict[str, str]]:
    server = await bus.server()
    yield _check("redis", "ok", f"{server.version} ({kind})")
    durable = server.durability in ("everysec", "always")
    yield _check("durability", "ok" if durable else "warn", server.durability)
    for warning in server.warnings:
        yield _check("redis", "warn", warning)
    if await has_live_worker(bus):
        yield _check("workers", "ok", "at work")
    else:
        yield _check("workers", "warn", "none runs; 'parley worker' starts one")
    sessions = [info async for info in _every_session(bus)]
    for session, reason in (await _list_apart(bus, sessions)).items():
        yield _check("sessions", "fail", f"{session} is set apart: {reason}")
    for info in sessions:
        if info.skips:
            skips = ", ".join(map(str, info.skips))
            yield _check("sessions", "warn", f"{info.session}: no fold reads entries {skips}")


def _check(what: str, state: str, finding: str) -> dict[str, str]:
    return {"what": what, "state": state, "finding": finding}
