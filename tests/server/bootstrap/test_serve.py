"""`parley serve` as a process: it says where it is, and ends when it is told to."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from asyncio.subprocess import PIPE
from pathlib import Path

import httpx2
import pytest

from parley.bus import Bus, embedded
from parley.listeners.workers.supervisor import DEATHS
from parley.server.basics.errors import Failure
from parley.server.bootstrap import server_addresses
from parley.server.bootstrap.serve import _write_link
from parley.server.cli.main import main
from parley.server.runtime import signing_secret
from parley.server.runtime.signing_secret import key_id
from parley.server.runtime.worker_process import WorkerProcess
from parley.server.settings import Settings
from tests.support.processes.running import parent_of
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import real_flavours

ROOT = Path(__file__).resolve().parents[3]
HEAVY = ("fastapi", "starlette", "uvicorn", "websockets", "mcp", "jwt", "prometheus_client")


def test_help_loads_no_server() -> None:
    """The tree of commands is put together without what only the doors need."""
    program = (
        "import sys, contextlib, parley.server.cli.command_tree as tree\n"
        "with contextlib.suppress(SystemExit):\n"
        "    tree.command()(args=['serve', '--help'], prog_name='parley')\n"
        f"sys.exit(' '.join(sorted(set(sys.modules) & set({HEAVY!r}))) or 0)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "--no-worker" in ran.stdout


@pytest.mark.parametrize(("ending", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_it_says_where_it_is_and_ends_when_told(
    ending: signal.Signals, code: int, tmp_path: Path, redis_url: str
) -> None:
    """Its files are there once it answers, and gone with it; what is redirected has no link."""
    ready = tmp_path / "ready"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parley", "serve", "--port", "0", "--redis", redis_url,
        "--ready", str(ready),
        cwd=ROOT, stdout=PIPE, stderr=PIPE, env={**os.environ, "PARLEY_DATA": str(tmp_path)},
    )  # fmt: skip
    try:
        await wait_until(lambda: ready.exists() or process.returncode is not None)
        assert process.returncode is None, await process.communicate()
        tree = json.loads(ready.read_text())
        assert tree["pid"] == process.pid
        own = Settings(data=tmp_path)
        kids = [key_id(each) for each in signing_secret.load(own)]
        assert server_addresses.read_addresses(own, kids) == (tree["url"],)
        async with httpx2.AsyncClient(timeout=PATIENCE) as client:
            assert (await client.get(f"{tree['url']}/nothing-here")).status_code == 404
        (link_file,) = tmp_path.glob("operator.*.link")
        assert link_file.stat().st_mode & 0o777 == 0o600
        assert link_file.read_text().startswith(f"{tree['url']}/#ticket=")
        process.send_signal(ending)
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == code, err
    assert out == b""
    assert b"#ticket=" not in err
    assert f"is in {link_file}".encode() in err
    assert b"no secret is set: this machine only" in err
    assert [file.name for file in tmp_path.iterdir()] == [signing_secret.FILE]


@pytest.mark.skipif("bundled" not in real_flavours(), reason="no bundled Redis is installed")
@pytest.mark.parametrize("host", ["localhost", "LOCALHOST"])
async def test_a_redis_that_lacks_fixes_is_named_to_whom_others_reach(
    host: str, tmp_path: Path
) -> None:
    """By the name in capitals, which is not known to be this machine's, it is as if they did."""
    ready = tmp_path / "ready"
    environment = {**os.environ, "PARLEY_DATA": str(tmp_path), "PARLEY_SERVE_SECRET": "s" * 40}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parley", "serve", "--port", "0", "--host", host, "--no-worker",
        "--embedded", "bundled", "--ready", str(ready), cwd=ROOT, stderr=PIPE, env=environment,
    )  # fmt: skip
    try:
        await wait_until(lambda: ready.exists() or process.returncode is not None)
        process.send_signal(signal.SIGTERM)
        _, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, err
    assert (b"lacks security fixes" in err) == (host != "localhost"), err
    assert b"redis 6.2." in err


