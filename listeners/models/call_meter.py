"""A model whose calls are counted: how many, how many failed, how long they took."""

from __future__ import annotations

import time
from dataclasses import dataclass

from parley.listeners.models.model_port import Completion, Model, ModelError, Prompt


@dataclass(slots=True)
class CallMeter:
    """Calls of a model; `ms` is the time that all of them took together."""

    calls: int = 0
    failures: int = 0
    ms: int = 0


class MeteredModel:
    """`model`, with its calls counted in `meter`. A call that is cancelled is not counted."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.meter = CallMeter()

    async def complete(self, prompt: Prompt) -> Completion:
        began = time.monotonic_ns()
        try:
            answer = await self._model.complete(prompt)
        except ModelError:
            self.meter.failures += 1
            self._count(began)
            raise
        self._count(began)
        return answer

    def _count(self, began: int) -> None:
        self.meter.calls += 1
        self.meter.ms += (time.monotonic_ns() - began) // 1_000_000
