"""A model behind any endpoint that speaks OpenAI's chat protocol.

The only module that imports `openai`, and only once a model is asked for:
the import costs a third of a second. Timeouts of the client are per read, so
one deadline of our own holds for a call with all its retries; a call that ran
into it is not repeated, since the generation was paid for already. What an
endpoint does not understand (`listeners/models/openai_dialect.py`) is asked otherwise, and
from then on at once.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.contract.tracing import ModelCall, tracer
from parley.listeners.models.embedding import Embeddings, parse_embeddings
from parley.listeners.models.guarded_client import (
    BYTES_PER_TOKEN,
    BYTES_PER_VECTOR,
    allow_bytes,
    find_refusal,
    guard,
)
from parley.listeners.models.model_port import (
    BadAnswer,
    Completion,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    Prompt,
    Tier,
    TooSlow,
    UnknownFinish,
    error_of,
)
from parley.listeners.models.openai_answers import StreamedAnswer, error_in_body, parse_completion
from parley.listeners.models.openai_dialect import (
    Dialect,
    Refusal,
    ignores_format,
    is_permanent,
    request_arguments,
    simplify,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI

ATTEMPTS: Final = 3  # a blip passes; an outage is the effect runner's to wait out
FIRST_PAUSE_SECONDS: Final = 0.25
_OPENAI: Final = "https://api.openai.com/v1"  # where it is asked without an address
_LOCAL_KEY: Final = "none"  # the client refuses an empty key, local servers ask for none

_Answer = TypeVar("_Answer")
_logger = EventLog("parley.model")
_forbidden = ContextVar("forbidden", default=False)


@contextmanager
def forbid_models() -> Iterator[None]:
    """Within, whoever asks an endpoint is refused: for what must not cost a call."""
    before = _forbidden.set(True)
    try:
        yield
    finally:
        _forbidden.reset(before)


@contextmanager
def _fail_at(deadline: float) -> Iterator[None]:
    """Raises `TimeoutError` where the body has not ended by `deadline` of the loop's clock."""
    with anyio.fail_after(deadline - anyio.current_time()):
        yield


