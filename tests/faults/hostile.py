"""What each kind of hostile client costs somebody who behaves: `python -m tests.faults.hostile`.

A server in a process of its own is asked by one who behaves, beside an attack and then beside
clients who behave and keep the server's processor as busy as the attack did. Printed are the
slowest request in a hundred of both, how busy the server was, and what memory it has afterwards.
It ends with 1 where an attack costs more than `TIMES` what its equal does, or where the server
grew by more than `GROWN_MIB` in the last pass: stores are full by then, and memory is flat.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import itertools
import json
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from parley.bus import Bus, Draft
from parley.bus.contract.wire import encode
from parley.bus.entries import Message, PackRef, SessionOpened
from parley.bus.sessions.session_file import SessionFile, encode_file
from parley.bus.sessions.stored_rows import StoredRow
from parley.listeners.sessions.shipped_packs import newest_packs
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Keyring, build_claims
from tests.faults.gateway import SECRET, Gateway
from tests.server.http.test_flooding import EMPTY, PATH
from tests.server.http.test_hostile_load import THREADS, Send, request
from tests.support.servers.patience import PATIENCE
from tests.support.servers.servers import RedisServer

ROOT: Final = Path(__file__).parents[2]
STREAMS: Final = 40
CONNECTIONS: Final = 5_000
ASKED: Final = 400
PAUSE_SECONDS: Final = 0.02  # between two requests of who behaves
WARM_SECONDS: Final = 3.0
LOOK_SECONDS: Final = 0.25  # between two looks at how busy the server is
TIMES: Final = 10.0  # what an attack may cost of what it costs beside who behaves
GROWN_MIB: Final = 16.0  # that the server may grow by in the last pass over all attacks
PINGS: Final = b"\x81\x8f\x00\x00\x00\x00" + b'{"type":"ping"}'

Work = Callable[[threading.Event], None]


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: seconds of the slowest request in a hundred, and share of a processor."""

    slowest: float
    share: float

    def __str__(self) -> str:
        return f"{self.slowest * 1000:.1f} ms at {self.share:.0%} of a processor"


class Place:
    """A server under attack."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway

    def token(self, name: str, role: Literal["person", "operator"] = "person") -> str:
        return Keyring([SECRET]).sign(build_claims(name, role, EVERY_SESSION, time.time()))

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.gateway.port, timeout=PATIENCE)

    def open(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.gateway.port), PATIENCE)

    def mebibytes(self) -> float:
        """What of its memory is in use."""
        status = Path(f"/proc/{self.gateway.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def measure(self) -> Row:
        """Of ordinary requests, one behind the other, once all has warmed up."""
        time.sleep(WARM_SECONDS)
        connection, took = self.connect(), []
        began, busy = time.perf_counter(), self.gateway.busy_ms()
        for _ in range(ASKED):
            asked = time.perf_counter()
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            answer.read()
            took.append(time.perf_counter() - asked)
            assert answer.status == 200
            time.sleep(PAUSE_SECONDS)
        share = (self.gateway.busy_ms() - busy) / 1000 / (time.perf_counter() - began)
        return Row(sorted(took)[-1 - ASKED // 100], share)


@contextmanager
def repeating(*works: Work) -> Iterator[None]:
    """Each of `works` in a thread, again and again, until the body is done."""
    stopped = threading.Event()

    def run(work: Work) -> None:
        while not stopped.is_set():
            with suppress(OSError, http.client.HTTPException):
                work(stopped)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopped.set()
        for thread in threads:
            thread.join(PATIENCE)


def requests_of(place: Place, send: Send, pause: Callable[[], float] = float) -> Work:
    """`send` on one connection until it breaks, `pause()` seconds apart."""

    def work(stopped: threading.Event) -> None:
        connection = place.connect()
        while not stopped.is_set():
            send(connection)
            time.sleep(pause())

    return work


@contextmanager
def behaving(place: Place, share: float) -> Iterator[None]:
    """Clients who read what they may, so often that the server is as busy as `share` says."""
    pause = [0.001]
    asks = [
        requests_of(place, request("GET", PATH, place.token(f"reader{k}")), lambda: pause[0])
        for k in range(THREADS * 4)  # each within what a token may
    ]

    def adjust(stopped: threading.Event) -> None:
        busy = place.gateway.busy_ms()
        stopped.wait(LOOK_SECONDS)
        now = (place.gateway.busy_ms() - busy) / 1000 / LOOK_SECONDS
        pause[0] = min(1.0, max(0.0002, pause[0] * min(2.0, max(0.5, now / max(share, 0.01)))))

    with repeating(adjust, *asks):
        yield


@contextmanager
def frames(place: Place) -> Iterator[None]:
    """WebSockets full of pings, opened again where they are closed."""
    head = (
        f"GET {PATH}/ws HTTP/1.1\r\nHost: 127.0.0.1:{place.gateway.port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Authorization: Bearer {place.token('eve')}\r\n\r\n"
    ).encode()

    def flood(stopped: threading.Event) -> None:
        with place.open() as pipe:
            pipe.sendall(head)
            pipe.settimeout(1.0)
            while not stopped.is_set():
                pipe.sendall(PINGS * 2_000)

    with repeating(*[flood] * THREADS):
        yield


@contextmanager
def bodies(place: Place) -> Iterator[None]:
    """Megabytes of empty lists."""
    send = request("POST", f"{PATH}/messages", place.token("eve"), EMPTY)
    with repeating(*[requests_of(place, send)] * THREADS):
        yield


def file_of(*rows: StoredRow) -> bytes:
    return encode_file(SessionFile("x", "open", rows))


def opening(*packs: PackRef) -> StoredRow:
    return StoredRow(1, 0, "open", 1_700_000_000_000, encode(SessionOpened(packs=packs)))


@contextmanager
def imports(place: Place) -> Iterator[None]:
    """An operator's session files of a megabyte, again and again."""
    words = Message(participant="ana", content="We propose a light at the pier. " * 6)
    said = [
        StoredRow(k + 2, k + 1, f"m{k}", 1_700_000_000_000, encode(words)) for k in range(3_500)
    ]
    file = file_of(opening(*newest_packs()), *said)
    send = request("PUT", "/v1/sessions/x/import?replace=true", place.token("o", "operator"), file)
    with repeating(*[requests_of(place, send)] * THREADS):
        yield


