"""A server of the doors: it stands on a port of its own and shuts in order."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator

import httpx2
import pytest
from pydantic import ValidationError

from parley.server.basics.errors import Failure
from parley.server.bootstrap.http_server import ParleyServer, bind_socket, start_server
from parley.server.http.http_app import build_app
from parley.server.http.warm_up import warm_up
from parley.server.settings import Settings
from parley.server.settings.serve_settings import DAY, ServeSettings
from tests.support.doors.doors import SECRET, doors, served
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.ports import reserved


async def test_it_answers_and_its_port_is_free_again(redis_url: str) -> None:
    """On a port that was free; `closing` is set by the time it has shut."""
    with reserved() as own:
        async with doors(redis_url, port=own.getsockname()[1]) as d:
            async with d.client() as nobody:
                assert (await nobody.get("/nothing-here")).status_code == 404
            assert not d.deps.closing.is_set()
        assert d.deps.closing.is_set()
        async with httpx2.AsyncClient(timeout=PATIENCE) as late:
            with pytest.raises(httpx2.ConnectError):
                await late.get(d.url)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that waits longer than a test, wherever it waits."""
    for name in ("bootstrap.http_server.CLOSING", "http.transport.http_connection.HEAD"):
        monkeypatch.setattr(f"parley.server.{name}_SECONDS", 3 * PATIENCE)


@pytest.mark.usefixtures("patient")
async def test_an_idle_connection_does_not_hold_it_open(redis_url: str) -> None:
    """Somebody who connects and says nothing is not waited for."""
    async with doors(redis_url) as d:
        host, port = d.url.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        asked = time.monotonic()
    assert time.monotonic() - asked < PATIENCE
    writer.close()


@pytest.mark.usefixtures("patient")
async def test_half_a_request_does_not_hold_it_open(
    redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Who stopped in the middle of a body is not waited for, and no trace is left of it."""
    async with doors(redis_url, body_seconds=3 * PATIENCE) as d:
        own = d.url.removeprefix("http://")
        host, port = own.split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        head = f"POST /v1/tokens HTTP/1.1\r\nHost: {own}\r\nContent-Length: 9\r\n\r\n"
        writer.write(head.encode() + b"{")
        await wait_until(lambda: len(d.deps.open_connections) == 1)
        asked = time.monotonic()
    assert time.monotonic() - asked < PATIENCE
    assert not [line for line in caplog.records if line.exc_info]
    writer.close()


async def test_a_request_that_takes_too_long_is_told_that_the_server_ends(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """503 in the form of every refusal, and no trace in the log."""
    monkeypatch.setattr("parley.server.bootstrap.http_server.CLOSING_SECONDS", 0.1)
    async with contextlib.AsyncExitStack() as later:
        async with doors(redis_url) as d:
            client = await later.enter_async_context(d.client(d.operator()))
            await later.enter_async_context(d.deps.import_lock)  # for which an import waits
            asked = asyncio.create_task(client.put("/v1/sessions/s/import", content=b"x"))
            await wait_until(lambda: len(d.deps.open_connections) == 1)
            await client.get("/healthz")
        response = await asked
    assert (response.status_code, response.json()["type"][-11:]) == (503, "unavailable")
    assert not [line for line in caplog.records if line.exc_info]


async def test_what_is_made_once_can_be_made_before_it_is_asked_for(redis_url: str) -> None:
    """The routers, the names that refusals may tell, and the patterns of a first fold."""
    async with doors(redis_url) as d:
        app = build_app(d.deps)
        await asyncio.to_thread(warm_up, app, d.deps)
    assert {"content", "settings", "session"} <= app.state.own_names


def test_it_stands_in_a_thread(redis_url: str) -> None:
    """For clients that block."""
    with served(redis_url) as d, httpx2.Client(timeout=PATIENCE) as client:
        assert client.get(f"{d.url}/nothing-here").status_code == 404


@pytest.mark.parametrize("where", ["startup", "main_loop"])
async def test_what_a_server_dies_of_comes_out_as_it_is(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Whether it had begun to listen or not; no group of errors, and nothing waits for ever."""

    async def die(*_: object, **__: object) -> None:
        raise OSError("no more files")

    async def stand() -> None:
        settings = Settings(redis=redis_url, serve=ServeSettings(port=0, secret=SECRET))
        async with start_server(settings) as dying:
            await dying.serving.wait()

    monkeypatch.setattr(ParleyServer, where, die)
    with pytest.raises(OSError, match="no more files"):
        await asyncio.wait_for(stand(), PATIENCE)


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        yield sock.getsockname()[1]


@pytest.mark.parametrize(
    ("given", "reason"),
    [({}, "in use"), ({"host": "203.0.113.1"}, "assign"), ({"host": "a..b"}, "no host name")],
)
def test_a_port_that_cannot_be_had_is_one_line(
    taken: int, given: dict[str, str], reason: str
) -> None:
    """Taken, or on an address that is not ours: said with what to do."""
    with pytest.raises(Failure, match=f"cannot listen on .*{reason}.*--port takes another"):
        bind_socket(ServeSettings(**{"port": taken, **given}))


@pytest.mark.parametrize("name", ["slow_seconds", "body_seconds", "seat_minutes"])
def test_a_time_has_an_end(name: str) -> None:
    """What the system cannot count is refused as a setting, not met at the start."""
    for most in (float("inf"), 1e9):
        with pytest.raises(ValidationError, match=name):
            ServeSettings.model_validate({name: most})
    with bind_socket(ServeSettings(port=0, slow_seconds=DAY)) as sock:
        assert sock.getsockname()


def test_what_it_accepts_is_sent_at_once() -> None:
    """Without it each answer of two parts waits for the client's word on the first: 40 ms."""
    with bind_socket(ServeSettings(port=0)) as sock:
        host, port = sock.getsockname()
        with socket.create_connection((host, port)):
            accepted, _ = sock.accept()
            with accepted:
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