class OpenAIModel:
    """Asks `model` at `url` (None: OpenAI itself), or `large` for prompts of that tier.

    Close it with `aclose`. `stream` reads the answer as it is written: for endpoints whose gateway
    drops a connection that stays silent during a long generation. `finish_whole` are finish reasons
    of whole answers beside those that are known. A `client` of your own, an `AsyncOpenAI` or its
    like, is asked as it is, with its own key and address, and stays yours to close.
    """

    def __init__(
        self,
        model: str,
        *,
        key: str = "",
        url: str | None = None,
        large: str | None = None,
        timeout_seconds: float = 60.0,
        temperature: float | None = 0.1,
        stream: bool = False,
        finish_whole: Iterable[str] = (),
        client: AsyncOpenAI | None = None,
    ) -> None:
        self._whole = frozenset(reason.strip().lower() for reason in finish_whole)
        self._names = {"small": model, "large": large or model}
        self._key, self._url = key, url
        self._timeout_seconds = timeout_seconds
        self._temperature = temperature
        self._stream = stream
        self._client: AsyncOpenAI | None = None
        self._given = client
        self._dialects: dict[str, Dialect] = {}  # by model

    @property
    def name(self) -> str:
        """The model of the tier `small`: of an embedder, the only one."""
        return self._names["small"]

    def dialect(self, tier: Tier) -> Dialect:
        """What the model of that tier was seen to understand; all of it as long as none refused."""
        return self._dialects.get(self._names[tier], Dialect())

    async def complete(self, prompt: Prompt) -> Completion:
        """The answer; blips are retried within the one deadline."""
        await self._connect()
        with self._traced(prompt) as call:
            deadline = self._deadline()
            try:
                with _fail_at(deadline):
                    ask = self._listen if self._stream else self._ask
                    try:
                        answer = await self._retry(lambda: ask(prompt, deadline), deadline)
                    except UnknownFinish:  # once more: what broke off may go through
                        answer = await self._retry(lambda: ask(prompt, deadline), deadline)
            except TimeoutError:
                raise self._too_slow() from None
            _tell(call, answer)
        self._look_at(prompt, answer)
        return answer

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion, None]:
        """The answer in pieces, and whole at last.

        Blips are retried until the first piece. The deadline is that of the
        whole call, the time between two pieces that are asked for included.
        Closing the generator closes the connection, and so ends the generation.
        """
        await self._connect()
        deadline = self._deadline()
        with self._traced(prompt) as call:
            for tried in range(2):  # once more, if it ends for a reason that is not known
                answer = StreamedAnswer(self._name(prompt), whole=self._whole)
                try:
                    with _fail_at(deadline):
                        chunks = await self._retry(
                            lambda: self._create(prompt, stream=True), deadline
                        )
                    _note_end(chunks, answer)
                    async with chunks:
                        while (piece := await self._next(chunks, answer, deadline)) is not None:
                            if piece:
                                yield piece
                    completion = answer.completion()
                except TimeoutError:
                    raise self._too_slow() from None
                except UnknownFinish:
                    if tried:
                        raise
                else:
                    break
            _tell(call, completion)
        yield completion

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """A vector for each of `texts`; blips are retried within the one deadline."""
        client = await self._connect()
        deadline = self._deadline()

        async def ask() -> Embeddings:
            try:
                with allow_bytes(len(texts) * BYTES_PER_VECTOR):
                    answer = await client.embeddings.create(
                        model=self.name, input=list(texts), encoding_format="float"
                    )
            except Exception as error:
                raise _translate(error) from error
            return parse_embeddings(answer, len(texts))

        try:
            with _fail_at(deadline):
                return await self._retry(ask, deadline)
        except TimeoutError:
            raise self._too_slow() from None

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _retry(self, ask: Callable[[], Awaitable[_Answer]], deadline: float) -> _Answer:
        """What `ask` gives, asked again while that may help and there is time for it."""
        pause = FIRST_PAUSE_SECONDS
        for _ in range(ATTEMPTS - 1):
            try:
                return await ask()
            except TooSlow:
                raise
            except ModelUnavailable as error:
                wait = max(pause, error.retry_after or 0.0)
                if anyio.current_time() + wait >= deadline:
                    raise
                await anyio.sleep(wait)
                pause *= 2
        return await ask()

    async def _ask(self, prompt: Prompt, deadline: float) -> Completion:
        return parse_completion(await self._create(prompt, stream=False), self._whole)

    async def _listen(self, prompt: Prompt, deadline: float) -> Completion:
        """The answer, read as it is written."""
        answer = StreamedAnswer(self._name(prompt), whole=self._whole)
        async with await self._create(prompt, stream=True) as chunks:
            _note_end(chunks, answer)
            while await self._next(chunks, answer, deadline) is not None:
                pass
        return answer.completion()

    async def _next(self, chunks: Any, answer: StreamedAnswer, deadline: float) -> str | None:
        """What the next chunk adds; None after the last."""
        try:
            with _fail_at(deadline):
                return answer.take(await anext(chunks))
        except StopAsyncIteration:
            return None
        except TimeoutError:
            raise
        except Exception as error:
            failure = _translate(error)
            if (partial := answer.partial()) is None:
                raise failure from error
            raise BadAnswer(f"the answer broke off: {failure}", partial) from error

    async def _create(self, prompt: Prompt, *, stream: bool) -> Any:
        """What the client answers, asked in the best way that the endpoint understands."""
        name = self._name(prompt)
        client = await self._connect()
        dialect, learning = self._dialects.get(name, Dialect()), True
        while True:
            request = request_arguments(dialect, prompt, name, self._temperature, stream=stream)
            try:
                with allow_bytes(prompt.max_tokens * BYTES_PER_TOKEN):
                    return await client.chat.completions.create(**request)
            except Exception as error:
                refused = _refusal_in(error)
                if refused is None:
                    raise _translate(error) from error
                below = simplify(dialect, refused, prompt, stream=stream)
                if below is None:
                    raise _translate(error) from error
                learning = learning and is_permanent(refused)
                if learning:
                    self._dialects[name] = below
                dialect = below

    def _look_at(self, prompt: Prompt, answer: Completion) -> None:
        """Asks in words from now on where the endpoint ignores what shape it was asked for."""
        name = self._name(prompt)
        dialect = self._dialects.get(name, Dialect())
        if ignores_format(dialect, prompt, answer):
            _logger.warning("format_ignored", model=name, asked=dialect.rung)
            self._dialects[name] = replace(dialect, rung="tagged")

    def _traced(self, prompt: Prompt) -> AbstractContextManager[ModelCall]:
        return tracer().asking(self._name(prompt), self._url or _OPENAI, prompt.max_tokens)

    def _name(self, prompt: Prompt) -> str:
        return prompt.model or self._names[prompt.tier]

    def _deadline(self) -> float:
        return anyio.current_time() + self._timeout_seconds

    def _too_slow(self) -> TooSlow:
        return TooSlow(f"no answer within {self._timeout_seconds:g} s")

    async def _connect(self) -> AsyncOpenAI:
        """The client. Its import is no part of a call's deadline, nor the event loop's to bear."""
        if _forbidden.get():
            raise ModelRefused("no model may be asked here")
        openai = await anyio.to_thread.run_sync(importlib.import_module, "openai")
        if self._given is not None:
            if isinstance(self._given, openai.OpenAI):
                raise ModelRefused("the client is not asynchronous: give an AsyncOpenAI")
            return self._given
        if self._client is None:
            try:
                self._client = openai.AsyncOpenAI(
                    api_key=self._key or _LOCAL_KEY,
                    base_url=self._url or None,
                    max_retries=0,
                    timeout=self._timeout_seconds,
                    http_client=guard(openai.DefaultAsyncHttpxClient()),
                )
            except Exception as error:  # of the client's own parser, whichever it is
                raise ModelRefused(f"{self._url!r} is no address: {error}") from error
        client: AsyncOpenAI = self._client
        return client


