"""A function from a prompt to an answer as a model, and a check of what else is given as one."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final

import anyio.to_thread

from parley.listeners.models.model_port import (
    BadAnswer,
    Completion,
    Model,
    ModelError,
    ModelUnavailable,
    Prompt,
)
from parley.memory.text.plain_text import clip

_REASON: Final = 300  # characters of what a function raised that reports and logs have
Ask = Callable[[str], str | Awaitable[str]]
ReadingModel = Model | Ask  # what whoever wants the talk read may give


class CallableModel:
    """Asks `ask`, which gets the whole prompt as one text and gives the answer.

    It may be a coroutine function. A plain one runs in a thread, so it may take its time. It has
    no deadline but its own. What it raises is a `ModelUnavailable`, worth another try, unless it is
    a `ModelError` already.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._name = getattr(ask, "__name__", type(ask).__name__)

    async def complete(self, prompt: Prompt) -> Completion:
        text = "\n\n".join(filter(None, (prompt.system, prompt.user)))
        try:
            answer = await self._call(text)
        except ModelError:
            raise
        except Exception as error:
            reason = clip(f"{type(error).__name__}: {error}", _REASON)
            raise ModelUnavailable(reason) from error
        if not isinstance(answer, str):
            raise BadAnswer(f"{self._name} gave {type(answer).__name__}, not text")
        completion = Completion(answer, self._name)
        if not answer.strip():
            raise BadAnswer("an empty answer", completion)
        return completion

    async def _call(self, text: str) -> Any:
        method = getattr(self._ask, "__call__", None)  # noqa: B004 - an object's own, to look at
        if inspect.iscoroutinefunction(self._ask) or inspect.iscoroutinefunction(method):
            return await self._ask(text)  # type: ignore[misc]  # it was looked at
        answer = await anyio.to_thread.run_sync(self._ask, text, abandon_on_cancel=True)
        return await answer if inspect.isawaitable(answer) else answer


def as_model(given: ReadingModel) -> Model:
    """`given` as a model. Raises `TypeError` if it is not one, and says what to give."""
    if hasattr(given, "chat"):
        raise TypeError(
            "a client does not say which model is meant: give OpenAIModel('its name', client=…)"
        )
    if hasattr(given, "complete"):
        return given
    if callable(given):
        return CallableModel(given)
    raise TypeError(
        f"{type(given).__name__} is no model: give OpenAIModel('its name', …), or a function that"
        " takes a prompt and gives the answer, both as text"
    )
