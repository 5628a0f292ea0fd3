"""A small OpenAI-compatible server on loopback that fails on command.

    with FakeOpenAI() as fake:
        fake.fail("429")            # every call, until fake.recover()
        fake.fail("500", times=2)   # the next two
        model = OpenAIModel("small", url=fake.url, key="")

    with FakeOpenAI(manners=realistic()) as fake: …   # slow, chatty and now and then at fault

It speaks real HTTP, since the client's transport is what has to survive.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Literal, NamedTuple, get_args

from parley.listeners.models.scripted_model import clip_to_tokens
from parley.memory.text.text_sizes import count_tokens
from tests.support.servers.fake_replies import (
    CACHE_STEP,
    PrefixCache,
    Reply,
    as_asked,
    asked_for,
    bag_of_words,
    pieces,
    realistic_reply,
)
from tests.support.servers.fake_replies import fault as drawn_fault

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


# What a request is refused with, status and body; None where it is taken
Refuse = Callable[[dict[str, Any]], "tuple[int, dict[str, Any]] | None"]

Parameter = Literal[
    "json_schema", "json_object", "odd_schema", "stream_options", "temperature", "max_tokens"
]

_UNKNOWN: Final[dict[Parameter, tuple[str, str]]] = {
    "json_schema": (
        "response_format",
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported.",
    ),
    "json_object": ("response_format", "This response_format type is unavailable now"),
    "odd_schema": ("response_format", "Invalid schema for response_format 'Odd': In context=()"),
    "stream_options": ("stream_options", "Unrecognized request argument: stream_options"),
    "temperature": (
        "temperature",
        "Unsupported value: 'temperature' does not support 0.1 with this model.",
    ),
    "max_tokens": (
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
    ),
}


def summary_of(user: str) -> str:
    """The default answer: short, and telling one prompt from another."""
    return f"A model's summary of {len(user)} characters. Nothing else was decided."


class Spoken(NamedTuple):
    """An answer as it goes over the wire: all of it, why it ended, and in which pieces."""

    content: str
    finish: str | None = "stop"
    pieces: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Manners:
    """How an endpoint behaves besides what it answers.

    `refuses` are parameters that it does not know. `faults` per mille of its
    calls end as a 429, a 500 or a stream that breaks off, drawn by `seed` and
    the request. `reply`, where given, answers instead of the fake's own `answer`; `refuse`
    gives the status and body of a request that it does not take. `events`, where given,
    are what it streams, in place of an answer: objects as data, text as it is. `spoken`,
    where given, gives answer, finish reason and pieces, and nothing of it is mended.
    """

    refuses: frozenset[Parameter] = frozenset()
    first_token_seconds: float = 0.0
    tokens_per_second: float | None = None
    faults: int = 0
    seed: int = 0
    reply: Reply | None = None
    refuse: Refuse | None = None
    events: Sequence[dict[str, Any] | str] = ()
    spoken: Callable[[dict[str, Any]], Spoken] | None = None


def realistic(
    *,
    refuses: frozenset[Parameter] = frozenset(),
    first_token_seconds: float = 0.3,
    tokens_per_second: float | None = 50.0,
    faults: int = 50,
    seed: int = 0,
) -> Manners:
    """An endpoint as hosted ones are: answers of 80 to 300 tokens, one call in twenty at fault."""
    return Manners(
        refuses, first_token_seconds, tokens_per_second, faults, seed, realistic_reply(seed)
    )


@dataclass(frozen=True, slots=True)
class Served:
    """One request as the endpoint counted it; of one that failed nothing was generated."""

    model: str
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    failure: Failure | None


class FakeOpenAI:
    """The server. `calls` counts requests, `prompts` keeps what users said, `served` the sizes.

    `room` is the longest prompt in characters that it takes before it answers
    as a model does whose context is full; None takes any. `left` counts streams
    whose listener was gone before their end.
    """

    def __init__(
        self,
        answer: Callable[[str], str] = summary_of,
        room: int | None = None,
        manners: Manners | None = None,
    ) -> None:
        self.answer, self.room = answer, room
        self.manners = manners or Manners()
        self.prompts: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.served: list[Served] = []
        self.embeddings: list[dict[str, Any]] = []  # requests for them
        self.spoil: Callable[[list[dict[str, Any]]], Any] | None = None  # of rows of embeddings
        self.left = 0
        self.failing_words: dict[str, Failure] = {}  # words that make every question with them fail
        self.retry_after: int | None = None  # seconds that a 429 asks for
        self._cache = PrefixCache()
        self._seen: dict[str, int] = {}
        self._always: Failure | None = None
        self._next: deque[Failure] = deque()
        self._lock = threading.Lock()
        self._go_on = threading.Event()
        fake = self

        class Handler(_Handler):
            owner = fake

        self._server = _Server(("127.0.0.1", 0), Handler)
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
            if failure is None and self.manners.faults:
                failure = self._fault(request)
        doomed = [fault for words, fault in self.failing_words.items() if words in user]
        if failure is None and doomed:
            failure = doomed[0]
        if failure is None and self.room is not None and len(user) > self.room:
            failure = "overflow"
        return failure, user

    def verdict_on_texts(self, request: dict[str, Any]) -> Failure | None:
        """Which failure, if any, a request for embeddings meets; it is kept in `embeddings`."""
        with self._lock:
            self.embeddings.append(request)
            return self._next.popleft() if self._next else self._always

    def embedded(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request for embeddings, spoilt where `spoil` says how."""
        vectors = [bag_of_words(text) for text in request["input"]]
        rows = [
            {"object": "embedding", "index": place, "embedding": vector}
            for place, vector in enumerate(vectors)
        ]
        asked = sum(map(count_tokens, request["input"]))
        usage = {"prompt_tokens": asked, "total_tokens": asked}
        data = rows if self.spoil is None else self.spoil(rows)
        return {"object": "list", "data": data, "model": request["model"], "usage": usage}

    def _fault(self, request: dict[str, Any]) -> Failure | None:
        """A fault of the request itself: the same one, sent again, may well pass."""
        body = json.dumps(request, sort_keys=True)
        self._seen[body] = self._seen.get(body, 0) + 1
        return drawn_fault(f"{self.manners.seed} {self._seen[body]} {body}", self.manners.faults)

    def choose_content(self, request: dict[str, Any], user: str) -> str:
        """The content of the reply, in the shape that the request asks for."""
        reply = self.manners.reply
        if reply is None:
            return self.answer(user)
        return as_asked(request, reply(request), self.manners.seed)

    def count(
        self, request: dict[str, Any], failure: Failure | None, content: str
    ) -> dict[str, Any]:
        """The usage of a request, as an endpoint reports it; it is kept in `served`."""
        text = "\n".join(f"{m['role']}: {m['content']}" for m in request["messages"])
        asked, answered = count_tokens(text), count_tokens(content)
        with self._lock:
            cached = min(self._cache.look_up(request["model"], text), asked - asked % CACHE_STEP)
            self.served.append(Served(request["model"], asked, cached, answered, failure))
        return {
            "prompt_tokens": asked,
            "completion_tokens": answered,
            "total_tokens": asked + answered,
            "prompt_tokens_details": {"cached_tokens": cached},
        }

    def gone(self) -> None:
        """A listener left."""
        with self._lock:
            self.left += 1

    def wait_for_recovery(self, seconds: float) -> None:
        self._go_on.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # twenty listeners may call at once


