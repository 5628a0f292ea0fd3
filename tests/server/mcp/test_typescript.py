"""The official TypeScript client, over HTTP and over standard input: its newest version, and the
one before, which most hosts have.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from parley.bus import Bus
from parley.server.basics.agent_verbs import CORE
from tests.support.doors.doors import doors
from tests.support.logs.logs import opened

HERE = Path(__file__).parent / "ts"
INSTALL_SECONDS = 180.0
RUN_SECONDS = 90.0

pytestmark = pytest.mark.long

VERSIONS = pytest.mark.parametrize("version", ["1", "2"])


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program beside its packages, installed for this run as the lock has them."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    place = tmp_path_factory.mktemp("ts")
    for name in ("package.json", "package-lock.json", "deliberate.mjs"):
        shutil.copy(HERE / name, place)
    installed = subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=place,
        capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False,
    )  # fmt: skip
    if installed.returncode:
        pytest.skip("the packages of the TypeScript client cannot be had here")
    return place / "deliberate.mjs"


async def _run(program: Path, *arguments: str) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        "node", str(program), *arguments, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE, env=dict(os.environ),
    )  # fmt: skip
    with anyio.fail_after(RUN_SECONDS):
        data, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    row: dict[str, Any] = json.loads(data)
    return row


def _check(row: dict[str, Any]) -> None:
    assert row == {
        "tools": len(CORE),
        "heard": ["Build a light at the end of the pier."],
        "decisions": [["D1", "ratified"]],
    }


@VERSIONS
async def test_two_clients_decide_over_http(redis_url: str, program: Path, version: str) -> None:
    """By tokens of their own."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        tokens = [d.token(name, role="agent") for name in ("ana", "bo")]
        _check(await _run(program, version, "http", f"{d.url}/mcp", *tokens))


@VERSIONS
async def test_two_clients_decide_over_standard_input(
    redis_url: str, program: Path, version: str
) -> None:
    """Each starts a process of its own on one Redis."""
    async with await Bus.connect(redis_url) as bus:
        await bus.open("harbour", opened())
    command = [sys.executable, "-m", "parley", "--redis", redis_url]
    _check(await _run(program, version, "stdio", *command))