def _note_end(chunks: Any, answer: StreamedAnswer) -> None:
    """Have `answer` note the last event of a stream, `[DONE]`, which the client keeps to itself."""
    events = getattr(chunks, "_iter_events", None)
    if events is None:
        return

    async def noted() -> AsyncGenerator[Any]:
        async for event in events():
            answer.ended = answer.ended or event.data.startswith("[DONE]")
            yield event

    chunks._iter_events = noted  # the client has no other place to hear of it


def _tell(call: ModelCall, answer: Completion) -> None:
    call.answered(answer.model, answer.input_tokens, answer.output_tokens, cut=answer.cut)


def _refusal_in(error: Exception) -> Refusal | None:
    """What the endpoint refused a call with; None of any other failure."""
    import openai

    if not isinstance(error, openai.APIStatusError):
        return None
    return Refusal(error.status_code, error.message, error.code, error.type, error.param)


def _translate(error: Exception) -> ModelError:
    """The `ModelError` for what the client raised. Raises `error` where it is none of those."""
    import openai

    if (refusal := find_refusal(error)) is not None:
        return refusal
    if isinstance(error, openai.APIStatusError):
        message = error.message
        if error.status_code == 404 and "/v1" not in error.request.url.path:
            hint = "most servers are asked below /v1: see whether the address ends in it"
            message = f"{message[:200]}; {hint}"  # in openai 2 it may be a page of HTML
        return error_of(error.status_code, error.code, error.type, message, error.response.headers)
    if isinstance(error, openai.APIResponseValidationError):
        return BadAnswer(str(error))
    if isinstance(error, openai.APIError):  # connection, time-out, an error event of a stream
        message = f"{error.message} {error.__cause__ or ''}".strip()
        if isinstance(error, openai.APIConnectionError):
            return ModelUnavailable(message)
        return error_in_body({"code": error.code, "type": error.type, "message": message})
    if isinstance(error, openai.OpenAIError):
        return ModelUnavailable(str(error))
    if isinstance(error, ValueError):  # a body that says JSON and is not: the client lets it out
        return BadAnswer(f"an answer that is not JSON: {error}")
    raise error
