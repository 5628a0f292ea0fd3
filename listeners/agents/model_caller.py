"""Model calls on a participant's account: reserved before, settled after, cancelled when stale.

A call is made once the fold has granted its reservation, and ends as one of:
answered, no budget, cancelled (what it was asked for does not hold any more),
late, failed. Whatever it ends as, `CallOutcome.settlement` says what it cost; whoever
made the call publishes that together with what came of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final, Generic, Literal, TypeVar

import anyio
from pydantic import BaseModel

from parley.bus import Draft
from parley.bus.connection.event_log import EventLog
from parley.bus.contract.errors import Conflict
from parley.bus.entries import Purpose
from parley.listeners.models.model_port import (
    BadAnswer,
    Completion,
    ModelError,
    Prompt,
    StreamingModel,
    TooSlow,
)
from parley.listeners.models.patience import Patience
from parley.listeners.models.structured_answers import ask_for, schema_of
from parley.listeners.rooms.room import Room
from parley.listeners.spending.accounts import (
    Charge,
    can_be_priced,
    charge_of,
    outcome_of,
    reserve_draft,
    settle_draft,
)
from parley.listeners.spending.prices import Prices

Ending = Literal["answered", "budget", "cancelled", "late", "failed"]
Outcome = Literal["used", "passed", "discarded", "failed"]
Holds = Callable[[], bool]
Shaped = TypeVar("Shaped", bound=BaseModel)
Answer = TypeVar("Answer")

_OUTCOMES: Final[dict[Ending, Outcome]] = {
    "answered": "used",
    "budget": "failed",
    "cancelled": "discarded",
    "late": "failed",
    "failed": "failed",
}

log = EventLog("parley.agent")


@dataclass(frozen=True, slots=True)
class CallOutcome(Generic[Answer]):
    """How a call ended, and what it cost: `charge` is None where nothing was reserved."""

    ending: Ending
    answer: Answer | None = None
    charge: Charge | None = None
    completion: Completion | None = None
    prices: Prices | None = None

    def settlement(self, outcome: Outcome | None = None) -> Draft | None:
        """The draft that settles the call, published with its result; None: nothing reserved."""
        if self.charge is None:
            return None
        outcome = outcome or _OUTCOMES[self.ending]
        if self.ending == "late" and self.completion is None:
            return settle_draft(self.charge, None, "lost", self.prices or {})
        return settle_draft(self.charge, self.completion, outcome, self.prices or {})


class ModelCaller:
    """Makes the calls of one participant, one after the other. `name` is unique to its process.

    Without `patience` a call may take as long as the session gives for it.
    """

    def __init__(
        self, room: Room, model: StreamingModel, prices: Prices, participant: str, name: str,
        patience: Patience | None = None,
    ) -> None:  # fmt: skip
        self._room, self._model, self._prices = room, model, prices
        self._participant, self._name = participant, name
        self._patience = patience
        self._calls = 0
        self._last: tuple[Charge, list[str] | None] | None = None  # and what was heard of it

    def seconds(self, purpose: Purpose, least: float) -> float:
        """How long a call for `purpose` may take, of which the session gives `least`."""
        return least if self._patience is None else self._patience.seconds(purpose, least)

    def report_late(self, purpose: Purpose, seconds: float) -> None:
        """A call was not answered within `seconds`: log it, and be patient with the next."""
        log.warning(
            "model_late", participant=self._participant, purpose=purpose,
            seconds=round(seconds, 1), setting="floor" if self._patience is None else "patience",
        )  # fmt: skip
        if self._patience is not None:
            self._patience.record_late(purpose)

    async def ask(
        self,
        prompt: Prompt,
        shape: type[Shaped],
        holds: Holds,
        seconds: float,
        *,
        call: str | None = None,
    ) -> CallOutcome[Shaped]:
        """The answer in that shape, as long as `holds`, within the patience or `seconds`.

        Of an answer that was cut off, what it has. A `call` is an id that others may use
        as well: whoever reserves it first makes it, and for the rest it ends as `budget`.
        """

        async def work() -> tuple[Shaped, Completion]:
            return await ask_for(self._model, prompt, shape, part=True)

        shaped = replace(prompt, shape=schema_of(shape))
        return await self._on_account(shaped, work, [], holds, seconds, call)

    async def speak(self, prompt: Prompt, holds: Holds, seconds: float) -> CallOutcome[str]:
        """The answer, streamed: what was generated before a cancellation is paid for as counted."""
        pieces_heard: list[str] = []

        async def work() -> tuple[str, Completion]:
            async with aclosing(self._model.stream(prompt)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        return piece.text, piece
                    pieces_heard.append(piece)
            raise BadAnswer("the stream ended without a completion")

        return await self._on_account(prompt, work, pieces_heard, holds, seconds)

    async def _on_account(
        self,
        prompt: Prompt,
        work: Callable[[], Awaitable[tuple[Answer, Completion]]],
        pieces: list[str] | None,
        holds: Holds,
        seconds: float,
        call: str | None = None,
    ) -> CallOutcome[Answer]:
        if not holds():
            return CallOutcome("cancelled")  # nobody waits for it: it would be paid for in vain
        self._calls += 1
        own = f"{self._name}.{self._calls}"
        charge = charge_of(prompt, call or own, self._participant, self._prices)
        if not await self._reserve(charge, shared=call is not None):
            return CallOutcome("budget")
        self._last = (charge, pieces)
        began, seconds = anyio.current_time(), self.seconds(prompt.purpose, seconds)
        try:
            with anyio.fail_after(seconds):
                result = await self._room.run_while(holds, work)
        except (TimeoutError, TooSlow):
            self.report_late(prompt.purpose, anyio.current_time() - began)
            heard = _partial_completion(charge, pieces)
            return CallOutcome("late", None, charge, heard, self._prices)
        except ModelError as error:
            log.warning("model_failed", participant=self._participant, reason=str(error))
            completion, _ = outcome_of(error)
            return CallOutcome("failed", None, charge, completion, self._prices)
        if result is None:
            heard = _partial_completion(charge, pieces)
            return CallOutcome("cancelled", None, charge, heard, self._prices)
        if self._patience is not None:
            self._patience.record(prompt.purpose, anyio.current_time() - began)
        answer, completion = result
        return CallOutcome("answered", answer, charge, completion, self._prices)

    async def settle_abandoned(self) -> None:
        """Settle the call that was under way as its task was cancelled; nothing where none was."""
        if self._last is None or self._last[0].call not in self._room.memory.ledger.calls:
            return
        charge, pieces = self._last
        heard = _partial_completion(charge, pieces)
        outcome: CallOutcome[str] = CallOutcome("cancelled", None, charge, heard, self._prices)
        if (draft := outcome.settlement()) is not None:
            await self._room.publish([draft])

    async def _reserve(self, charge: Charge, shared: bool) -> bool:
        """Reserve it; False where the fold refuses, no price is known, or others were first."""
        if not can_be_priced(self._room.memory, charge, self._prices):
            return False
        try:
            (receipt,) = await self._room.publish([reserve_draft(charge)])
        except Conflict:
            if shared:
                return False  # another process asks, of a slightly other moment
            raise
        if shared and receipt.duplicate:
            return False
        return charge.call in self._room.memory.ledger.calls


def _partial_completion(charge: Charge, pieces: list[str] | None) -> Completion | None:
    """The completion of a generation that was broken off, of the pieces that arrived.

    None where the answer was not streamed: nobody can know then.
    """
    return None if pieces is None else Completion("".join(pieces), charge.model)
