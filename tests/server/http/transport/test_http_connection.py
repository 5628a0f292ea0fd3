"""What comes over one connection: half of it, too slowly, twice framed, or no HTTP at all."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from parley.server.http.transport.body_timeout import BYTES_A_SECOND, TimeBudget
from parley.server.http.transport.http_connection import (
    OWN_FILES,
    most_connections,
    raise_file_limit,
)
from parley.server.http.transport.strangers import Strangers
from parley.server.settings.serve_settings import ServeSettings
from tests.support.doors.doors import Standing, doors
from tests.support.doors.gateway_talk import PATH, begin
from tests.support.servers.patience import PATIENCE, wait_until

Pipe = tuple[asyncio.StreamReader, asyncio.StreamWriter]
SHORT = 0.1  # seconds that these servers wait for what does not come
LONGER = 1.5  # and for what does


@asynccontextmanager
async def connected(d: Standing) -> AsyncIterator[Pipe]:
    host, port = d.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()


def head(d: Standing, *lines: str, path: str = "/v1/tokens", method: str = "POST") -> bytes:
    """The head of a request by an operator, with `lines` added."""
    own = [
        f"{method} {path} HTTP/1.1", f"Host: {d.url.removeprefix('http://')}",
        f"Authorization: Bearer {d.operator()}", "Content-Type: application/json", *lines,
    ]  # fmt: skip
    return "\r\n".join([*own, "", ""]).encode()


async def rest(reader: asyncio.StreamReader) -> bytes:
    """All that comes until the server closes the connection."""
    return await asyncio.wait_for(reader.read(), PATIENCE)


def problem(data: bytes, *, ends: bool = True) -> tuple[int, str]:
    """Status and slug of an answer, held to what every problem has; `ends`: it says so."""
    top, _, body = data.partition(b"\r\n\r\n")
    status, *lines = top.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    assert headers["content-type"] == "application/problem+json"
    assert headers.get("connection") == ("close" if ends else None)
    assert headers["x-content-type-options"] == "nosniff"
    tree = json.loads(body)
    assert tree["request"] == headers["x-request-id"]
    assert tree["status"] == int(status.split()[1])
    return tree["status"], tree["type"].removeprefix("urn:parley:problem:")


# -- a target with the server's name -----------------------------------------------------


async def asked(d: Standing, target: str, host: str, *lines: str, method: str = "GET") -> bytes:
    """What is answered to a request of that target and `Host`."""
    async with connected(d) as (reader, writer):
        lines_sent = [f"{method} {target} HTTP/1.1", f"Host: {host}", "Connection: close", *lines]
        writer.write("\r\n".join([*lines_sent, "", ""]).encode())
        return await rest(reader)


async def test_a_target_may_name_the_server(redis_url: str) -> None:
    """As one sends it to a proxy; the name in it counts, and that in `Host` does not."""
    async with doors(redis_url) as d:
        here = d.url.removeprefix("http://")
        mine = f"Authorization: Bearer {d.operator()}"
        for target, path in (
            (f"{d.url}/v1/me", "/v1/me"),
            (f"HTTP://{here.replace('127.0.0.1', 'LocalHost')}/?at=http://a/b", "/"),
            (f"{d.url}", "/"),
            (f"{d.url}?at=1", "/"),
            (f"{d.url}/s/har%62our", "/s/harbour"),
        ):
            data = await asked(d, target, "evil.example", mine)
            assert data.startswith(b"HTTP/1.1 200 "), (target, data)
            same = await asked(d, path, here, mine)
            assert data.partition(b"\r\n\r\n")[2] == same.partition(b"\r\n\r\n")[2]


async def test_a_foreign_name_in_the_target_is_refused(redis_url: str) -> None:
    """Whatever `Host` says; and pages elsewhere may do through it what they may do else."""
    async with doors(redis_url) as d:
        here = d.url.removeprefix("http://")
        for name in ("evil.example", "", f"me@{here}", f"{here}:1", "localhost", f"{here}%2f"):
            data = await asked(d, f"http://{name}/v1/me", here)
            assert problem(data) == (421, "host"), name
        foreign = await asked(
            d, f"{d.url}/v1/tickets", here, "Origin: https://evil.example",
            f"Authorization: Bearer {d.operator()}", "Content-Length: 0", method="POST",
        )  # fmt: skip
        assert problem(foreign) == (403, "origin")


async def test_a_websocket_may_name_the_server_too(redis_url: str) -> None:
    """It opens, and a name that is not the server's does not."""
    async with doors(redis_url) as d:
        await begin(d)
        here = d.url.removeprefix("http://")
        lines = [
            f"Authorization: Bearer {d.operator()}", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: parley.v1",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]  # fmt: skip
        for name, status in ((here, b"101"), ("evil.example", b"421")):
            async with connected(d) as (reader, writer):
                top = [f"GET http://{name}{PATH}/ws HTTP/1.1", f"Host: {here}"]
                writer.write("\r\n".join([*top, *lines, "", ""]).encode())
                data = await asyncio.wait_for(reader.readline(), PATIENCE)
                assert data.split()[1] == status


# -- too slow --------------------------------------------------------------------------


async def test_half_a_body_is_not_waited_for(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """408 once nothing has come for as long as is waited, and the connection is over."""
    monkeypatch.setattr("parley.server.http.transport.http_connection.LINGER_SECONDS", SHORT)
    async with doors(redis_url, body_seconds=SHORT) as d, connected(d) as (reader, writer):
        writer.write(head(d, "Content-Length: 100") + b'{"name":')
        assert problem(await rest(reader), ends=False) == (408, "too-slow")


async def test_a_body_that_trickles_is_not_waited_for_either(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte now and then earns next to no time, whoever reads the body: FastAPI or a route."""
    monkeypatch.setattr("parley.server.http.transport.http_connection.LINGER_SECONDS", SHORT)
    async with doors(redis_url, body_seconds=SHORT) as d:
        for path in ("/v1/tokens", "/v1/sessions/s/messages", "/mcp"):
            async with connected(d) as (reader, writer):
                writer.write(head(d, "Transfer-Encoding: chunked", path=path))
                answer = asyncio.create_task(reader.readuntil(b"}"))
                while not answer.done():
                    writer.write(b"1\r\n \r\n")
                    await asyncio.wait([answer], timeout=SHORT / 4)
                assert problem(answer.result(), ends=False) == (408, "too-slow")
                await rest(reader)


async def test_half_a_head_is_not_waited_for(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it trickles: the time for a head begins with its first byte."""
    monkeypatch.setattr("parley.server.http.transport.http_connection.HEAD_SECONDS", SHORT)
    async with doors(redis_url) as d, connected(d) as (reader, writer):
        writer.write(b"GET /healthz HTTP/1.1\r\n")
        answer = asyncio.create_task(rest(reader))
        while not answer.done():
            writer.write(b"X: 1\r\n")
            await asyncio.wait([answer], timeout=SHORT / 4)
        assert problem(answer.result()) == (408, "too-slow")


async def test_who_connects_and_says_nothing_is_let_go(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a word: a browser opens connections that it may never use."""
    monkeypatch.setattr("parley.server.http.transport.http_connection.HEAD_SECONDS", SHORT)
    async with doors(redis_url) as d, connected(d) as (reader, _):
        assert await rest(reader) == b""


async def test_a_second_head_is_given_the_same_time(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a connection that was answered before, and stays open meanwhile."""
    async with doors(redis_url) as d, connected(d) as (reader, writer):
        writer.write(head(d, path="/v1/me", method="GET"))
        first = await asyncio.wait_for(reader.readuntil(b"}"), PATIENCE)
        assert first.startswith(b"HTTP/1.1 200")
        monkeypatch.setattr("parley.server.http.transport.http_connection.HEAD_SECONDS", SHORT)
        writer.write(b"GET /healthz HT")
        assert problem(await rest(reader)) == (408, "too-slow")


async def test_a_stream_and_a_socket_outlive_the_time_for_a_head(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked in time is answered for as long as it takes."""
    monkeypatch.setattr("parley.server.http.transport.http_connection.HEAD_SECONDS", LONGER)
    async with doors(redis_url, body_seconds=LONGER) as d, d.client(d.operator()) as operator:
        await operator.post("/v1/sessions", json={"session": "s"})
        asked = head(d, path="/v1/sessions/s/events", method="GET"), head(
            d, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", path="/v1/sessions/s/ws", method="GET",
        )  # fmt: skip
        async with connected(d) as (reader, writer), connected(d) as (heard, socket):
            writer.write(asked[0])
            socket.write(asked[1])
            await asyncio.wait_for(heard.readuntil(b'"hello"'), PATIENCE)
            await asyncio.wait_for(reader.readuntil(b"event: hello"), PATIENCE)
            with pytest.raises(TimeoutError):  # neither is closed meanwhile
                await asyncio.wait_for(heard.readuntil(b"never said"), LONGER + SHORT)
            await operator.post(
                "/v1/sessions/s/messages", json={"content": "Still there?", "as": "ana"}
            )
            await asyncio.wait_for(reader.readuntil(b"Still there?"), PATIENCE)
            assert not heard.at_eof()


@given(st.lists(st.tuples(st.floats(0, 20), st.integers(0, 1 << 16)), max_size=50))
def test_patience_is_never_above_its_measure_nor_bought_below_the_rate(
    came: list[tuple[float, int]],
) -> None:
    """A body of b bytes is waited for no longer than the grace and b at the least rate."""
    patience, waited, size = TimeBudget(30), 0.0, 0
    for seconds, length in came:
        if patience.left <= 0:
            break
        seconds = min(seconds, patience.left)
        patience.spend(seconds, length)
        waited, size = waited + seconds, size + length
        assert patience.left <= 30
    assert waited <= 30 + size / BYTES_A_SECOND + 1e-6


# -- gone ------------------------------------------------------------------------------


async def test_who_goes_away_within_a_body_is_nobodys_fault(redis_url: str) -> None:
    """No error in the log, no trace, and no answer counted as a fault of ours."""
    asked = {"tokens": "POST", "sessions/s/messages": "POST", "sessions/s/import": "PUT"}
    with structlog.testing.capture_logs() as lines:
        async with doors(redis_url) as d:
            for path, method in asked.items():
                async with connected(d) as (_, writer):
                    own = head(d, "Content-Length: 100", path=f"/v1/{path}", method=method)
                    writer.write(own + b"{")
                    await wait_until(lambda: len(d.deps.open_connections) == 1)
                await wait_until(lambda: not d.deps.open_connections)
            counted = d.deps.metrics.render().decode()
            async with d.client(d.operator()) as operator:
                assert (await operator.get("/v1/sessions")).json()["items"] == []
    assert [line for line in lines if line["log_level"] not in ("debug", "info")] == []
    assert 'status="5' not in counted


# -- framing ---------------------------------------------------------------------------


async def test_a_body_framed_twice_is_refused(redis_url: str) -> None:
    """A proxy that believes the other length would see another request in it."""
    async with doors(redis_url) as d, connected(d) as (reader, writer):
        writer.write(head(d, "Content-Length: 5", "Transfer-Encoding: chunked"))
        writer.write(b"0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n")
        data = await rest(reader)
    assert problem(data) == (400, "malformed")
    assert data.count(b"HTTP/1.1") == 1


async def test_what_is_no_http_is_a_problem_too(redis_url: str) -> None:
    """400 in the form of every other refusal, and not a word of what was sent."""
    bad = (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",  # as TLS begins
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 20_000,
    )
    async with doors(redis_url) as d:
        for data in bad:
            async with connected(d) as (reader, writer):
                writer.write(data)
                assert problem(await rest(reader)) == (400, "malformed")


async def test_a_body_that_is_no_longer_http_ends_quietly(redis_url: str) -> None:
    """Whoever reads it sees a client that left; the answer is the same 400."""
    with structlog.testing.capture_logs() as lines:
        async with doors(redis_url) as d, connected(d) as (reader, writer):
            writer.write(head(d, "Transfer-Encoding: chunked") + b"zz\r\n")
            assert problem(await rest(reader)) == (400, "malformed")
            await wait_until(lambda: not d.deps.open_connections)
    assert [line for line in lines if line["log_level"] not in ("debug", "info")] == []


# -- too many --------------------------------------------------------------------------


async def test_connections_have_a_number(redis_url: str) -> None:
    """One more is refused where all have shown a good token; those that are open are served."""
    async with doors(redis_url, streams=1, strangers=1) as d:
        async with AsyncExitStack() as stack:
            for _ in range(2):
                reader, writer = await stack.enter_async_context(connected(d))
                writer.write(head(d, path="/v1/me", method="GET"))
                assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            async with connected(d) as (refused, _):
                assert problem(await rest(refused)) == (503, "unavailable")
            writer.write(head(d, path="/v1/me", method="GET"))
            await reader.readuntil(b"HTTP/1.1 200")
        await wait_until(lambda: not d.deps.open_connections)


async def test_who_has_shown_a_token_stays_where_strangers_come(redis_url: str) -> None:
    """The oldest stranger goes, whatever it has sent of a request; a good token keeps its place."""
    async with doors(redis_url, strangers=3, strangers_each=2) as d:
        begun = head(d, "Content-Length: 100").replace(b"Authorization: Bearer ey", b"X-No: ")
        async with connected(d) as (reader, writer), connected(d) as (slow, slow_writer):
            writer.write(head(d, path="/v1/me", method="GET"))
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            slow_writer.write(begun + b"{")
            await wait_until(lambda: len(d.deps.open_connections) == 2)
            async with connected(d) as (half, half_writer), connected(d) as (silent, _):
                assert await rest(slow) == b""
                half_writer.write(b"GET / HT")
                await asyncio.sleep(SHORT)
                async with connected(d):
                    assert await rest(half) == b""
                    async with connected(d):
                        assert await rest(silent) == b""
                        writer.write(head(d, path="/v1/me", method="GET"))
                        await reader.readuntil(b"HTTP/1.1 200")


async def test_behind_a_proxy_requests_are_counted_by_who_sends_them(redis_url: str) -> None:
    """Its own connections are not: it keeps many that are idle, and asks for many."""
    async with (
        doors(redis_url, strangers=9, strangers_each=1, proxies=("127.0.0.1",)) as d,
        AsyncExitStack() as stack,
    ):
        pipes = [await stack.enter_async_context(connected(d)) for _ in range(4)]
        await wait_until(lambda: len(d.deps.open_connections) == 4)
        begun = head(d, "Content-Length: 100").replace(b"Authorization: Bearer ey", b"X-No: ")
        senders = ("192.0.2.1", "192.0.2.2", "192.0.2.1")
        for (_, writer), sender in zip(pipes[1:], senders, strict=True):
            writer.write(begun.replace(b"X-No", f"X-Forwarded-For: {sender}\r\nX-No".encode()))
            await asyncio.sleep(SHORT)
        assert await rest(pipes[1][0]) == b""
        assert len(d.deps.open_connections) == 3


def test_a_new_stranger_closes_the_oldest_of_its_address_or_of_all() -> None:
    """And the log has one line a second of it, with how many there were."""
    now = [0.0]

    class One:
        def __init__(self) -> None:
            self.closed = False

        def make_room(self) -> None:
            self.closed = True

    strangers, came = Strangers(3, 2, lambda: now[0]), [One() for _ in range(8)]
    with structlog.testing.capture_logs() as lines:
        for one, host in zip(came[:4], ("a", "a", "a", "b"), strict=True):
            strangers.enter(one, host)
        assert [one.closed for one in came[:4]] == [True, False, False, False]
        strangers.enter(came[4], "c")
        assert [one.closed for one in came[:5]] == [True, True, False, False, False]
        strangers.leave(came[2])
        strangers.enter(came[5], "2001:db8::1")
        strangers.enter(came[6], "2001:db8::2")
        now[0] = 1.0
        strangers.enter(came[7], "2001:db8::3")
        assert [one.closed for one in came] == [True, True, False, True, False, True, False, False]
    assert [(line["event"], line["closed"]) for line in lines] == [
        ("strangers_closed", 1), ("strangers_closed", 3),
    ]  # fmt: skip


async def test_an_answer_before_the_body_reaches_who_still_sends_it(redis_url: str) -> None:
    """What is declared too long is refused at once, and what comes of it is not kept."""
    async with doors(redis_url, body_bytes=4096) as d, connected(d) as (reader, writer):
        writer.write(head(d, "Content-Length: 8388608") + b"x" * 4096)
        status = await asyncio.wait_for(reader.readline(), PATIENCE)
        assert status.startswith(b"HTTP/1.1 413")


async def test_a_body_that_follows_its_answer_has_an_end(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it trickles: it is read for a while, so that the answer is, and no longer."""
    monkeypatch.setattr("parley.server.http.transport.http_connection.LINGER_SECONDS", SHORT)
    async with doors(redis_url, body_bytes=4096) as d, connected(d) as (reader, writer):
        writer.write(head(d, "Content-Length: 8388608"))
        status = await asyncio.wait_for(reader.readline(), PATIENCE)
        assert status.startswith(b"HTTP/1.1 413")
        ended = asyncio.create_task(rest(reader))
        while not ended.done():
            writer.write(b"x")
            await asyncio.wait([ended], timeout=SHORT / 4)
        with contextlib.suppress(ConnectionError):  # what came last was not read any more
            await ended


def test_a_system_that_gives_no_more_files_stops_no_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says it might give is not always what it gives."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, resource.RLIM_INFINITY))
    raise_file_limit(ServeSettings(streams=10_000_000))


def test_as_many_as_the_system_allows_and_it_is_asked_for_more() -> None:
    """The limit of open files is raised for what the settings need, and else kept to."""
    few = ServeSettings(streams=10, strangers=1_000)
    before = soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (600, hard))
        assert most_connections(ServeSettings()) == 600 - OWN_FILES
        raise_file_limit(few)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 1_010 + OWN_FILES
        assert most_connections(few) == 1_010
        raise_file_limit(ServeSettings(streams=1, strangers=1))
        assert most_connections(few) == 1_010
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == soft
