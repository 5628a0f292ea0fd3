"""What model calls cost: reserved before, settled after, refused beyond a budget.

The log's order decides who may call. Settled and held together never exceed a
budget, as long as no call costs more than was reserved for it.
"""

from __future__ import annotations

from typing import Final

from parley.bus.entries import SpendReserved, SpendSettled
from parley.memory.state.floor_state import Account, Ledger, Reservation
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.memory import Memory

_MOST: Final = 10**12  # of one call: sums of what strangers write stay within 64 bits


def refusing_limit(memory: Memory, participant: str, tokens: int, micros: int) -> str:
    """The limit that refuses a call of that size on that account; "" where it fits."""
    name = memory.named(participant)
    budget, total = memory.settings.budget, memory.ledger.total
    if _over(budget.calls, total.calls + total.held_calls, 1):
        return "budget.calls"
    if _over(budget.tokens, total.tokens + total.held_tokens, tokens):
        return "budget.tokens"
    if _over(budget.micros, total.micros + total.held_micros, micros):
        return "budget.micros"
    seat, account = memory.floor.seats.get(name), memory.ledger.accounts.get(name, _EMPTY)
    if seat is None:
        return ""
    if _over(seat.token_limit, account.tokens + account.held_tokens, tokens):
        return f"{name}.tokens"
    if _over(seat.micro_limit, account.micros + account.held_micros, micros):
        return f"{name}.micros"
    return ""


_EMPTY: Final = Account()


def _over(limit: int | None, spent: int, more: int) -> bool:
    return limit is not None and spent + more > limit


def reserve_call(moment: FoldStep, entry: SpendReserved) -> None:
    """Grant the call, or refuse it; a call that is under way already changes nothing."""
    memory, name = moment.memory, moment.participant
    ledger = memory.ledger
    if entry.call in ledger.calls:
        return
    tokens, micros = _sane(entry.tokens), _sane(entry.micros)
    limit = refusing_limit(memory, name, tokens, micros)
    if limit:
        ledger.refused += 1
        moment.record_fact("spend.refused", None, participant=name, call=entry.call, limit=limit)
        return
    ledger.calls[entry.call] = Reservation(
        participant=name, purpose=entry.purpose, tokens=tokens, micros=micros
    )
    for account in _accounts(ledger, name):
        account.held_tokens += tokens
        account.held_micros += micros
        account.held_calls += 1


def settle_call(moment: FoldStep, entry: SpendSettled) -> None:
    """Book what a call came to; one that was not granted, or is booked already, changes nothing.

    A lost one came to all that was reserved for it: nobody knows better.
    """
    ledger = moment.memory.ledger
    reservation = ledger.calls.get(entry.call)
    if reservation is None:
        return
    tokens = _sane(entry.input_tokens) + _sane(entry.output_tokens)
    micros = _sane(entry.micros)
    if entry.outcome == "lost":
        tokens, micros = max(tokens, reservation.tokens), max(micros, reservation.micros)
    _book(ledger, entry.call, tokens, micros, entry.outcome in ("failed", "lost"))


def _sane(amount: int) -> int:
    return min(max(amount, 0), _MOST)


def _book(ledger: Ledger, call: str, tokens: int, micros: int, failed: bool) -> None:
    reservation = ledger.calls.pop(call)
    for account in _accounts(ledger, reservation.participant):
        account.held_tokens -= reservation.tokens
        account.held_micros -= reservation.micros
        account.held_calls -= 1
        account.tokens += tokens
        account.micros += micros
        account.calls += 1
        account.failed += failed
    ledger.purposes[reservation.purpose] = ledger.purposes.get(reservation.purpose, 0) + tokens
    ledger.overrun += max(0, tokens - reservation.tokens)


def _accounts(ledger: Ledger, name: str) -> tuple[Account, Account]:
    own = ledger.accounts.get(name)
    if own is None:
        own = ledger.accounts[name] = Account()
    return ledger.total, own


def book_lost_calls(moment: FoldStep, name: str) -> None:
    """Book as spent what a process that speaks for `name` no more had reserved."""
    ledger = moment.memory.ledger
    for call in [
        call for call, reservation in ledger.calls.items() if reservation.participant == name
    ]:
        reservation = ledger.calls[call]
        _book(ledger, call, reservation.tokens, reservation.micros, failed=True)


def merge_accounts(memory: Memory, old: str, new: str) -> None:
    """Put what `old` spent and holds on the account of `new`."""
    ledger = memory.ledger
    gone = ledger.accounts.pop(old, None)
    if gone is None:
        return
    own = ledger.accounts.setdefault(new, Account())
    for field in Account.__struct_fields__:
        setattr(own, field, getattr(own, field) + getattr(gone, field))
    for call, reservation in ledger.calls.items():
        if reservation.participant == old:
            ledger.calls[call] = Reservation(
                participant=new,
                purpose=reservation.purpose,
                tokens=reservation.tokens,
                micros=reservation.micros,
            )
