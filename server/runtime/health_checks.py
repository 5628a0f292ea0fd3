"""Whether everything that Parley needs is there, and how to mend it: what `doctor` looks at.

docs/runbook.md lists the faults. Those of this machine are in `host_checks`, those of workers
and sessions in `work_checks`, those of Redis in `parley.bus.diagnosis`.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from typing import Final

from parley.bus.contract.errors import BusError
from parley.bus.diagnosis.node_faults import describe_lack, find_faults, lacks_fixes
from parley.bus.diagnosis.node_reports import read_reports
from parley.bus.diagnosis.server_access import examine_access
from parley.memory.errors import DomainError
from parley.server.basics.errors import Refused
from parley.server.runtime.checks import Check, build_check
from parley.server.runtime.connection import open_connection
from parley.server.runtime.host_checks import check_host
from parley.server.runtime.model_checks import check_model
from parley.server.runtime.packs import read_packs
from parley.server.runtime.work_checks import check_work
from parley.server.settings import Settings

_STATES: Final = {"closed": "ok", "local": "warn", "open": "fail"}


async def run_checks(settings: Settings, *, ask_model: bool = True) -> list[Check]:
    """Each thing that was looked at: `what`, `state` (ok, warn, fail) and `finding`.

    `ask_model` puts two questions to the model, where there is an endpoint.
    """
    checks: list[Check] = list(_check_program(settings))
    checks += check_host(settings)
    if ask_model:
        checks += [check async for check in check_model(settings)]
    try:
        if settings.redis:  # before connecting, which writes: one that refuses that is told why
            checks += [check async for check in _check_server(settings.redis)]
            access = await examine_access(settings.redis)
            checks.append(build_check("access", _STATES[access.state], access.finding))
        async with open_connection(settings) as running:
            if not settings.redis:
                checks += [check async for check in _check_server(running.url)]
            checks += [check async for check in check_work(running.bus, running.kind)]
            version = (await running.bus.server()).version
            if not settings.serve.loopback and lacks_fixes(version):
                checks.append(
                    build_check("version", "warn", f"others reach it; {describe_lack(version)}")
                )
    except BusError as error:
        checks.append(build_check("redis", "fail", str(error)))
    return checks


def _check_program(settings: Settings) -> Iterator[Check]:
    yield build_check("python", "ok", sys.version.partition(" ")[0])
    try:
        names = ", ".join(sorted(read_packs(settings.packs).known))
        yield build_check("patterns", "ok", names)
    except (Refused, DomainError) as error:
        yield build_check("patterns", "fail", str(error))


async def _check_server(url: str) -> AsyncIterator[Check]:
    for fault in find_faults(await read_reports(url)):
        yield build_check(fault.what, fault.state, fault.finding)
