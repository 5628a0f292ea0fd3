"""Whether everything that Parley needs is there, and how to mend it: what `doctor` looks at."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from typing import Final

from parley.bus import Bus
from parley.bus.connection.server_access import examine_access
from parley.bus.contract.errors import BusError
from parley.memory.errors import DomainError
from parley.server.basics.errors import Refused
from parley.server.runtime.connection import open_connection
from parley.server.runtime.model_checks import Check, check_model
from parley.server.runtime.packs import read_packs
from parley.server.runtime.status import every_session, list_apart
from parley.server.runtime.worker_process import has_live_worker
from parley.server.settings import Settings

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
    sessions = [info async for info in every_session(bus)]
    for session, reason in (await list_apart(bus, sessions)).items():
        yield _check("sessions", "fail", f"{session} is set apart: {reason}")
    for info in sessions:
        if info.skips:
            skips = ", ".join(map(str, info.skips))
            yield _check("sessions", "warn", f"{info.session}: no fold reads entries {skips}")


def _check(what: str, state: str, finding: str) -> dict[str, str]:
    return {"what": what, "state": state, "finding": finding}