@contextmanager
def patterns(place: Place) -> Iterator[None]:
    """An operator's session files that bring costly patterns, each time others, and a look."""
    numbers, token = itertools.count(), place.token("o", "operator")
    costly = [r"\pL{{1,40}}{}a", r"\pL{{1,2}}{}b", r"(?:\pL{{1,99}}{}c){{1,10}}"]

    def send(connection: http.client.HTTPConnection) -> None:
        number = next(numbers)
        pattern = costly[number % len(costly)]
        rules = [
            {"name": f"r{k}", "act": "decide", "pattern": pattern.format(f"{number}x{k}")}
            for k in range(6)
        ]
        file = file_of(opening(PackRef("own@1", "0" * 32, {"name": "own@1", "rules": rules})))
        path = f"/v1/sessions/x{number % THREADS}"
        request("PUT", f"{path}/import?replace=true", token, file)(connection)
        request("GET", f"{path}/context", token)(connection)

    with repeating(*[requests_of(place, send)] * THREADS):
        yield


@contextmanager
def slow_readers(place: Place) -> Iterator[None]:
    """Streams from the beginning that nobody reads, while somebody talks."""
    said = json.dumps({"content": "x" * 2_000}).encode()
    with ExitStack() as stack:
        for k in range(STREAMS):
            head = (
                f"GET {PATH}/events?after=0 HTTP/1.1\r\nHost: 127.0.0.1:{place.gateway.port}\r\n"
                f"Authorization: Bearer {place.token(f'eve{k // 4}')}\r\n\r\n"
            )
            stack.enter_context(place.open()).sendall(head.encode())
        stack.enter_context(
            repeating(
                requests_of(
                    place, request("POST", f"{PATH}/messages", place.token("cy"), said),
                    lambda: 0.02,
                )
            )
        )  # fmt: skip
        yield


@contextmanager
def connections(place: Place) -> Iterator[None]:
    """Half a head on each, and again where the server let it go."""
    pipes: list[socket.socket] = []

    def keep(stopped: threading.Event) -> None:
        if len(pipes) >= CONNECTIONS:
            pipes.pop(0).close()
        pipes.append(place.open())
        pipes[-1].sendall(b"GET / HTTP/1.1\r\nHost:")
        if len(pipes) == CONNECTIONS:
            stopped.wait(PAUSE_SECONDS)

    try:
        with repeating(keep):
            until = time.monotonic() + PATIENCE
            while len(pipes) < CONNECTIONS:
                assert time.monotonic() < until, f"only {len(pipes)} connections stand"
                time.sleep(0.05)
            yield
    finally:
        for pipe in pipes:
            pipe.close()


ATTACKS: Final = {
    "frames": frames, "bodies": bodies, "imports": imports, "patterns": patterns,
    "slow readers": slow_readers, "5,000 connections": connections,
}  # fmt: skip


async def _talk(redis: str) -> None:
    async with await Bus.connect(redis) as bus:
        await bus.open("s", SessionOpened(packs=newest_packs()))
        said = [Message(participant="ana", content=f"Light {k}.") for k in range(50)]
        await bus.publish("s", [Draft(f"m{k}", row) for k, row in enumerate(said)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--only", nargs="+", choices=ATTACKS, default=tuple(ATTACKS))
    parser.add_argument(
        "--passes", type=int, default=3, help="over all attacks; memory is judged by the last two"
    )
    args = parser.parse_args()
    failed, sizes = False, []
    with tempfile.TemporaryDirectory() as folder, RedisServer("path", aof=None) as server:
        asyncio.run(_talk(server.url))
        gateway = Gateway(server.url, Path(folder))
        asyncio.run(gateway.start())
        place = Place(gateway)
        try:
            with behaving(place, 1.0):
                place.measure()
            print(f"{place.mebibytes():.0f} MiB at first", flush=True)
            for number in range(args.passes):
                for name in args.only:
                    with ATTACKS[name](place):
                        attacked = place.measure()
                    with behaving(place, attacked.share):
                        usual = place.measure()
                    times = attacked.slowest / usual.slowest
                    failed |= times > TIMES
                    print(
                        f"{number + 1}. {name}: {attacked}, beside who behaves {usual}, "
                        f"{times:.1f} times; {place.mebibytes():.0f} MiB",
                        flush=True,
                    )
                sizes.append(place.mebibytes())
        finally:
            gateway.stop()
    if len(sizes) > 1:
        grown = sizes[-1] - sizes[-2]
        failed |= grown > GROWN_MIB
        print(f"grown by {grown:.0f} MiB in the last pass, of {GROWN_MIB:.0f} that it may")
    print("NOT as it should be" if failed else "as it should be")
    return int(failed)


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
