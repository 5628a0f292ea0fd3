"""One client that floods, beside others who do not: they are served, and it is stopped."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import anyio
import httpx2
import pytest
from anyio import to_thread
from websockets.asyncio.client import connect

from parley.server.http.bodies.value_count import VALUES
from tests.support.doors.doors import Standing, doors
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.sessions import discuss

ASKED = 150  # requests whose slowest but one is the p99
TIMES = 10  # what a flood may cost others of the time that they need beside a client that behaves
PATH = "/v1/sessions/s"


def frame(kind: int, data: bytes) -> bytes:
    """As a client writes one, masked with zeros."""
    assert len(data) < 126
    return bytes([0x80 | kind, 0x80 | len(data), 0, 0, 0, 0]) + data


def text(**members: object) -> bytes:
    return frame(1, json.dumps(members).encode())


class Wire(threading.Thread):
    """A client in a thread of its own, with nothing between it and the socket.

    Sends `data` again and again, `pause` seconds apart, and keeps what comes.
    """

    def __init__(self, url: str, token: str, data: bytes, pause: float = 0.0) -> None:
        super().__init__(daemon=True)
        host, port = url.removeprefix("http://").split(":")
        self.data, self.pause, self.heard = data, pause, bytearray()
        self.stopped = threading.Event()
        self.pipe = socket.create_connection((host, int(port)), PATIENCE)
        self.pipe.sendall(
            f"GET {PATH}/ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            f"Authorization: Bearer {token}\r\n\r\n".encode()
        )

    def run(self) -> None:
        reader = threading.Thread(target=self._hear, daemon=True)
        reader.start()
        with suppress(OSError):
            while not self.stopped.wait(self.pause):
                self.pipe.sendall(self.data)
        reader.join(PATIENCE)

    def stop(self) -> None:
        self.stopped.set()
        with suppress(OSError):  # the server may have closed it
            self.pipe.shutdown(socket.SHUT_RDWR)
        self.join(PATIENCE)
        self.pipe.close()

    @property
    def ending(self) -> tuple[int, str] | None:
        """Code and reason that it was closed with, once it was."""
        at = self.heard.find(b"\x88")
        while at >= 0:
            size = self.heard[at + 1] if at + 1 < len(self.heard) else 0
            if 2 <= size < 126 and at + 2 + size == len(self.heard):
                payload = self.heard[at + 2 :]
                return int.from_bytes(payload[:2], "big"), payload[2:].decode()
            at = self.heard.find(b"\x88", at + 1)
        return None

    def _hear(self) -> None:
        with suppress(OSError):
            while data := self.pipe.recv(1 << 16):
                self.heard += data


@contextmanager
def beside(*wires: Wire) -> Iterator[None]:
    for wire in wires:
        wire.start()
    try:
        yield
    finally:
        for wire in wires:
            wire.stop()


async def p99(client: httpx2.AsyncClient, count: int = ASKED) -> float:
    """Seconds that the slowest request in a hundred takes, of `count` one behind the other."""
    took = []
    for _ in range(count):
        began = time.perf_counter()
        answer = await client.get("/healthz")
        took.append(time.perf_counter() - began)
        assert answer.status_code == 200
    return sorted(took)[-1 - count // 100]


FLOODS = {
    "unsubscribe": text(type="unsubscribe") * 8_000,
    "ping": text(type="ping") * 8_000,
    "nothing": frame(1, b"") * 20_000,
    "refused": text(type="publish", ref="x", entries=[{"content": "Psst."}]) * 4_000,
    "pings of the protocol": frame(9, b"") * 20_000,
    "pongs that nobody asked for": frame(10, b"") * 20_000,
}


@pytest.mark.parametrize("data", FLOODS.values(), ids=FLOODS)
async def test_whoever_floods_a_socket_is_closed_and_delays_nobody(
    redis_url: str, data: bytes
) -> None:
    """With a code and a reason; beside a client that takes its time others wait as long.

    What the machine does beside may fall into either of the two: the best of three pairs counts.
    """
    async with doors(redis_url) as d:
        await discuss(d.deps.backend.bus, "s", 5)
    delays: list[float] = []
    while not delays or (min(delays) > TIMES and len(delays) < 3):
        async with doors(redis_url) as d:  # anew, with nothing charged yet
            delays.append(await delay(d, data))
    assert min(delays) <= TIMES


async def delay(d: Standing, data: bytes) -> float:
    """How many times as long others wait beside who sends `data` as beside who takes their time."""
    eye, eve = (d.token(name, role="observer", session="s") for name in ("eye", "eve"))
    polite = await to_thread.run_sync(Wire, d.url, eye, text(type="ping"), 0.02)
    flooding = await to_thread.run_sync(Wire, d.url, eve, data)
    async with d.client() as ana:
        await p99(ana, 20)
        with beside(polite):
            usual = await p99(ana)
        with beside(flooding):
            flooded = await p99(ana)
            await wait_until(lambda: flooding.ending)
    unreadable = data.startswith(FLOODS["nothing"][:8])
    assert flooding.ending == ((1008, "unreadable") if unreadable else (4429, "rate"))
    return flooded / usual


BURSTS = {  # as much as may come at once, and how many bytes answer each
    "pings": (text(type="ping") * 380, 380 * len(frame(1, b'{"type":"pong"}')) - 4 * 380),
    "pings of the protocol": (frame(9, b"") * 3_900, 3_900 * 2),
}


@pytest.mark.parametrize(("data", "answers"), BURSTS.values(), ids=BURSTS)
async def test_small_frames_are_read_in_turns(redis_url: str, data: bytes, answers: int) -> None:
    """Others wait for some of those that came together, not for all: by the processor's time."""
    async with doors(redis_url) as d:
        await discuss(d.deps.backend.bus, "s", 5)
        eye = d.token("eye", role="observer", session="s")
        wire = await to_thread.run_sync(Wire, d.url, eye, b"")
        hello = b'"type":"hello"'
        wire.pipe.settimeout(PATIENCE)
        while hello not in wire.heard:
            wire.heard += await to_thread.run_sync(wire.pipe.recv, 1 << 16)
        wire.pipe.setblocking(False)
        wire.pipe.send(data)  # before the loop looks again
        heard, longest, total = 0, 0.0, 0.0
        while heard < answers:
            began = time.thread_time()
            await asyncio.sleep(0)
            took = time.thread_time() - began
            longest, total = max(longest, took), total + took
            with suppress(BlockingIOError):
                heard += len(wire.pipe.recv(1 << 16))
        wire.pipe.close()
    assert longest <= total / 5


