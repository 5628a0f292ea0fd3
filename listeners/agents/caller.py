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
from dataclasses import dataclass, replace
from typing import Final, Generic, Literal, TypeVar

import structlog
from pydantic import BaseModel

from bus import Draft
from listeners.models.accounts import Charge, charge_for, outcome_of, reserve_draft, settle_draft
from listeners.models.port import BadAnswer, Completion, ModelError, Prompt, Speaker, TooSlow
from listeners.models.prices import Prices, priced
from listeners.models.structured import ask, shape_of
from listeners.rooms.room import Room

Ending = Literal["answered", "budget", "cancelled", "late", "failed"]
Outcome = Literal["used", "passed", "discarded", "failed"]
Holds = Callable[[], bool]
Shaped = TypeVar("Shaped", bound=BaseModel)
Answer = TypeVar("Answer")

_OUTCOMES: Final[dict[Ending, Outcome]] = {
    "answered": "used",
    "budget": "failed",
    "cancelled": "discarded",
    "late": "discarded",
    "failed": "failed",
}

log = structlog.get_logger("parley.agent")


@dataclass(frozen=True, slots=True)
class Called(Generic[Answer]):
    """How a call ended, and what it cost: `charge` is None where nothing was reserved."""

    ending: Ending
    answer: Answer | None = None
    charge: Charge | None = None
    completion: Completion | None = None
    prices: Prices | None = None

    def settled(self, outcome: Outcome | None = None) -> Draft | None:
        """The account of it, to be published with what came of it; as `outcome`, where given."""
        if self.charge is None:
            return None
        outcome = outcome or _OUTCOMES[self.ending]
        return settle_draft(self.charge, self.completion, outcome, self.prices or {})


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

        return await self._on_account(
            replace(prompt, shape=shape_of(shape)), work, [], holds, seconds
        )

    async def speak(self, prompt: Prompt, holds: Holds, seconds: float) -> Called[str]:
        """What the model says, heard as it speaks."""
        heard: list[str] = []

        async def work() -> tuple[str, Completion]:
            async with aclosing(self._model.stream(prompt)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        return piece.text, piece
                    heard.append(piece)
            raise BadAnswer("the stream ended without a completion")

        return await self._on_account(prompt, work, heard, holds, seconds)

    async def _on_account(
        self,
        prompt: Prompt,
        work: Callable[[], Awaitable[tuple[Answer, Completion]]],
        heard: list[str] | None,
        holds: Holds,
        seconds: float,
    ) -> Called[Answer]:
        self._made += 1
        charge = charge_for(prompt, f"{self._name}.{self._made}", self._participant, self._prices)
        if not await self._granted(charge):
            return Called("budget")
        try:
            async with asyncio.timeout(seconds):
                done = await self._room.as_long_as(holds, work)
        except TimeoutError:
            return Called("late", None, charge, _broken_off(charge, heard), self._prices)
        except ModelError as error:
            log.warning("model_failed", participant=self._participant, reason=str(error))
            completion, _ = outcome_of(error)
            ending: Ending = "late" if isinstance(error, TooSlow) else "failed"
            return Called(ending, None, charge, completion, self._prices)
        if done is None:
            return Called("cancelled", None, charge, _broken_off(charge, heard), self._prices)
        answer, completion = done
        return Called("answered", answer, charge, completion, self._prices)

    async def _granted(self, charge: Charge) -> bool:
        """Reserve it; False where the fold refuses, or a budget in money meets no price."""
        memory = self._room.memory
        if memory.settings.budget.micros is not None and priced(self._prices, charge.model) is None:
            log.warning("price_unknown", model=charge.model, call=charge.call)
            return False
        await self._room.publish([reserve_draft(charge)])
        return charge.call in self._room.memory.ledger.calls


def _broken_off(charge: Charge, heard: list[str] | None) -> Completion | None:
    """What a generation came to that was not let finish; None where nobody can know.

    Of one that is heard as it speaks, no more was generated than was heard.
    """
    return None if heard is None else Completion("".join(heard), charge.model)
