"""Endpoints that send the question elsewhere, or answer without an end, over real HTTP."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import pytest

from parley.listeners.models.guarded_client import BYTES_PER_TOKEN, FIXED_BYTES
from parley.listeners.models.model_port import BadAnswer, ModelRefused, Prompt
from parley.listeners.models.openai_model import OpenAIModel
from tests.support.servers.patience import PATIENCE

SECRET: Final = "the vault opens with 4711"
PROMPT: Final = Prompt(system="", user=SECRET, max_tokens=16)
ALLOWED: Final = FIXED_BYTES + PROMPT.max_tokens * BYTES_PER_TOKEN
EVENT: Final = b'data: {"choices":[{"index":0,"delta":{"content":"more "}}]}\n\n'


class Endpoint(BaseHTTPRequestHandler):
    """Does with a question what `habit` of its server says; counts what it sends."""

    server: Served

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(asked.decode())
        with suppress(OSError):  # whoever asked has gone, as it should
            getattr(self, self.server.habit)()

    def redirect(self) -> None:
        self._head(307, ("Location", self.server.elsewhere))

    def endless(self) -> None:
        """A stream that never says that it is done."""
        self._head(200, ("Content-Type", "text/event-stream"))
        while self.server.sent < 20 * ALLOWED:
            self.server.sent += self.wfile.write(EVENT * 100)

    def comments(self) -> None:
        """A stream of nothing but keep-alives."""
        self._head(200, ("Content-Type", "text/event-stream"))
        while self.server.sent < 20 * ALLOWED:
            self.server.sent += self.wfile.write(b": still here\n\n" * 500)

    def packed(self) -> None:
        """A small answer that unpacks to a large one."""
        answer = {"choices": [{"message": {"content": " " * 20 * ALLOWED}, "index": 0}]}
        body = gzip.compress(json.dumps(answer).encode())
        kinds = ("Content-Type", "application/json"), ("Content-Encoding", "gzip")
        self._head(200, *kinds, ("Content-Length", str(len(body))))
        self.server.sent += self.wfile.write(body)

    def long(self) -> None:
        """An answer that is as large as it says."""
        body = b" " * 20 * ALLOWED
        self._head(200, ("Content-Type", "application/json"), ("Content-Length", str(len(body))))
        self.server.sent += self.wfile.write(body)

    def _head(self, status: int, *fields: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class Served(ThreadingHTTPServer):
    habit = ""
    elsewhere = ""
    sent = 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Endpoint)
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def served(habit: str, elsewhere: str = "") -> Iterator[Served]:
    server = Served()
    server.habit, server.elsewhere = habit, elsewhere
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


async def test_a_redirect_to_another_origin_takes_no_question_there() -> None:
    """It is refused, with the address and what to do about it."""
    with (
        served("endless") as other,
        served("redirect", f"{other.url}/chat/completions") as first,
    ):
        model = OpenAIModel("small", url=first.url, timeout_seconds=PATIENCE)
        with pytest.raises(ModelRefused, match=r"redirects to http://127.*give that address"):
            await model.complete(PROMPT)
        await model.aclose()
    assert len(first.asked) == 1
    assert other.asked == []


@pytest.mark.parametrize("habit", ["endless", "comments", "packed", "long"])
@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_without_an_end_is_refused(habit: str, stream: bool) -> None:
    """Read no further than what was asked for can be, unpacked; asked once, and named."""
    with served(habit) as endpoint:
        model = OpenAIModel("small", url=endpoint.url, timeout_seconds=PATIENCE, stream=stream)
        with pytest.raises(BadAnswer, match=r"more than \d+ bytes"):
            await model.complete(PROMPT)
        await model.aclose()
    assert len(endpoint.asked) == 1
    assert endpoint.sent < 20 * ALLOWED or habit in ("packed", "long")
