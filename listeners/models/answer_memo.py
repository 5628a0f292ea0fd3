"""A model that is asked the same thing once: answers kept by what was asked.

The log is the cache that counts; this one only saves money, when two sessions
say the same, a result was lost on its way, or a copy of a session is settled
anew. Whoever asks what is being asked already waits for that answer. Failures
are told to those who wait, and forgotten.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import anyio
import orjson

from parley.listeners.models.model_port import Completion, Model, ModelError, OverBudget, Prompt

SIZE: Final = 1_000  # answers of some 2 KB


@dataclass(frozen=True, slots=True)
class _CachedAnswer:
    answer: Completion
    until: float  # seconds of the clock


@dataclass(slots=True)
class _PendingCall:
    """A call under way; neither an answer nor an error where it was given up."""

    over: anyio.Event
    answer: Completion | None = None
    error: ModelError | None = None


class AnswerCache:
    """`model`, with its answers kept for `hours`, the `size` last used of them.

    `about` is what else an answer depends on, such as a temperature. `clock`
    counts seconds and never goes back.
    """

    def __init__(
        self,
        model: Model,
        hours: float = 24,
        size: int = SIZE,
        about: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model, self._about, self._clock = model, about, clock
        self._seconds, self._size = hours * 3600, size
        self._answers: OrderedDict[str, _CachedAnswer] = OrderedDict()
        self._under_way: dict[str, _PendingCall] = {}
        self.hits = 0
        self.misses = 0

    def wrap(self, model: Model) -> Model:
        """A memo of the same answers that asks `model`, such as one that is charged, for others."""
        return _CachedModel(self, model)

    async def complete(self, prompt: Prompt, model: Model | None = None) -> Completion:
        """The answer to `prompt`, kept or new (of `model`, where given); raises `ModelError`."""
        key = self._key(prompt)
        while True:
            cached = self._lookup(key)
            if cached is not None:
                self.hits += 1
                return cached
            call = self._under_way.get(key)
            if call is None:
                return await self._ask(key, prompt, model or self._model)
            await call.over.wait()  # its cancellation is not ours, nor ours its
            if call.error is not None:
                raise call.error
            if call.answer is not None:
                self.hits += 1
                return call.answer

    async def _ask(self, key: str, prompt: Prompt, model: Model) -> Completion:
        self.misses += 1
        call = self._under_way[key] = _PendingCall(anyio.Event())
        try:
            answer = call.answer = await model.complete(prompt)
        except OverBudget:
            raise  # nobody was asked: whoever waits may have a budget of its own
        except ModelError as error:
            call.error = error
            raise
        else:
            self._keep(key, answer)
            return answer
        finally:
            del self._under_way[key]
            call.over.set()  # where neither is known, whoever waits asks anew

    def _keep(self, key: str, answer: Completion) -> None:
        if self._seconds <= 0:
            return
        self._answers[key] = _CachedAnswer(answer, self._clock() + self._seconds)
        while len(self._answers) > self._size:
            self._answers.popitem(last=False)

    def _lookup(self, key: str) -> Completion | None:
        cached = self._answers.get(key)
        if cached is None:
            return None
        if cached.until <= self._clock():
            del self._answers[key]
            return None
        self._answers.move_to_end(key)
        return cached.answer

    def _key(self, prompt: Prompt) -> str:
        question = [self._about, prompt.tier, prompt.system, prompt.user, prompt.max_tokens]
        if prompt.model or prompt.shape is not None:
            shape = prompt.shape and [prompt.shape.name, dict(prompt.shape.schema)]
            question += [prompt.model, shape]
        text = orjson.dumps(question, option=orjson.OPT_SORT_KEYS)
        return blake2b(text, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class _CachedModel:
    memo: AnswerCache
    model: Model

    async def complete(self, prompt: Prompt) -> Completion:
        return await self.memo.complete(prompt, self.model)
