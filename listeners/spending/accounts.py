"""What a session pays for model calls: reserved before, settled after, both in its log.

The fold grants a reservation or not (docs/protocol.md, Spending), so whoever
calls looks for it in `memory.ledger.calls` once its entry has landed. A process
that dies in between leaves it there: whoever calls next for the same takes it up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, Literal, cast

from parley.bus import Draft
from parley.bus.connection.event_log import EventLog
from parley.bus.contract.errors import Busy, Conflict, QuotaExceeded, SessionClosed
from parley.bus.entries import Purpose, SpendReserved, SpendSettled
from parley.listeners.models.model_port import BadAnswer, Completion, ModelError, Prompt, TooSlow
from parley.listeners.spending.prices import Prices, cost, highest_cost, price_of, tokens_to_reserve
from parley.listeners.spending.session_books import Ledger
from parley.memory.floor.spending import refusing_limit
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import count_tokens

PARLEY: Final = "parley"  # the account of what the server itself asks

Outcome = Literal["used", "passed", "discarded", "failed", "lost"]

log = EventLog("parley.accounts")


@dataclass(frozen=True, slots=True)
class Charge:
    """The most that one call may come to. `answer` is the answer's part of `count_tokens`."""

    call: str
    participant: str
    purpose: Purpose
    tokens: int
    micros: int = 0
    model: str = ""  # or a tier
    answer: int = 0


def charge_of(prompt: Prompt, call: str, participant: str, prices: Prices) -> Charge:
    """The charge of asking `prompt`."""
    model = prompt.model or prompt.tier
    return Charge(
        call=call,
        participant=participant,
        purpose=prompt.purpose,
        tokens=tokens_to_reserve(prompt),
        micros=highest_cost(prices, model, prompt),
        model=model,
        answer=prompt.max_tokens,
    )


def reserve_draft(charge: Charge) -> Draft:
    """What is published before the call."""
    entry = SpendReserved(
        participant=charge.participant,
        call=charge.call,
        purpose=charge.purpose,
        tokens=charge.tokens,
        micros=charge.micros,
        model=charge.model,
    )
    return Draft(f"reserve:{charge.call}", entry)


def settle_draft(
    charge: Charge, completion: Completion | None, outcome: Outcome, prices: Prices
) -> Draft:
    """What is published after the call.

    Without a completion a `failed` call cost nothing; of any other nobody knows,
    so all of its reservation is spent. Of a completion without usage (an
    endpoint that reports none, a draft that was cut off) the text is counted,
    and the question taken at its reservation.
    """
    input_tokens, output_tokens, cached_tokens = _usage(charge, completion, outcome)
    if completion is None and outcome != "failed":
        micros = charge.micros
    else:
        micros = cost(
            prices,
            _priced_name(charge, completion, prices),
            input_tokens,
            output_tokens,
            cached_tokens,
        )
    entry = SpendSettled(
        participant=charge.participant,
        call=charge.call,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cached_tokens=cached_tokens,
        micros=micros,
        outcome=outcome,
    )
    return Draft(f"settle:{charge.call}", entry)


def _usage(charge: Charge, completion: Completion | None, outcome: Outcome) -> tuple[int, int, int]:
    question = max(0, charge.tokens - charge.answer)
    if completion is None:
        return (0, 0, 0) if outcome == "failed" else (question, charge.tokens - question, 0)
    return (
        completion.input_tokens or question,
        completion.output_tokens or count_tokens(completion.text),
        completion.cached_tokens,
    )


def _priced_name(charge: Charge, completion: Completion | None, prices: Prices) -> str:
    """The name that has a price: what was asked for, else who says it answered."""
    if completion is None or price_of(prices, charge.model) is not None:
        return charge.model
    return completion.model


def outcome_of(error: ModelError) -> tuple[Completion | None, Outcome]:
    """What a call that raised `error` is settled as."""
    if isinstance(error, TooSlow):
        return None, "lost"
    return (error.completion if isinstance(error, BadAnswer) else None), "failed"


