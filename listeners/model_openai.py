"""A model behind any endpoint that speaks OpenAI's chat protocol.

The only module that imports `openai`, and only once a model is asked for:
the import costs a third of a second. Timeouts of the client are per read, so
one deadline of our own holds for a call with all its retries; a call that ran
into it is not repeated, since the generation was paid for already.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any, Final

from listeners.model import (
    BadAnswer,
    Completion,
    ModelError,
    ModelUnavailable,
    Prompt,
    refusal,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI

ATTEMPTS: Final = 3  # a blip passes; an outage is the effect runner's to wait out
FIRST_PAUSE_SECONDS: Final = 0.25
LOCAL_KEY: Final = "none"  # the client refuses an empty key, local servers ask for none


class OpenAIModel:
    """Asks `model` at `url` (None: OpenAI itself). Close it with `aclose`.

    `stream` reads the answer as it is written: for endpoints whose gateway
    drops a connection that stays silent during a long generation.
    """

    def __init__(
        self,
        model: str,
        *,
        key: str = "",
        url: str | None = None,
        large: str | None = None,
        timeout_seconds: float = 30.0,
        temperature: float | None = 0.1,
        stream: bool = False,
    ) -> None:
        self._names = {"small": model, "large": large or model}
        self._key, self._url = key, url
        self._timeout_seconds = timeout_seconds
        self._temperature = temperature
        self._stream = stream
        self._client: AsyncOpenAI | None = None

    async def complete(self, prompt: Prompt) -> Completion:
        """The answer; blips are retried within the one deadline."""
        await self._connected()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._persist(prompt)
        except TimeoutError:
            raise ModelUnavailable(f"no answer within {self._timeout_seconds:g} s") from None

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _persist(self, prompt: Prompt) -> Completion:
        pause = FIRST_PAUSE_SECONDS
        for _ in range(ATTEMPTS - 1):
            try:
                return await self._ask(prompt)
            except ModelUnavailable as error:
                await asyncio.sleep(max(pause, error.retry_after or 0.0))
                pause *= 2
        return await self._ask(prompt)

    async def _ask(self, prompt: Prompt) -> Completion:
        import openai

        try:
            if self._stream:
                return await self._ask_streaming(prompt)
            client = await self._connected()
            answer: Any = await client.chat.completions.create(
                **self._arguments(prompt), stream=False
            )
        except openai.OpenAIError as error:
            raise _translated(error) from error
        except ValueError as error:  # a body that says JSON and is not: the client lets it out
            raise BadAnswer(f"an answer that is not JSON: {error}") from error
        return completion(answer)

    async def _ask_streaming(self, prompt: Prompt) -> Completion:
        text: list[str] = []
        finish: str | None = None
        name = self._names[prompt.tier]
        client = await self._connected()
        stream: Any = await client.chat.completions.create(**self._arguments(prompt), stream=True)
        async with stream:
            async for chunk in stream:
                for choice in getattr(chunk, "choices", None) or ():
                    finish = choice.finish_reason or finish
                    text.append(getattr(choice.delta, "content", None) or "")
                name = getattr(chunk, "model", None) or name
        return _checked("".join(text), finish, name)

    def _arguments(self, prompt: Prompt) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self._names[prompt.tier],
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            "max_tokens": prompt.max_tokens,
        }
        if self._temperature is not None:
            arguments["temperature"] = self._temperature
        return arguments

    async def _connected(self) -> AsyncOpenAI:
        """The client. Its import is no part of a call's deadline, nor the event loop's to bear."""
        openai = await asyncio.to_thread(importlib.import_module, "openai")
        if self._client is None:
            self._client = openai.AsyncOpenAI(
                api_key=self._key or LOCAL_KEY,
                base_url=self._url or None,
                max_retries=0,
                timeout=self._timeout_seconds,
            )
        client: AsyncOpenAI = self._client
        return client


def completion(answer: Any) -> Completion:
    """What `answer` says. The client passes a page of HTML with status 200 on as
    a `str`, JSON of another shape as a completion without choices, and a
    generation that was cut off as one without a finish reason: each is `BadAnswer`.
    """
    choices = getattr(answer, "choices", None)
    if not choices:
        raise BadAnswer(f"no choices in a {type(answer).__name__} of the endpoint")
    choice = choices[0]
    message = getattr(choice, "message", None)
    usage = getattr(answer, "usage", None)
    return _checked(
        getattr(message, "content", None),
        getattr(choice, "finish_reason", None),
        str(getattr(answer, "model", None) or "?"),
        getattr(usage, "prompt_tokens", None) or 0,
        getattr(usage, "completion_tokens", None) or 0,
    )


def _checked(
    text: object, finish: str | None, model: str, input_tokens: int = 0, output_tokens: int = 0
) -> Completion:
    if finish is None:
        raise BadAnswer("the answer was cut off: no finish reason")
    if finish == "content_filter":
        raise BadAnswer("the provider's content filter withheld the answer")
    if not isinstance(text, str) or not text.strip():
        raise BadAnswer(f"an empty answer (finish reason {finish!r})")
    return Completion(text.strip(), model, input_tokens, output_tokens, cut=finish == "length")


def _translated(error: Exception) -> ModelError:
    import openai

    if isinstance(error, openai.APIStatusError):
        return refusal(
            error.status_code, error.code, error.type, error.message, error.response.headers
        )
    if isinstance(error, openai.APIResponseValidationError):
        return BadAnswer(str(error))
    if isinstance(error, openai.APIError):  # connection, time-out, an error event of a stream
        message = f"{error.message} {error.__cause__ or ''}".strip()
        if isinstance(error, openai.APIConnectionError):
            return ModelUnavailable(message)
        return refusal(500, error.code, error.type, message)
    return ModelUnavailable(str(error))