class _Handler(BaseHTTPRequestHandler):
    owner: FakeOpenAI
    protocol_version = "HTTP/1.1"
    timeout = 300

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output clean."""

    def do_POST(self) -> None:
        try:
            self._serve()
        except (BrokenPipeError, ConnectionResetError):
            self.owner.gone()
            self.close_connection = True  # the client gave up, as some tests want

    def _serve(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.endswith("/embeddings"):
            self._embed(request)
            return
        failure, user = self.owner.verdict(request)
        if failure == "silent":
            self.owner.wait_for_recovery(300.0)
            failure = None
        unknown = next(
            (field for field in self.owner.manners.refuses if asked_for(request, field)), None
        )
        refuse = self.owner.manners.refuse
        if refuse is not None and (refused := refuse(request)) is not None:
            self._json(*refused)
        elif unknown is not None:
            param, message = _UNKNOWN[unknown]
            self._json(
                400,
                {"error": {"message": message, "param": param, "type": "invalid_request_error"}},
            )
        elif failure in _REFUSALS:
            status, error = _REFUSALS[failure]
            self.owner.count(request, failure, "")
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

    def _embed(self, request: dict[str, Any]) -> None:
        """Vectors of the texts; of the failures refusals, silence and a broken page apply."""
        failure = self.owner.verdict_on_texts(request)
        if failure == "silent":
            self.owner.wait_for_recovery(300.0)
        elif failure in _REFUSALS:
            status, error = _REFUSALS[failure]
            self._json(status, {"error": error})
            return
        elif failure == "not-json":
            self._send(200, "application/json", b'{"data": [')
            return
        self._json(200, self.owner.embedded(request))

    def _answer(self, request: dict[str, Any], failure: Failure | None, user: str) -> None:
        whole = self._completion(request, failure, user)
        for _ in self._paced(whole["choices"][0]["message"]["content"] or ""):
            pass
        body = json.dumps(whole).encode()
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
        spoken = self.owner.manners.spoken
        content: str | None
        content, finish, parts = (
            Spoken(self.owner.choose_content(request, user)) if spoken is None else spoken(request)
        )
        if failure == "null":
            content = None
        elif failure == "empty":
            content = "  \n"
        elif failure == "rambling":
            content = "And so it goes on, as it always does. " * 200
        elif self.owner.manners.reply is not None:
            most = request.get("max_completion_tokens") or request["max_tokens"]
            kept = clip_to_tokens(content or "", most)
            content, finish = kept, "stop" if kept == content else "length"
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": content},
            "finish_reason": None if failure == "unfinished" else finish,
        }
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": request["model"],
            "choices": [choice],
            "usage": self.owner.count(request, failure, content or ""),
            "pieces": parts,  # no field of the protocol: what a stream of it is cut into
        }

    def _stream(self, request: dict[str, Any], failure: Failure | None, user: str) -> None:
        if self.owner.manners.events:
            self._play(self.owner.manners.events)
            return
        whole = self._completion(request, failure, user)
        (choice,) = whole["choices"]
        content = choice["message"]["content"] or ""
        cut = failure in {"cut", "unfinished"}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        said = content[: len(content) // 2] if cut else content
        for piece in whole["pieces"] or self._paced(said):
            self._event(request, {"content": piece}, None)
        if not cut:
            self._event(request, {}, choice["finish_reason"])
            if request.get("stream_options", {}).get("include_usage"):
                self._chunk(request, [], whole["usage"])
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _play(self, events: Sequence[dict[str, Any] | str]) -> None:
        lines = [
            event if isinstance(event, str) else f"data: {json.dumps(event)}\n\n"
            for event in events
        ]
        self._send(200, "text/event-stream", "".join(lines).encode())

    def _paced(self, content: str) -> Iterator[str]:
        """The pieces of `content`, each when it would have been generated."""
        manners = self.owner.manners
        due = time.monotonic() + manners.first_token_seconds
        for piece in pieces(content):
            time.sleep(max(0.0, due - time.monotonic()))
            yield piece
            due += (
                count_tokens(piece) / manners.tokens_per_second
                if manners.tokens_per_second
                else 0.0
            )

    def _event(self, request: dict[str, Any], delta: dict[str, Any], finish: str | None) -> None:
        self._chunk(request, [{"index": 0, "delta": delta, "finish_reason": finish}], None)

    def _chunk(self, request: dict[str, Any], choices: list[dict[str, Any]], usage: object) -> None:
        chunk = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": request["model"],
            "choices": choices,
            "usage": usage,
        }
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    def _json(self, status: int, body: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(body).encode())

    def _send(self, status: int, type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", type)
        self.send_header("content-length", str(len(body)))
        if status == 429 and self.owner.retry_after is not None:
            self.send_header("retry-after", str(self.owner.retry_after))
        self.end_headers()
        self.wfile.write(body)
