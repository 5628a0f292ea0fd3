"""A model that is asked the same thing once: answers kept by what was asked.

The log is the cache that counts; this one only saves money, when two sessions
say the same, a result was lost on its way, or a copy of a session is settled
anew. Whoever asks what is being asked already waits for that answer. Failures
are told to those who wait, and forgotten.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import orjson

from parley.listeners.models.model_port import Completion, Model, ModelError, OverBudget, Prompt

SIZE: Final = 1_000  # answers of some 2 KB


@dataclass(frozen=True, slots=True)
class _Kept:
    answer: Completion
    until: float  # seconds of the clock


class Memo:
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
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._asked: dict[str, asyncio.Future[Completion]] = {}
        self.hits = 0
        self.misses = 0

    def through(self, model: Model) -> Model:
        """The same answers, what is not known yet asked of `model`, such as one that is charged."""
        return _Through(self, model)

    async def complete(self, prompt: Prompt, model: Model | None = None) -> Completion:
        """The answer to `prompt`, kept or new (of `model`, where given); raises `ModelError`."""
        key = self._key(prompt)
        while True:
            kept = self._known(key)
            if kept is not None:
                self.hits += 1
                return kept
            under_way = self._asked.get(key)
            if under_way is None:
                return await self._ask(key, prompt, model or self._model)
            await asyncio.wait([under_way])  # its cancellation is not ours, nor ours its
            if not under_way.cancelled():
                answer = under_way.result()
                self.hits += 1
                return answer

    async def _ask(self, key: str, prompt: Prompt, model: Model) -> Completion:
        self.misses += 1
        under_way = self._asked[key] = asyncio.get_running_loop().create_future()
        try:
            answer = await model.complete(prompt)
        except OverBudget:
            raise  # nobody was asked: whoever waits may have a budget of its own
        except ModelError as error:
            under_way.set_exception(error)
            under_way.exception()  # nobody need be waiting for it
            raise
        else:
            under_way.set_result(answer)
            self._keep(key, answer)
            return answer
        finally:
            under_way.cancel()  # where neither is known: whoever waits asks anew
            del self._asked[key]

    def _keep(self, key: str, answer: Completion) -> None:
        if self._seconds <= 0:
            return
        self._kept[key] = _Kept(answer, self._clock() + self._seconds)
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)

    def _known(self, key: str) -> Completion | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        if kept.until <= self._clock():
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return kept.answer

    def _key(self, prompt: Prompt) -> str:
        asked = [self._about, prompt.tier, prompt.system, prompt.user, prompt.max_tokens]
        if prompt.model or prompt.shape is not None:
            shape = prompt.shape and [prompt.shape.name, dict(prompt.shape.schema)]
            asked += [prompt.model, shape]
        said = orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)
        return blake2b(said, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class _Through:
    memo: Memo
    model: Model

    async def complete(self, prompt: Prompt) -> Completion:
        return await self.memo.complete(prompt, self.model)
