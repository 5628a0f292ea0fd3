"""A small OpenAI-compatible server on loopback that fails on command.

    with FakeOpenAI() as fake:
        fake.fail("429")            # every call, until fake.recover()
        fake.fail("500", times=2)   # the next two
        model = OpenAIModel("small", url=fake.url, key="")

It speaks real HTTP, since the client's transport is what has to survive.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Literal, get_args

Failure = Literal[
    "429", "quota", "401", "500", "html", "null", "empty", "no-choices", "not-json",
    "unfinished", "cut", "overflow", "overflow-vllm", "overflow-llamacpp", "silent",
    "rambling",
]  # fmt: skip
FAILURES: Final[tuple[Failure, ...]] = get_args(Failure)

_REFUSALS: Final[dict[str, tuple[int, dict[str, Any]]]] = {
    "429": (429, {"message": "Rate limit reached", "code": "rate_limit_exceeded"}),
    "quota": (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}),
    "401": (401, {"message": "Incorrect API key provided", "code": "invalid_api_key"}),
    "500": (500, {"message": "The server had an error", "type": "server_error"}),
    "overflow": (400, {"message": "too many tokens", "code": "context_length_exceeded"}),
    "overflow-vllm": (
        400,
        {"message": "This model's maximum context length is 2048 tokens", "code": 400},
    ),
    "overflow-llamacpp": (
        400,
        {"message": "the request exceeds the available size", "type": "exceed_context_size_error"},
    ),
}  # fmt: skip


def summary_of(user: str) -> str:
    """The default answer: short, and telling one prompt from another."""
    return f"A model's summary of {len(user)} characters. Nothing else was decided."


class FakeOpenAI:
    """The server. `calls` counts requests, `prompts` keeps their user messages.

    `room` is the longest prompt in characters that it takes before it answers
    as a model does whose context is full; None takes any.
    """

    def __init__(self, answer: Callable[[str], str] = summary_of, room: int | None = None) -> None:
        self.answer, self.room = answer, room
        self.prompts: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self._always: Failure | None = None
        self._next: deque[Failure] = deque()
        self._lock = threading.Lock()
        self._go_on = threading.Event()
        fake = self

        class Handler(_Handler):
            owner = fake

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def calls(self) -> int:
        return len(self.prompts)

    def fail(self, failure: Failure, times: int | None = None) -> None:
        """Fail every call from now on, or only the next `times`."""
        with self._lock:
            self._go_on.clear()
            if times is None:
                self._always = failure
            else:
                self._next.extend([failure] * times)

    def recover(self) -> None:
        """Answer again; calls that were left hanging are answered now."""
        with self._lock:
            self._always = None
            self._next.clear()
            self._go_on.set()

    def __enter__(self) -> FakeOpenAI:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._go_on.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def verdict(self, request: dict[str, Any]) -> tuple[Failure | None, str]:
        """Which failure, if any, this request meets, and its user message."""
        user = "".join(m["content"] for m in request["messages"] if m["role"] == "user")
        with self._lock:
            self.prompts.append(user)
            self.requests.append(request)
            failure = self._next.popleft() if self._next else self._always
        if failure is None and self.room is not None and len(user) > self.room:
            failure = "overflow"
        return failure, user

    def wait_for_recovery(self, seconds: float) -> None:
        self._go_on.wait(seconds)


class _Handler(BaseHTTPRequestHandler):
    owner: FakeOpenAI
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output clean."""

    def do_POST(self) -> None:
        try:
            self._serve()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client gave up, as some tests want

    def _serve(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        failure, user = self.owner.verdict(request)
        if failure == "silent":
            self.owner.wait_for_recovery(60.0)
            failure = None
        if failure in _REFUSALS:
            status, error = _REFUSALS[failure]
            self._json(status, {"error": error})
        elif failure == "html":
            self._send(200, "text/html", b"<html><body>Please log in</body></html>")
        elif failure == "not-json":
            self._send(200, "application/json", b'{"choices": [')
        elif failure == "no-choices":
            self._json(200, {"id": "x", "object": "chat.completion", "result": "ok"})
        elif request.get("stream"):
            self._stream(request, failure, user)
        else:
            self._answer(request, failure, user)

    def _answer(self, request: dict[str, Any], failure: Failure | None, user: str) -> None:
        body = json.dumps(self._completion(request, failure, user)).encode()
        if failure == "cut":
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        self._send(200, "application/json", body)

    def _completion(
        self, request: dict[str, Any], failure: Failure | None, user: str
    ) -> dict[str, Any]:
        content: str | None = self.owner.answer(user)
        if failure == "null":
            content = None
        elif failure == "empty":
            content = "  \n"
        elif failure == "rambling":
            content = "And so it goes on, as it always does. " * 200
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": request["model"],
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": content},
                    "finish_reason": None if failure == "unfinished" else "stop",
                }
            ],
            "usage": {
                "prompt_tokens": len(user) // 4,
                "completion_tokens": len(content or "") // 4,
                "total_tokens": (len(user) + len(content or "")) // 4,
            },
        }

    def _stream(self, request: dict[str, Any], failure: Failure | None, user: str) -> None:
        whole = self._completion(request, failure, user)
        content = whole["choices"][0]["message"]["content"] or ""
        pieces = [content[i : i + 20] for i in range(0, len(content), 20)]
        cut = failure in {"cut", "unfinished"}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for piece in pieces[: len(pieces) // 2] if cut else pieces:
            self._event(request, {"content": piece}, None)
        if not cut:
            self._event(request, {}, "stop")
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _event(self, request: dict[str, Any], delta: dict[str, Any], finish: str | None) -> None:
        chunk = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": request["model"],
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    def _json(self, status: int, body: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(body).encode())

    def _send(self, status: int, type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
