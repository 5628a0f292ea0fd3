"""`parley mcp`: who calls, what goes to which stream, and how it ends."""

from __future__ import annotations

import asyncio
import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from server import stdio_door
from server.errors import Misuse
from server.gateway.keys import Keyring, claims
from server.mcp.door import server
from server.mcp.tool import Door
from server.mcp.tools import TOOLS
from server.mcp.waits import Waits
from server.secret import Signing
from server.settings import Settings
from server.standing import opened_doors
from tests.doors import SECRET
from tests.patience import PATIENCE

OTHER = "another secret of thirty-two bytes!!"


def _settings(redis_url: str = "redis://localhost", token: str = "") -> Settings:
    return Settings(redis=redis_url, serve={"secret": SECRET}, token=token)


def _token(name: str, session: str = "*", secret: str = SECRET, now: float | None = None) -> str:
    made = claims(name, "agent", session, time.time() if now is None else now, may=["support"])
    return Keyring([secret]).sign(made)


def test_a_token_says_who_calls() -> None:
    """With what it may do; `--session` narrows it."""
    found = stdio_door.caller(_settings(token=_token("ana")), None, "harbour")
    assert (found.name, found.role, found.session, found.may) == (
        "ana", "agent", "harbour", ("support",),
    )  # fmt: skip
    assert not found.may_enter("elsewhere")


def test_a_name_suffices_where_no_token_is_set() -> None:
    """An agent of that name and no other."""
    found = stdio_door.caller(_settings(), "ana", None)
    assert (found.name, found.role, found.operator) == ("ana", "agent", False)
    assert found.may_enter("harbour")


@pytest.mark.parametrize(
    ("token", "name", "session", "why"),
    [
        ("", None, None, "say who it is"),
        ("", "parley", None, "--as: a name"),
        ("", " ", None, "--as: a name"),
        ("nonsense", None, None, "--token: The token"),
        (_token("ana", secret=OTHER), None, None, "--token: The token"),
        (_token("ana", now=1_000_000), None, None, "--token: The token or ticket has expired"),
        (_token("ana"), "bo", None, "--as names another"),
        (_token("ana", "harbour"), None, "pier", "--session names another"),
    ],
)
def test_nobody_comes_in_by_a_bad_name(
    token: str, name: str | None, session: str | None, why: str
) -> None:
    """One line says what is wrong, and no token is said back."""
    with pytest.raises(Misuse, match=why) as refused:
        stdio_door.caller(_settings(token=token), name, session)
    assert not token or token not in str(refused.value)


def _start(redis_url: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "server", "--redis", redis_url, "mcp", "--as", "ana"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _asked(id: int, method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + "\n"


HELLO = _asked(
    1, "initialize", protocolVersion="2025-11-25", capabilities={},
    clientInfo={"name": "test", "version": "1"},
)  # fmt: skip
READY = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n"


def test_it_ends_with_its_input(redis_url: str) -> None:
    """With status 0; only the protocol is on standard output, and each line is one message."""
    with _start(redis_url) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(HELLO + "not json\n" + READY + _asked(2, "tools/list"))
        process.stdin.flush()
        answers = {}
        while 2 not in answers:
            one = json.loads(process.stdout.readline())
            answers[one.get("id")] = one
        process.stdin.close()
        assert process.wait(timeout=PATIENCE) == 0
        assert process.stdout.read() == ""
    assert answers[1]["result"]["serverInfo"]["name"] == "parley"
    assert len(answers[2]["result"]["tools"]) == len(TOOLS)


class Gone(io.BytesIO):
    """A pipe that nobody reads any more."""

    def flush(self) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


async def test_a_client_that_is_gone_is_its_end_too(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the input stays open: nobody is there to be answered, which is no fault."""
    read, write = os.pipe()
    monkeypatch.setattr(stdio_door, "STDIN", read)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=Gone()))
    who = stdio_door.caller(_settings(), "ana", None)
    signing = Signing((SECRET,), "set")
    try:
        async with opened_doors(_settings(redis_url), signing, 0) as doors:
            os.write(write, HELLO.encode())
            served = server(Door(doors, Waits(), local=True), who)
            await asyncio.wait_for(stdio_door.talk(served), PATIENCE)
    finally:
        os.close(write)


def test_a_signal_ends_it_while_its_input_is_open(redis_url: str) -> None:
    """At once, though it reads; as a shell knows a process that was told to end."""
    with _start(redis_url) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(timeout=PATIENCE) == 128 + signal.SIGTERM
