"""A model without a model: what it says is a function of what it is asked.

For tests and demonstrations. The same request gets the same answer in whatever
order and however often it comes, so a run with scripted models replays.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable
from hashlib import blake2b
from random import Random
from typing import Final

import anyio
import orjson

from parley.listeners.models.model_port import BadAnswer, Completion, ModelError, Prompt
from parley.memory.text.text_sizes import count_tokens

Answer = Callable[[Prompt, Random], str | ModelError]

_PIECE: Final = re.compile(r"\s*\S+\s*|\s+")  # a word with its spaces: what a stream brings at once


class ScriptedModel:
    """Says what `answer` returns for the prompt, or raises it where it is a `ModelError`.

    `answer` gets a generator of its own for each call, seeded by `seed` and the
    whole prompt. Tokens are counted as memory counts them, and an answer is cut
    at the prompt's `max_tokens`. It takes `first_token_seconds`, and then says
    `tokens_per_second` (None: all at once).
    """

    def __init__(
        self,
        answer: Answer,
        *,
        seed: int = 0,
        first_token_seconds: float = 0.0,
        tokens_per_second: float | None = None,
        name: str = "scripted",
    ) -> None:
        self._answer, self._seed, self._name = answer, seed, name
        self._first_token_seconds = first_token_seconds
        self._tokens_per_second = tokens_per_second
        self.prompts: list[Prompt] = []  # in the order they came

    async def complete(self, prompt: Prompt) -> Completion:
        completion = await self._compose(prompt)
        await anyio.sleep(self._seconds(completion.output_tokens))
        return completion

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion, None]:
        """The answer word by word, and whole at last."""
        completion = await self._compose(prompt)
        for piece in _PIECE.findall(completion.text):
            await anyio.sleep(self._seconds(count_tokens(piece)))
            yield piece
        yield completion

    async def _compose(self, prompt: Prompt) -> Completion:
        """What it is going to say, once it begins to."""
        self.prompts.append(prompt)
        await anyio.sleep(self._first_token_seconds)
        answer = self._answer(prompt, _random(self._seed, prompt))
        if isinstance(answer, ModelError):
            raise answer
        text = clip_to_tokens(answer.strip(), prompt.max_tokens)
        completion = Completion(
            text=text,
            model=prompt.model or self._name,
            input_tokens=count_tokens(prompt.system) + count_tokens(prompt.user),
            output_tokens=count_tokens(text),
            cut=len(text) < len(answer.strip()),
        )
        if not text:
            raise BadAnswer("an empty answer", completion)
        return completion

    def _seconds(self, count: int) -> float:
        return count / self._tokens_per_second if self._tokens_per_second else 0.0


def clip_to_tokens(text: str, most: int) -> str:
    """The longest beginning of `text` that has at most `most` tokens."""
    if count_tokens(text) <= most:
        return text
    ends = range(len(text) + 1)
    return text[: bisect_right(ends, most, key=lambda end: count_tokens(text[:end])) - 1]


def _random(seed: int, prompt: Prompt) -> Random:
    fields = {field.name: getattr(prompt, field.name) for field in dataclasses.fields(prompt)}
    del fields["least_temperature"]  # an endpoint's matter
    if prompt.shape is not None:
        fields["shape"] = [prompt.shape.name, dict(prompt.shape.schema)]
    text = orjson.dumps([seed, fields], option=orjson.OPT_SORT_KEYS)
    return Random(blake2b(text, digest_size=8).digest())  # noqa: S311 - no secret hangs on it