EMPTY = b"[" + b"[]," * 400_000 + b"[]]"
BODIES = {
    "POST /v1/sessions/s/messages": EMPTY,
    "POST /v1/sessions/s/entries": b'{"entries":' + EMPTY + b"}",
    "PATCH /v1/sessions/s/settings": b'{"settings":{"a":' + EMPTY + b"}}",
    "POST /mcp": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":' + EMPTY + b"}}",
}
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@pytest.mark.parametrize(("route", "body"), BODIES.items(), ids=BODIES)
async def test_a_body_of_a_million_values_is_refused_before_it_is_read(
    redis_url: str, route: str, body: bytes
) -> None:
    """By the processor's time of eight of them: less than that of reading a single one."""
    method, path = route.split()
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        await discuss(d.deps.backend.bus, "s", 5)
        await operator.request(method, path, content=b"[]", headers=JSON)
        began = time.process_time()
        json.loads(EMPTY)
        reading, began = time.process_time() - began, time.process_time()
        for _ in range(8):
            answer = await operator.request(method, path, content=body, headers=JSON)
            assert (answer.status_code, answer.json()["limit"]) == (413, VALUES)
        assert time.process_time() - began <= 8 * reading


@pytest.mark.parametrize("route", [f"PATCH {PATH}/settings", "POST /v1/sessions"])
async def test_settings_of_many_names_are_refused_before_they_are_folded(
    redis_url: str, route: str
) -> None:
    """By the door; two thousand notebooks with a limit each are none too many."""
    method, path = route.split()
    agents = {f"agent{k}": {"limit": 2000} for k in range(VALUES // 4)}
    tree = {"note": {"agents": agents}}
    few = {"note": {"agents": dict(list(agents.items())[:2_000])}}
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        await discuss(d.deps.backend.bus, "s", 5)
        body = {} if method == "PATCH" else {"session": "t"}
        assert (await operator.request(method, path, json={**body, "settings": few})).is_success
        head = (await d.deps.backend.bus.info("s")).head
        answer = await operator.request(method, path, json={**body, "settings": tree})
        assert (answer.status_code, answer.json()["field"]) == (422, "settings")
        assert "4096" in answer.json()["detail"]
        assert (await d.deps.backend.bus.info("s")).head == head


async def test_a_frame_of_a_million_values_is_a_nack(redis_url: str) -> None:
    async with doors(redis_url) as d:
        await discuss(d.deps.backend.bus, "s", 5)
        url = d.url.replace("http", "ws", 1) + f"{PATH}/ws"
        bearer = {"Authorization": f"Bearer {d.token('ana', session='s')}"}
        async with connect(url, additional_headers=bearer, open_timeout=PATIENCE) as ana:
            await ana.recv()
            await ana.send(EMPTY.decode())
            nack = json.loads(await ana.recv())
    assert (nack["type"], nack["problem"]["limit"]) == ("nack", VALUES)
    assert nack["problem"]["type"] == "urn:parley:problem:too-large"


async def test_the_bytes_of_a_token_are_charged(redis_url: str) -> None:
    """Four bodies of the greatest length at once; then it is told when to come back."""
    now = time.time()
    content = b" " * (1 << 16)
    async with (
        doors(redis_url, clock=lambda: now, body_bytes=1 << 16) as d,
        d.client(d.token("ana", session="s")) as ana,
    ):
        answers = [await ana.post("/v1/tickets", content=content, headers=JSON) for _ in range(8)]
    assert [answer.status_code for answer in answers[:4]] == [400] * 4
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["Retry-After"]) >= 1


WISHES = json.dumps({"type": "publish", "ref": "x", "entries": [{"content": "Psst."}]})
CHARGED = {  # what is sent, and how much of it is had at once; nothing else counts either
    "frames": (WISHES, {"rate": 1, "reads": 1}, 8),
    "bytes": (json.dumps({"type": "ping"}).ljust(65_000), {"body_bytes": 1 << 16}, 4),
}


@pytest.mark.parametrize(("sent", "serve", "most"), CHARGED.values(), ids=CHARGED)
async def test_each_frame_and_byte_of_a_socket_is_charged(
    redis_url: str, sent: str, serve: dict[str, int], most: int
) -> None:
    """Beyond what may be had at once nothing is read until time has passed."""
    now = time.time()
    async with doors(redis_url, clock=lambda: now, **serve) as d:
        await discuss(d.deps.backend.bus, "s", 1)
        url = d.url.replace("http", "ws", 1) + f"{PATH}/ws"
        bearer = {"Authorization": f"Bearer {d.token('eye', role='observer', session='s')}"}
        async with connect(url, additional_headers=bearer, open_timeout=PATIENCE) as eye:
            await eye.recv()
            for _ in range(most + 1):
                await eye.send(sent)
            with anyio.fail_after(PATIENCE):
                for _ in range(most):
                    await eye.recv()
            with anyio.move_on_after(0.5):
                pytest.fail(f"answered at once, too: {await eye.recv()!r}")
            now += 60
            with anyio.fail_after(PATIENCE):
                await eye.recv()


@pytest.mark.parametrize("rest", [b"", frame(8, (1000).to_bytes(2, "big")), text(type="ping")])
async def test_what_is_no_text_closes_without_a_word_in_the_log(
    redis_url: str, caplog: pytest.LogCaptureFixture, rest: bytes
) -> None:
    """A text frame of foreign bytes, and what comes in the same packet."""
    async with doors(redis_url) as d:
        await discuss(d.deps.backend.bus, "s", 1)
        wire = Wire(d.url, d.token("ana"), text(type="ping"), pause=0.1)
        with beside(wire):
            await wait_until(lambda: b"pong" in wire.heard)
            wire.data = frame(1, b"\xff\xfe") + rest
            await wait_until(lambda: wire.ending is not None)
        assert wire.ending is not None
        assert wire.ending[0] in (1007, 1000)  # the goodbye may be heard first
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
