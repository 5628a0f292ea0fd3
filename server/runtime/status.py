"""How the whole stands: Redis, workers, what waits to be done."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import msgspec

from parley.bus import Bus
from parley.bus.contract.errors import SessionDamaged, SessionNotFound
from parley.bus.contract.session_info import DAMAGED, SessionInfo
from parley.server.runtime.connection import open_connection

if TYPE_CHECKING:
    from parley.server.settings import Settings
    from parley.server.settings.startup_settings import StartupSettings

PAGE: Final = 1000  # sessions that are asked for at once


async def show_status(settings: StartupSettings | Settings) -> dict[str, Any]:
    """Redis, workers, sessions, and what waits to be done."""
    async with open_connection(settings) as running:
        return await _report_status(running.bus, running.kind)


async def _report_status(bus: Bus, kind: str) -> dict[str, Any]:
    server = await bus.server()
    sessions = [info async for info in every_session(bus)]
    workers = await bus.workers()
    repaired = await bus.repaired_total()
    waiting = {lane: await bus.oldest_due_ms(lane) for lane in ("fold", "effects")}
    return {
        "redis": {
            "kind": kind, "version": server.version, "durability": server.durability,
            "eviction": server.eviction, "cluster": server.cluster, "warnings": server.warnings,
        },
        "nodes": [asdict(node) for node in await bus.nodes()] if server.cluster else [],
        "workers": [
            {**w.stats, "name": w.owner, "age_ms": w.age_ms, "lanes": w.lanes} for w in workers
        ],
        "sessions": len(sessions),
        "apart": await list_apart(bus, sessions),
        "repaired_total": repaired,
        "tenants": [msgspec.to_builtins(use) for use in await bus.tenancy.list_tenants()],
        "lag": {
            "entries_not_folded": sum(max(0, info.head - info.folded) for info in sessions),
            "effects_due": sum(info.due["effects"] for info in sessions),
            "upgrades_due": sum(info.due["upgrades"] for info in sessions),
            "oldest_fold_ms": waiting["fold"],
            "oldest_effect_ms": waiting["effects"],
        },
        "entries_set_aside": sum(len(info.skips) for info in sessions),
        "entries_healed": sum(info.healed for info in sessions),
    }  # fmt: skip


async def every_session(bus: Bus) -> AsyncIterator[SessionInfo]:
    """Each of them, whatever its state."""
    offset = 0
    while page := await bus.sessions(offset, PAGE):
        for info in page:
            yield info
        offset += PAGE


async def list_apart(bus: Bus, sessions: Sequence[SessionInfo]) -> dict[str, str]:
    """The sessions that no worker can fold, and why, as workers and their own keys say it."""
    reasons = await read_reasons(bus)
    for info in sessions:
        if info.status == DAMAGED:
            reasons.setdefault(info.session, await _read_damage(bus, info.session))
    return dict(sorted(reasons.items()))


async def _read_damage(bus: Bus, session: str) -> str:
    try:
        await bus.info(session)
    except SessionDamaged as error:
        return error.reason
    except SessionNotFound:
        return "it was removed"
    return "it was mended"


async def read_reasons(bus: Bus) -> dict[str, str]:
    """The sessions that workers have set apart, and why."""
    reasons: dict[str, str] = {}
    for worker in await bus.workers():
        reasons |= worker.stats.get("apart") or {}
    return reasons
