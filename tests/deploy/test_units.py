"""The units of deploy/systemd: each starts what it says, under its user of Redis, and drains."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

import httpx2
import redis

from deploy.systemd_units import INSTALLED, environment, read_unit
from parley.bus import Bus
from parley.bus.contract.drafts import Draft
from parley.bus.entries.messages import Message
from tests.support.logs.logs import opened
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.ports import reserved
from tests.support.servers.users import needs_users, password, server_with_users

UNITS: Final = Path(__file__).parents[2] / "deploy" / "systemd"
WORKER: Final = "parley-worker@.service"
SERVE: Final = "parley-serve.service"
KNOWN: Final = {"config|get", "acl|getuser"}  # what only an operator learns, asked in vain


@asynccontextmanager
async def started(unit: str, port: int, scratch: Path) -> AsyncIterator[Process]:
    """The command of a unit, with what systemd would give it; ended if it goes on."""
    keys = read_unit(UNITS / unit)
    (command,) = keys["ExecStart"]
    name, _, source = keys["LoadCredential"][0].partition(":")
    user = source.rpartition("redis_")[2]
    folder = scratch / user
    folder.mkdir()
    (folder / name).write_text(password(user))
    given = {key: value for key, value in os.environ.items() if not key.startswith("PARLEY_")}
    for key, value in environment(keys).items():
        given[key] = value.replace("%d", str(folder)).replace("%S", str(folder))
    given["PARLEY_REDIS"] = given["PARLEY_REDIS"].replace(":6379/", f":{port}/")
    given["PARLEY_SERVE_PORT"] = "0"  # as parley.env may say
    words = command.replace(INSTALLED, str(Path(sys.executable).with_name("parley"))).split()
    if unit == SERVE:
        words += ["--ready", str(scratch / "ready")]
    process = await asyncio.create_subprocess_exec(*words, env=given, stdout=DEVNULL, stderr=PIPE)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@needs_users
async def test_each_unit_runs_as_its_user_and_drains(tmp_path: Path) -> None:
    """A message is folded, the server is ready; SIGTERM ends both in time.

    Neither asks Redis for anything that it is denied, but for what only an operator learns.
    """
    async with AsyncExitStack() as stack:
        port = stack.enter_context(closing(reserved())).getsockname()[1]
        options = {"port": str(port), "bind": "127.0.0.1"}
        stack.enter_context(server_with_users(tmp_path, **options))
        worker = await stack.enter_async_context(started(WORKER, port, tmp_path))
        gateway = await stack.enter_async_context(started(SERVE, port, tmp_path))
        ready = tmp_path / "ready"
        await wait_until(lambda: ready.exists() or gateway.returncode is not None)
        assert gateway.returncode is None, await gateway.communicate()
        address = f"redis://gateway:{password('gateway')}@127.0.0.1:{port}"
        async with await Bus.connect(address) as bus:
            await bus.open("s", opened())
            await bus.publish("s", [Draft("m1", Message(participant="ana", content="Tea."))])

            async def is_folded() -> bool:
                assert worker.returncode is None, await worker.communicate()
                info = await bus.info("s")
                return info.folded == info.head

            await wait_until(is_folded)
            await bus.remove("s")
        url = json.loads(ready.read_text())["url"]
        async with httpx2.AsyncClient(timeout=PATIENCE) as http:
            assert (await http.get(f"{url}/readyz")).status_code == 200
        for process, unit in ((gateway, SERVE), (worker, WORKER)):
            process.send_signal(signal.SIGTERM)
            (grace,) = read_unit(UNITS / unit)["TimeoutStopSec"]
            _, err = await asyncio.wait_for(process.communicate(), float(grace))
            assert process.returncode == 0, err
        with redis.Redis(
            port=port, username="operator", password=password("operator"), decode_responses=True
        ) as client:
            denials: Any = client.acl_log(100)
        assert {row["object"] for row in denials} <= KNOWN, denials
