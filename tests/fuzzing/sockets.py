"""Foreign bytes through the sockets of a server: `python -m tests.fuzzing.sockets --cases N`.

Requests, bodies of every route, frames of WebSockets and calls of MCP, changed at random, go to
a server that stands on the Redis at hand. A case is its number: `--first` goes on where a run was
broken off. A fault is an answer that is the server's own, none at all in ten seconds, or a server
that does not answer a request in order any more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import random
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from parley.bus.sessions.session_file import with_checksum
from tests.fuzzing.mutations import case_bytes
from tests.fuzzing.readers import readers
from tests.support.doors.doors import Standing, doors
from tests.support.servers.servers import RedisServer

ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 10.0  # for the answer to one case
MORE_SECONDS: Final = 0.5  # for the answer, until it is told that nothing more comes
BLOCK: Final = 500  # cases that share a session: some close it, mute everybody, or fill it up
AT_ONCE: Final = 4
DEEP: Final = 5  # levels of a value
FRAMES: Final = 20  # in one connection
QUICK: Final[dict[str, Any]] = {"rate": 100_000, "reads": 100_000}
UNTRIED: Final = frozenset({"/v1/sessions/{session}/run"})  # starts processes
_KEY: Final = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
_CLOSED: Final = b"\x88\x82\x00\x00\x00\x00\x03\xe8"  # a frame that says farewell


@dataclass(slots=True)
class Tally:
    """What came of the cases."""

    answers: Counter[tuple[str, int]] = field(default_factory=Counter)  # 0: cut off
    faults: dict[str, bytes] = field(default_factory=dict)  # the first case of each

    def note(self, door: str, status: int, data: bytes) -> None:
        self.answers[door, status] += 1
        if status in (500, 501, 502, 504) or status == 1011:
            self.faults.setdefault(f"{door}: {status}", data)


class _Complaints(logging.Handler):
    """What the server, or the loop that it runs on, logs as an error is a fault."""

    def __init__(self, tally: Tally) -> None:
        super().__init__(logging.ERROR)
        self._tally = tally

    def emit(self, record: logging.LogRecord) -> None:
        self._tally.faults.setdefault(f"logged: {record.getMessage()[:300]}", b"")


@contextmanager
def heeding_logs(tally: Tally) -> Iterator[None]:
    """Errors that are logged while the body runs are faults."""
    own, above = _Complaints(tally), logging.getLogger()
    above.addHandler(own)
    try:
        yield
    finally:
        above.removeHandler(own)


@cache
def bodies() -> tuple[tuple[str, str, bytes], ...]:
    """Method, path and a body of each route that takes one, by the schemas that it publishes."""
    tree = json.loads((ROOT / "docs" / "openapi.json").read_bytes())
    rows = []
    for path, methods in tree["paths"].items():
        for method, row in methods.items():
            if "requestBody" in row and path not in UNTRIED:
                schema = row["requestBody"]["content"]["application/json"]["schema"]
                value = _example(schema, tree["components"]["schemas"])
                if isinstance(value, dict) and path.startswith("/v1/sessions/{session}/"):
                    value.setdefault("as", "ana")  # an operator says for whom
                rows.append((method.upper(), path, json.dumps(value).encode()))
    return tuple(rows)


_KINDS: Final = {"/votes/": "V", "/goals/": "E", "/tasks/": "E", "/episodes/": "E"}
_WORDS: Final = ("ana", "P1", "V1", "E1", "M1", "D1")


def _example(schema: dict[str, Any], named: dict[str, Any], deep: int = 0) -> Any:
    """A value of that schema, with every field that it has."""
    schema = named[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return _example(choices[0], named, deep)
    if given := schema.get("examples") or schema.get("enum"):
        return given[0]
    if schema.get("type") == "object":
        fields = schema.get("properties", {}) if deep < DEEP else {}
        return {name: _example(of, named, deep + 1) for name, of in fields.items()}
    if schema.get("type") == "array":
        return [_example(schema.get("items", {}), named, deep + 1)] if deep < DEEP else []
    return schema.get("const", _plain_example(schema))


def _plain_example(schema: dict[str, Any]) -> Any:
    if schema.get("type") in ("integer", "number"):
        return int(schema.get("minimum", 1)) or 1
    if schema.get("type") == "boolean":
        return True
    pattern = schema.get("pattern", "")
    return next((word for word in _WORDS if re.search(pattern, word)), "ana")


HEADS: Final = (
    "GET /v1/sessions/{session}/entries?after=0", "GET /v1/sessions", "GET /static/app.js",
    "GET /v1/sessions/{session}/context?as=ana&profile=full&budget=4000", "GET /",
    "GET /v1/sessions/{session}/explain/P1", "GET /v1/sessions/{session}/minutes",
    "GET /v1/sessions/{session}/export", "GET /v1/sessions/{session}/messages/1",
    "POST /v1/sessions/{session}/messages",
)  # fmt: skip
_TOOLS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("join_session", {}), ("say", {"content": "Light."}), ("get_context", {}),
    ("list_sessions", {}), ("cast_vote", {"vote": "V1", "choice": "yes"}),
    ("wait_for_messages", {"seconds": 0}),
    ("get_messages", {"after": 0}), ("bid_for_floor", {"urgency": 3, "intent": "answer"}),
)  # fmt: skip
CALLS: Final = (
    {"method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
     "clientInfo": {"name": "x", "version": "1"}}},
    {"method": "tools/list", "params": {}}, {"method": "resources/list", "params": {}},
    {"method": "resources/read", "params": {"uri": "parley://sessions"}},
    {"method": "prompts/get", "params": {"name": "deliberate", "arguments": {"session": "s"}}},
    *(
        {"method": "tools/call", "params": {"name": name, "arguments": {"session": "s", **given}}}
        for name, given in _TOOLS
    ),
)  # fmt: skip


class Attack:
    """Cases against one server that stands."""

    def __init__(self, standing: Standing, tally: Tally) -> None:
        self._standing, self._tally = standing, tally
        self._host, self._port = urlsplit(standing.url).hostname or "", urlsplit(standing.url).port
        self._tokens = [standing.operator(), standing.token("ana"), standing.token("bo")]

    async def run(self, number: int, session: str) -> None:
        """One case; what it is depends on its number alone."""
        chance = random.Random(f"door {number}")
        door = chance.choice((self._head, self._body, self._body, self._socket, self._call))
        try:
            async with asyncio.timeout(SECONDS * 3):
                await door(number, session, chance)
        except TimeoutError:
            self._tally.faults.setdefault(f"{door.__name__}: no answer", f"{number}".encode())

    async def _head(self, number: int, session: str, chance: random.Random) -> None:
        """A request of which anything may be changed."""
        line = chance.choice(HEADS).format(session=session)
        body = b'{"content": "Light."}' if line.startswith("POST") else b""
        data = self._request(line, chance.choice(self._tokens), body, "")
        await self._exchange("request", case_bytes("request", number, (data,)))

    async def _body(self, number: int, session: str, chance: random.Random) -> None:
        """A body that may be any, under a head that is in order."""
        method, path, sample = chance.choice(bodies())
        letter = next((kind for word, kind in _KINDS.items() if word in path), "P")
        ref = f"{letter}{chance.choice('1112')}"
        path = path.format(session=session, ref=ref, name="ana", n=chance.randint(1, 3))
        if path.endswith("/import"):
            file = case_bytes("file", number, readers()["session file"].samples)
            path, data = f"{path}?replace=true", with_checksum(file)
        else:
            data = case_bytes("socket body", number, (sample,)) if number % 8 else sample
        head = self._request(f"{method} {path}", chance.choice(self._tokens), data, "")
        await self._exchange("body", head)

    async def _call(self, number: int, session: str, chance: random.Random) -> None:
        """A call of MCP."""
        call = {"jsonrpc": "2.0", "id": number, **chance.choice(CALLS)}
        sample = json.dumps(call).replace('"s"', json.dumps(session)).encode()
        data = case_bytes("call", number, (sample,))
        more = "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"
        await self._exchange("call", self._request("POST /mcp", self._tokens[1], data, more))

    async def _socket(self, number: int, session: str, chance: random.Random) -> None:
        """Frames: whole ones with any text, and any bytes where frames are due."""
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            line = f"GET /v1/sessions/{session}/ws"
            upgrade = f"Upgrade: websocket\r\nConnection: Upgrade\r\n{_KEY}"
            writer.write(self._request(line, chance.choice(self._tokens), b"", upgrade))
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 101 " not in head.partition(b"\r\n")[0]:
                self._tally.note("frames", int(head.split()[1]), head)
                return
            samples = readers()["frame"].samples
            parts = [
                _frame(case_bytes("frame", number * FRAMES + k, samples)) for k in range(FRAMES)
            ]
            if chance.random() < 0.3:
                parts = [case_bytes("frames", number, (b"".join(parts[:4]),))]
            writer.write(b"".join([*parts, _CLOSED]))
            writer.write_eof()
            heard = await asyncio.wait_for(reader.read(-1), SECONDS)
            failed = b"\x88" in heard and (1011).to_bytes(2, "big") in heard
            self._tally.note("frames", 1011 if failed else 200, heard)
        except (ConnectionError, asyncio.IncompleteReadError):
            self._tally.note("frames", 0, b"")
        finally:
            writer.close()

    def _request(self, line: str, token: str, body: bytes, more: str) -> bytes:
        close = "" if "Upgrade" in more else "Connection: close\r\n"
        head = (
            f"{line} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n{close}"
            f"Authorization: Bearer {token}\r\n{more}"
        )
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return f"{head}\r\n".encode() + body

    async def _exchange(self, door: str, data: bytes) -> None:
        """Send these bytes and no more, and hear what comes until the server closes."""
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            writer.write(data)
            heard = await self._hear(reader, writer)
        except ConnectionError:
            heard = b""
        finally:
            writer.close()
        words = heard[:40].split()
        status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
        self._tally.note(door, status, data)

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        """What comes; where the server waits for the rest of a request, it is told of none."""
        with suppress(TimeoutError):
            return await asyncio.wait_for(reader.read(1 << 20), MORE_SECONDS)
        writer.write_eof()
        return await asyncio.wait_for(reader.read(1 << 20), SECONDS)


def _frame(data: bytes) -> bytes:
    """A text frame as a client sends it, masked with zeros."""
    size = len(data)
    head = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
    return b"\x81" + head + bytes(4) + data


async def attack(redis_url: str, first: int, count: int, tally: Tally) -> None:
    """Cases `first`… against a server of its own. What breaks is in `tally`."""
    async with doors(redis_url, **QUICK) as standing:
        for block in range(first, first + count, BLOCK):
            session = f"s-{block}"
            async with standing.client(standing.operator()) as operator:
                opening = {"session": session, "settings": {"chair": ["ana"]}}
                await operator.post("/v1/sessions", json=opening)
                said = await operator.post(
                    f"/v1/sessions/{session}/messages",
                    json={"content": "I propose a light.", "as": "ana"},
                )
                if said.status_code != 201:
                    tally.faults.setdefault(f"in order: {said.status_code}", said.content)
            last = min(block + BLOCK, first + count)
            await _block(Attack(standing, tally), range(block, last), session)


async def _block(attack: Attack, numbers: Sequence[int], session: str) -> None:
    left = iter(numbers)

    async def work() -> None:
        for number in left:
            await attack.run(number, session)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(AT_ONCE):
            tasks.create_task(work())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--cases", type=int, default=5_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--report", type=int, default=5_000, help="cases between two lines")
    args = parser.parse_args()
    tally = Tally()
    with heeding_logs(tally), RedisServer("path", aof=None) as server:
        for first in range(args.first, args.first + args.cases, args.report):
            count = min(args.report, args.first + args.cases - first)
            asyncio.run(attack(server.url, first, count, tally))
            with suppress(Exception), server.client() as client:
                client.flushall()
            size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"to {first + count}: {len(tally.faults)} faults, {size} MiB", flush=True)
    rows = sorted(tally.answers.items())
    print(", ".join(f"{door} {status or 'cut off'} {count:,}" for (door, status), count in rows))
    for wrong, data in tally.faults.items():
        print(f"  {wrong}: {data[:600]!r}")
    print(f"{time.process_time():.0f} s of processor time")
    return int(bool(tally.faults))


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
