"""`parley mcp`: who calls, what goes to which stream, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from parley.server.basics.errors import Misuse
from parley.server.bootstrap import stdio_server
from parley.server.http.tokens.bearer_tokens import Keyring, build_claims
from parley.server.mcp.tools.tool_registry import TOOLS
from parley.server.settings import Settings
from tests.support.doors.doors import SECRET
from tests.support.servers.patience import PATIENCE

OTHER = "another secret of thirty-two bytes!!"


def _settings(redis_url: str = "redis://localhost", token: str = "") -> Settings:
    return Settings(redis=redis_url, serve={"secret": SECRET}, token=token)


def _token(name: str, session: str = "*", secret: str = SECRET, now: float | None = None) -> str:
    made = build_claims(
        name, "agent", session, time.time() if now is None else now, may=["support"]
    )
    return Keyring([secret]).sign(made)


def test_a_token_says_who_calls() -> None:
    """With what it may do; `--session` narrows it."""
    caller = stdio_server.identify_caller(_settings(token=_token("ana")), None, "harbour")
    assert (caller.name, caller.role, caller.session, caller.may) == (
        "ana", "agent", "harbour", ("support",),
    )  # fmt: skip
    assert not caller.may_enter("elsewhere")


def test_a_name_suffices_where_no_token_is_set() -> None:
    """An agent of that name and no other."""
    caller = stdio_server.identify_caller(_settings(), "ana", None)
    assert (caller.name, caller.role, caller.operator) == ("ana", "agent", False)
    assert caller.may_enter("harbour")


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
        stdio_server.identify_caller(_settings(token=token), name, session)
    assert not token or token not in str(refused.value)


def _start(redis_url: str, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "parley", "--redis", redis_url, "mcp", "--as", "ana", *options],
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
    """With status 0, once all is answered; only the protocol is on standard output."""
    lines = [
        HELLO, READY, "not json\n", _asked(2, "tools/list"),
        _asked(3, "tools/call", name="create_session", arguments={"session": "harbour"}),
        _asked(4, "tools/call", name="list_sessions", arguments={}),
    ]  # fmt: skip
    with _start(redis_url, "--tools", "all") as process:
        out, _ = process.communicate("".join(lines), timeout=PATIENCE)
        assert process.returncode == 0
    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    assert answers.keys() == {None, 1, 2, 3, 4}
    assert answers[None]["error"]["code"] == -32700
    assert answers[1]["result"]["serverInfo"]["name"] == "parley"
    assert len(answers[2]["result"]["tools"]) == len(TOOLS)
    assert "result" in answers[3]
    assert "result" in answers[4]


def test_what_comes_too_early_or_elsewhere_is_told_what_to_do(redis_url: str) -> None:
    """Before the handshake; and to another session than the process was started for."""
    other = {"name": "join_session", "arguments": {"session": "nowhere"}}
    lines = [_asked(1, "tools/list"), HELLO.replace('"id": 1', '"id": 2'), READY]
    with _start(redis_url, "--session", "depot") as process:
        written = "".join([*lines, _asked(3, "tools/call", **other)])
        out, _ = process.communicate(written, timeout=PATIENCE)
    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    assert answers[1]["error"]["message"] == "Call initialize first."
    why = answers[3]["result"]["content"][0]["text"]
    assert "started for session depot: leave out --session for all of them." in why
    assert "token" not in why


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