class Account:
    """Reserves and settles model calls in `ledger`, at `prices`."""

    def __init__(self, ledger: Ledger, prices: Prices) -> None:
        self._ledger = ledger
        self.prices = prices

    async def reserve(self, charge: Charge) -> Charge | None:
        """The charge to settle later; None: the call is not to be made.

        An id is good for one call: where that was settled or refused, the charge
        comes back as `<call>#<number>`. A call of that id which somebody died
        over is taken up, so no two may be under way at once. What is plainly
        beyond the budget is not even asked for; a closed session pays nothing.
        """
        for open_charge in open_calls(await self._ledger.memory(), charge.call):
            if open_charge.tokens >= charge.tokens and open_charge.micros >= charge.micros:
                return replace(charge, call=open_charge.call)
            await self.settle(open_charge, None, "lost")
        if not self._may_pay(await self._ledger.memory(), charge):
            return None
        try:
            return await self._publish_reservation(charge)
        except (SessionClosed, Busy, QuotaExceeded):
            return None

    async def settle(
        self, charge: Charge, completion: Completion | None, outcome: Outcome = "used"
    ) -> None:
        """Record what the call came to. The first word on a call stands.

        What a busy session does not take stays reserved, and is taken up or
        abandoned with the next call of the same id.
        """
        draft = settle_draft(charge, completion, outcome, self.prices)
        try:
            await self._ledger.publish([draft])
        except Conflict:
            log.info("spend_settled_before", call=charge.call)
        except SessionClosed:
            log.warning("spend_after_the_end", call=charge.call, tokens=charge.tokens)
        except Busy as error:
            log.warning("spend_unsettled", call=charge.call, reason=str(error))

    async def abandon(self, call: str) -> None:
        """Count as spent what was reserved for `call` by somebody who died over it."""
        for charge in open_calls(await self._ledger.memory(), call):
            await self.settle(charge, None, "lost")

    async def _publish_reservation(self, charge: Charge) -> Charge | None:
        for numbered in _numbered(charge, await self._ledger.memory()):
            try:
                (receipt,) = await self._ledger.publish([reserve_draft(numbered)])
            except Conflict:
                continue
            if numbered.call in (await self._ledger.memory()).ledger.calls:
                return numbered
            if not receipt.duplicate:
                return None
        raise AssertionError("numbers never end")

    def _may_pay(self, memory: Memory, charge: Charge) -> bool:
        fits = not refusing_limit(memory, charge.participant, charge.tokens, charge.micros)
        return can_be_priced(memory, charge, self.prices) and fits


def can_be_priced(memory: Memory, charge: Charge, prices: Prices) -> bool:
    """False, and logged, where a budget in money meets a model whose price is not known."""
    if memory.settings.budget.micros is None or price_of(prices, charge.model) is not None:
        return True
    log.warning("price_unknown", model=charge.model, call=charge.call)
    return False


def open_calls(memory: Memory, call: str) -> list[Charge]:
    """The calls under the id `call`, numbered or not, that were granted and never settled."""
    return [
        Charge(
            call_id,
            reserved.participant,
            _purpose(reserved.purpose),
            reserved.tokens,
            reserved.micros,
        )
        for call_id, reserved in memory.ledger.calls.items()
        if call_id == call or call_id.startswith(f"{call}#")
    ]


def _purpose(text: str) -> Purpose:
    return cast("Purpose", text)  # the fold keeps what the entry said


def _numbered(charge: Charge, memory: Memory) -> Iterator[Charge]:
    """`charge`, then the same under numbers that are most likely free."""
    yield charge
    ledger = memory.ledger
    for number in count(ledger.total.calls + ledger.refused + len(ledger.calls) + 1):
        yield replace(charge, call=f"{charge.call}#{number}")
