"""Answers one effect: reads its range, asks a model where one is needed, publishes the result."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from parley.bus import Bus, Claim, Draft, SessionInfo
from parley.bus.contract.tracing import tracer
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.cache.ranges import EntryRange, read_range
from parley.listeners.effects.comparison import Comparer, ComparisonJob
from parley.listeners.effects.jobs import job_for
from parley.listeners.effects.reflection import abort_run
from parley.listeners.effects.summariser import Summariser, SummaryOrder
from parley.listeners.spending.accounts import Account
from parley.listeners.spending.prices import Prices
from parley.listeners.spending.session_books import SessionLedger, is_charged
from parley.memory.fold.due import Upgrade, find_upgrade
from parley.memory.state.effects import ComparisonEffect, SummaryEffect
from parley.memory.state.memory import Memory

EFFECTS: Final = "effects"
UPGRADES: Final = "upgrades"


@dataclass(frozen=True, slots=True)
class _SessionState:
    """A session as it was when an effect was taken up; `account` pays, where it keeps one."""

    info: SessionInfo
    memory: Memory
    account: Account | None


class UnknownEffect(Exception):
    """An effect that this runner cannot run: one that a newer worker owes, or an embedder's."""


_MEMBER: Final = re.compile(r"\S+ ((summary|note|condense|extract|similarity):\S+)")


def _effect_id(claim: Claim) -> str:
    """The id of the effect that a member `<session> <effect id>` names; raises `UnknownEffect`."""
    match = _MEMBER.fullmatch(claim.member)
    if match is None:
        raise UnknownEffect("this version does not know it; run the one that owes it")
    return match[1]


class EffectAnswerer:
    """Answers effects, one at a time or several at once; `comparer` may be missing."""

    def __init__(
        self,
        bus: Bus,
        reader: MemoryReader,
        summariser: Summariser,
        comparer: Comparer | None,
        prices: Prices,
    ) -> None:
        self._bus, self._reader, self._prices = bus, reader, prices
        self._summariser, self._comparer = summariser, comparer

    async def answer(self, claim: Claim) -> bool:
        """Do what `claim` names; False where nobody answers it now.

        Done is what nobody waits for any more, too. Raises `UnknownEffect` for what this
        process cannot do; `RangeGone`, `Fenced` where the log became another meanwhile;
        `SessionNotFound`, `DomainError`.
        """
        name = _effect_id(claim)
        # Asked before anything is read: what a redaction takes away meanwhile lands nowhere.
        info = await self._bus.info(claim.session)
        memory = await self._reader.current(claim.session)
        state = _SessionState(info, memory, await self._account(claim.session, memory))
        if state.account is not None and memory.closed is not None and claim.lane == UPGRADES:
            return await self._drop(claim, state)  # what was closed spends nothing more
        effect = SummaryEffect.named(name)
        if effect is not None:
            return await self._summarise(claim, state, effect)
        return await self._rewrite(claim, state, find_upgrade(memory, name))

    async def _account(self, session: str, memory: Memory) -> Account | None:
        if not await is_charged(self._bus, session, memory):
            return None
        return Account(SessionLedger(self._bus, self._reader, session), self._prices)

    async def _summarise(self, claim: Claim, state: _SessionState, effect: SummaryEffect) -> bool:
        if _is_moot(state.memory, effect, claim.lane):
            return await self._drop(claim, state)
        order = SummaryOrder.of(state.memory, effect)
        skips = frozenset((await self._bus.info(claim.session)).skips)
        entries = await order.read(self._bus, claim.session, skips)
        with tracer().answering(claim.session, effect.id, entries.records):
            summary = await self._summariser.summary(
                claim.session, order, entries, state.account, model_only=claim.lane == UPGRADES
            )
            if summary is None:
                return False
            return await self._finish(
                claim, state, Draft(effect.result_id(summary.how), summary), entries
            )

    async def _rewrite(self, claim: Claim, state: _SessionState, effect: Upgrade | None) -> bool:
        """Have the model put a note or a clipped text better."""
        if effect is None:
            return await self._drop(claim, state)
        if isinstance(effect, ComparisonEffect):
            return await self._compare(claim, state, effect)
        job = job_for(state.memory, effect)
        entries = await self._passage(claim.session, job.first, job.last)
        with tracer().answering(claim.session, effect.id, entries.records):
            result = await self._summariser.rewrite(
                claim.session, effect.id, job, entries, state.account
            )
            if result is None:
                return False
            await self._finish(claim, state, Draft(effect.result_id("model"), result), entries)
        if result.kind == "note.refused" and result.aborted:
            await abort_run(self._bus, claim.session, result.participant)
        return True

    async def _compare(self, claim: Claim, state: _SessionState, effect: ComparisonEffect) -> bool:
        """Have the embedder say which earlier proposal a new one repeats."""
        if self._comparer is None:
            raise UnknownEffect("this runner has no embedding model; set model_embedding")
        job = ComparisonJob.of(state.memory, effect)
        result = await self._comparer.compare(claim.session, job, state.account)
        if result is None:
            return False
        entries = await self._passage(claim.session, effect.of, effect.of)
        return await self._finish(
            claim, state, Draft(effect.result_id("embedding"), result), entries
        )

    async def _passage(self, session: str, first: int, last: int) -> EntryRange:
        skips = frozenset((await self._bus.info(session)).skips)
        return await read_range(self._bus, session, first, last, skips)

    async def _finish(
        self, claim: Claim, state: _SessionState, draft: Draft, entries: EntryRange
    ) -> bool:
        incarnation = state.info.incarnation
        receipt = await self._bus.finish(
            claim, claim.session, draft, entries.identity, incarnation=incarnation
        )
        self._summariser.tally.duplicates += receipt.duplicate
        return True

    async def _drop(self, claim: Claim, state: _SessionState) -> bool:
        """Let go of an effect that nobody waits for, with what somebody reserved for it."""
        if state.account is not None:
            await state.account.abandon(_effect_id(claim))
        self._summariser.tally.moot += 1
        await self._bus.drop(claim)
        return True


def _is_moot(memory: Memory, effect: SummaryEffect, lane: str) -> bool:
    """True when nobody waits for `effect` any more: it was answered, or its range let go."""
    key = (effect.level, effect.first)
    standing = memory.summaries.get(key)
    if standing is not None and (lane == EFFECTS or standing.how == "model"):
        return True
    open_range = memory.ranges.get(key)
    return open_range is None or open_range.last != effect.last