def test_a_link_has_a_private_place_where_no_data_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a server signs with a key that nobody else has: without the file, nobody gets in."""
    (tmp_path / "taken").touch()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    file = _write_link(tmp_path / "taken", "http://127.0.0.1/#ticket=t")
    assert list((tmp_path / "temporary").iterdir()) == [file]
    assert file.read_text() == "http://127.0.0.1/#ticket=t\n"
    assert file.stat().st_mode & 0o777 == 0o600


async def test_a_worker_that_is_killed_is_started_again(tmp_path: Path) -> None:
    """And the server goes on meanwhile; what was said is heard by the new one.

    The first that it says is what it waits for.
    """
    ready = tmp_path / "ready"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parley", "serve", "--port", "0", "--data", str(tmp_path),
        "--ready", str(ready), cwd=ROOT, stderr=PIPE,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        first = await asyncio.wait_for(process.stderr.readline(), PATIENCE)
        assert first.decode() == "starting Redis and a worker …\n"
        await wait_until(lambda: ready.exists() or process.returncode is not None)
        async with embedded.serve("auto", tmp_path) as redis, await Bus.connect(redis.url) as bus:
            await wait_until(lambda: at_work(bus))
            before = await at_work(bus)
            worker = parent_of(min(before))
            assert worker
            os.kill(worker, signal.SIGKILL)
            await wait_until(lambda: at_work(bus, but=before))
            assert process.returncode is None
        process.send_signal(signal.SIGTERM)
        _, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, err
    assert b"the worker ended with -9, and was started again" in err


async def test_a_worker_that_keeps_dying_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a line that says how often, also where the worker said nothing."""
    monkeypatch.setattr("sys.executable", "/bin/false")
    with (tmp_path / "log").open("w+b") as log:
        helping = WorkerProcess(Settings(data=tmp_path), log)
        await helping.start()
        for _ in range(DEATHS - 1):
            await wait_until(lambda: helping.ended is not None)
            assert await helping.revive()
        await wait_until(lambda: helping.ended is not None)
        with pytest.raises(Failure) as given_up:
            await helping.revive()
    assert str(given_up.value) == "the worker ended with 1, 5 times within 30 s"


async def at_work(bus: Bus, but: frozenset[int] = frozenset()) -> frozenset[int]:
    """The processes of both lanes, once they are there and none of them is among `but`."""
    pids = frozenset(worker.pid for worker in await bus.workers())
    return pids if len(pids) == 2 and not pids & but else frozenset()


@pytest.mark.parametrize(
    ("args", "code", "reason"),
    [
        (["--host", "0.0.0.0"], 2, "PARLEY_SERVE_SECRET"),
        (["--port", "-1"], 2, "--port"),
        (["--serve-secret", "short"], 2, "less than 32 bytes"),
        (["--redis", "redis://127.0.0.1:1", "--port", "0"], 1, "redis"),
    ],
)
def test_a_server_that_cannot_be_says_why(
    args: list[str], code: int, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a line, with the exit code of its kind."""
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--data", str(tmp_path), *args])
    err = capsys.readouterr().err
    assert ended.value.code == code
    assert reason.casefold() in err.casefold()
    assert "Traceback" not in err


SWITCHES = """
import sys
from parley.server.bootstrap import serve
from parley.server.cli.main import main

def tell(app, deps):
    print(sys.getswitchinterval())
    raise SystemExit(0)

serve.warm_up = tell
main(["serve", "--no-worker", "--port", "0", "--redis", sys.argv[1]])
"""


def test_a_thread_that_computes_keeps_the_loop_waiting_for_half_a_millisecond(
    redis_url: str, tmp_path: Path
) -> None:
    """A request waits for one after each of its system calls: by Python's default 15 ms in all."""
    ran = subprocess.run(
        [sys.executable, "-c", SWITCHES, redis_url],
        env={**os.environ, "PARLEY_DATA": str(tmp_path), "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert float(ran.stdout) <= 0.0005, ran.stderr
