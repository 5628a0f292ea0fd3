"""Model calls on a participant's account: reserved before, settled after, cancelled when stale.

A call is made once the fold has granted its reservation, and ends as one of:
answered, no budget, cancelled (what it was asked for does not hold any more),
late, failed. Whatever it ends as, `settle` says what it cost; whoever made the
call publishes that together with what came of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import structlog
from pydantic import BaseModel

from bus import Draft
from listeners.accounts import Charge, reserve_draft, settle_draft
from listeners.model import BadAnswer, Completion, ModelError, Prompt, Speaker
from listeners.prices import Prices, reservation, worst
from listeners.room import Room
from listeners.structured import ask
from memory.text import tokens

Ending = Literal["answered", "budget", "cancelled", "late", "failed"]
Holds = Callable[[], bool]
Shaped = TypeVar("Shaped", bound=BaseModel)
Answer = TypeVar("Answer")

log = structlog.get_logger("parley.agent")


@dataclass(frozen=True, slots=True)
class Called(Generic[Answer]):
    """How a call ended; `settle` is to be published, None where nothing was reserved."""

    ending: Ending
    answer: Answer | None = None
    settle: Draft | None = None
    discard: Draft | None = None  # instead of `settle`, where the answer comes to nothing


class Caller:
    """Makes the calls of one participant, one after the other. `name` is unique to its process."""

    def __init__(
        self, room: Room, model: Speaker, prices: Prices, participant: str, name: str
    ) -> None:
        self._room, self._model, self._prices = room, model, prices
        self._participant, self._name = participant, name
        self._made = 0

    async def ask(
        self, prompt: Prompt, shape: type[Shaped], holds: Holds, seconds: float
    ) -> Called[Shaped]:
        """The answer in that shape, within `seconds` and as long as `holds`."""

        async def work() -> tuple[Shaped, Completion]:
            return await ask(self._model, prompt, shape)

        return await self._made_on_account(prompt, work, _Heard(), holds, seconds)

    async def speak(self, prompt: Prompt, holds: Holds, seconds: float) -> Called[str]:
        """What the model says, heard as it speaks."""
        heard = _Heard()

        async def work() -> tuple[str, Completion]:
            async with aclosing(self._model.stream(prompt)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        return piece.text, piece
                    heard.text += piece
            raise BadAnswer("the stream ended without a completion")

        return await self._made_on_account(prompt, work, heard, holds, seconds)

    async def _made_on_account(
        self,
        prompt: Prompt,
        work: Callable[[], Awaitable[tuple[Answer, Completion]]],
        heard: _Heard,
        holds: Holds,
        seconds: float,
    ) -> Called[Answer]:
        self._made += 1
        charge = Charge(
            call=f"{self._name}.{self._made}",
            participant=self._participant,
            purpose=prompt.purpose,
            tokens=reservation(prompt),
            micros=worst(self._prices, prompt.model or prompt.tier, prompt),
            model=prompt.model or prompt.tier,
        )
        await self._room.publish([reserve_draft(charge)])
        if charge.call not in self._room.memory.ledger.calls:
            return Called("budget")
        try:
            async with asyncio.timeout(seconds):
                done = await self._room.as_long_as(holds, work)
        except TimeoutError:
            return self._unanswered("late", charge, self._so_far(prompt, heard))
        except ModelError as error:
            log.warning("model_failed", participant=self._participant, reason=str(error))
            return self._unanswered("failed", charge, getattr(error, "completion", None))
        if done is None:
            return self._unanswered("cancelled", charge, self._so_far(prompt, heard))
        answer, completion = done
        completion = _counted(completion, prompt)
        return Called(
            "answered",
            answer,
            settle_draft(charge, completion, "used", self._prices),
            settle_draft(charge, completion, "discarded", self._prices),
        )

    def _unanswered(
        self, ending: Ending, charge: Charge, completion: Completion | None
    ) -> Called[Answer]:
        outcome: Literal["failed", "discarded"] = "failed" if ending == "failed" else "discarded"
        settle = settle_draft(charge, completion, outcome, self._prices)
        return Called(ending, None, settle, settle)

    def _so_far(self, prompt: Prompt, heard: _Heard) -> Completion:
        """What a generation that was broken off came to, as far as it can be known here."""
        return Completion(heard.text or "-", prompt.model or prompt.tier,
                          _estimate(prompt), tokens(heard.text))  # fmt: skip


class _Heard:
    """What a stream has said so far."""

    text = ""


def _counted(completion: Completion, prompt: Prompt) -> Completion:
    """`completion` with tokens: the endpoint's, else the counter's estimate."""
    if completion.input_tokens or completion.output_tokens:
        return completion
    return Completion(
        completion.text, completion.model, _estimate(prompt), tokens(completion.text),
        cut=completion.cut,
    )  # fmt: skip


def _estimate(prompt: Prompt) -> int:
    return tokens(prompt.system) + tokens(prompt.user)
