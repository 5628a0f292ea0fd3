"""What effects spend is on the session's account: on a real Redis, with a model over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Message, SettingsChanged
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.inline_summaries import InlineSummaries
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.spending.accounts import Charge, reserve_draft
from parley.listeners.spending.prices import Price, Prices
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.state.floor_state import Ledger
from tests.support.logs.logs import PACKS, opened
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.patience import wait_until
from tests.support.sessions.sessions import discuss, is_settled, replayed, running, standing, whole

FOLD = ProjectorPace(snapshot_tail=1, idle_seconds=0.05)
EFFECTS = EffectPace(idle_seconds=0.05, first_pause_seconds=0.05)
PRICES: Prices = {"small": Price(input=1_000_000, output=1_000_000)}
WANTED = {"how": "model"}
PLENTY = {"tokens": 1_000_000}


@asynccontextmanager
async def worker(
    bus: Bus, model: OpenAIModel, prices: Prices = PRICES
) -> AsyncIterator[EffectRunner]:
    runner = EffectRunner(bus, PACKS, model, "e1", EFFECTS, prices)
    async with running(Projector(bus, PACKS, "w1", FOLD), runner):
        yield runner


async def ledger(bus: Bus, session: str) -> Ledger:
    memory, _ = replayed(await whole(bus, session))
    return memory.ledger


async def spent(bus: Bus, session: str) -> list[str]:
    """The ids of what was published about spending."""
    kinds = ("spend.reserved", "spend.settled")
    return [record.id for record in await whole(bus, session) if record.entry.kind in kinds]


async def hows(bus: Bus, session: str) -> list[str]:
    return [how for *_, how in await standing(bus, session)]


async def test_each_summary_is_reserved_and_settled(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Under the effect's id, at what the provider says, on the account `parley`."""
    await discuss(bus, "a", 24, summary=WANTED, budget=PLENTY)
    async with worker(bus, model):
        await wait_until(lambda: is_settled(bus, "a"))
    assert await hows(bus, "a") == ["model", "model"]
    assert set(await spent(bus, "a")) == {
        f"{word}:summary:0:{part}" for word in ("reserve", "settle") for part in ("1:12", "13:24")
    }
    spent_ledger = await ledger(bus, "a")
    own = sum(request.prompt_tokens + request.completion_tokens for request in fake.served)
    assert spent_ledger.purposes == {"summary": own}
    assert (
        spent_ledger.total.micros,
        spent_ledger.calls,
        spent_ledger.accounts["parley"].calls,
    ) == (own, {}, 2)


async def test_a_session_without_a_budget_keeps_no_account(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Its log is as it was."""
    await discuss(bus, "a", 12, summary=WANTED)
    async with worker(bus, model):
        await wait_until(lambda: is_settled(bus, "a"))
    assert await spent(bus, "a") == []
    assert await hows(bus, "a") == ["model"]


async def test_a_session_with_a_floor_keeps_one(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Nothing limits it, and what its summaries cost is told."""
    await discuss(bus, "a", 12, summary=WANTED, floor={"policy": "bid"})
    async with worker(bus, model):
        await wait_until(lambda: is_settled(bus, "a"))
    assert (await ledger(bus, "a")).accounts["parley"].calls == 1


async def test_beyond_the_budget_the_extract_stands(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """No call is made that has no room; a larger budget brings the model's summaries."""
    await discuss(bus, "a", 60, summary=WANTED, budget={"calls": 2})
    async with worker(bus, model) as runner:
        await wait_until(lambda: is_settled(bus, "a"))
        await wait_until(lambda: runner.tally.failed)  # an upgrade has found no room either
        assert sorted(await hows(bus, "a")) == ["extract"] * 3 + ["model"] * 2
        assert fake.calls == 2
        assert (
            len([entry_id for entry_id in await spent(bus, "a") if entry_id.startswith("settle:")])
            == 2
        )
        more = SettingsChanged(settings={"budget": {"calls": 100}})
        await bus.publish("a", [Draft("more", more)])
        await wait_until(lambda: _all_models(bus, "a"))
    assert (await ledger(bus, "a")).total.calls == fake.calls == 5


async def _all_models(bus: Bus, session: str) -> bool:
    memory, _ = replayed(await whole(bus, session))
    return {summary.how for summary in memory.summaries.values()} == {"model"}


async def test_a_budget_in_money_without_prices_asks_no_model(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """What a call may cost is not known."""
    await discuss(bus, "a", 12, summary=WANTED, budget={"micros": 10**9})
    async with worker(bus, model, {}):
        await wait_until(lambda: is_settled(bus, "a"))
    assert await hows(bus, "a") == ["extract"]
    assert fake.calls == 0


async def test_a_reservation_of_a_dead_runner_is_used(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """It reserved, and died before it asked or before it settled: nobody can tell."""
    await discuss(bus, "a", 12, summary=WANTED, budget={"tokens": 6000})
    left = Charge("summary:0:1:12", "parley", "summary", 5000, 5000, "small")
    await bus.publish("a", [reserve_draft(left)])
    async with worker(bus, model):
        await wait_until(lambda: is_settled(bus, "a"))
    assert await hows(bus, "a") == ["model"]
    assert await spent(bus, "a") == ["reserve:summary:0:1:12", "settle:summary:0:1:12"]
    assert (await ledger(bus, "a")).total.held_tokens == 0


async def test_a_call_that_was_cancelled_is_taken_up(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """A runner that is stopped hard leaves its reservation to the next one."""
    fake.fail("silent")
    await discuss(bus, "a", 12, summary=WANTED, budget=PLENTY)
    async with running(Projector(bus, PACKS, "w1", FOLD)):
        first = EffectRunner(bus, PACKS, model, "e1", EFFECTS, PRICES)
        task = asyncio.create_task(first.run(anyio.Event()))
        await wait_until(lambda: fake.calls)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await ledger(bus, "a")).total.held_calls == 1
        fake.recover()
        async with running(EffectRunner(bus, PACKS, model, "e2", EFFECTS, PRICES)):
            await wait_until(lambda: is_settled(bus, "a"))
    assert await hows(bus, "a") == ["model"]
    assert await spent(bus, "a") == ["reserve:summary:0:1:12", "settle:summary:0:1:12"]


async def test_whoever_summarises_inline_pays_too(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """The same account, the same ids."""
    reader = MemoryReader(bus, PACKS)
    await discuss(
        bus, "a", 12, summary={"strategy": "inline", **WANTED}, budget={"tokens": 1_000_000}
    )
    await InlineSummaries(bus, "a", reader, model).settle()
    assert await hows(bus, "a") == ["model"]
    assert await spent(bus, "a") == ["reserve:summary:0:1:12", "settle:summary:0:1:12"]


async def test_notes_are_on_the_account_too(bus: Bus, fake: FakeOpenAI, model: OpenAIModel) -> None:
    """Under a purpose of their own, and their effect's id."""
    await bus.open(
        "a", opened(note={"policy": "rewrite"}, routes={"own": "reflect"}, budget=PLENTY)
    )
    await bus.publish("a", [Draft("m", Message(participant="ana", content="Morning."))])
    async with worker(bus, model):
        await wait_until(lambda: _purposes(bus, "a", {"note"}))
    (call,) = {entry_id.partition(":")[2] for entry_id in await spent(bus, "a")}
    assert call.startswith("note:")


async def _purposes(bus: Bus, session: str, wanted: set[str]) -> bool:
    return set((await ledger(bus, session)).purposes) == wanted


async def test_a_failed_call_is_settled_and_made_again_under_a_number(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """The outage cost nothing, and the upgrade is paid for."""
    fake.fail("quota")
    await discuss(bus, "a", 12, summary=WANTED, budget=PLENTY)
    async with worker(bus, model):
        await wait_until(lambda: is_settled(bus, "a"))
        assert await hows(bus, "a") == ["extract"]
        assert (await ledger(bus, "a")).total.tokens == 0
        fake.recover()
        await wait_until(lambda: _all_models(bus, "a"))
    spent_ledger = await ledger(bus, "a")
    assert spent_ledger.accounts["parley"].failed == spent_ledger.accounts["parley"].calls - 1 >= 1
    assert spent_ledger.total.tokens > 0
    assert (spent_ledger.calls, spent_ledger.total.held_tokens) == ({}, 0)


async def test_what_is_known_already_costs_nothing(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """The second session that says the same pays for no call."""
    async with worker(bus, model) as runner:
        for name in ("a", "b"):
            await discuss(bus, name, 12, summary=WANTED, budget=PLENTY)
            await wait_until(lambda own=name: is_settled(bus, own))
    assert (fake.calls, runner.tally.memo_hits) == (1, 1)
    assert len(await spent(bus, "a")) == 2
    assert await spent(bus, "b") == []
    assert await hows(bus, "b") == ["model"]


async def test_a_closed_session_spends_nothing_more(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Its last summaries are extracts, and nothing stays due for a model."""
    await discuss(bus, "a", 12, summary=WANTED, budget=PLENTY)
    await bus.close("a", "closed")
    async with worker(bus, model):
        await wait_until(lambda: is_settled(bus, "a"))
        await wait_until(lambda: _no_upgrades(bus, "a"))
    assert await hows(bus, "a") == ["extract"]
    assert fake.calls == 0


async def _no_upgrades(bus: Bus, session: str) -> bool:
    return not (await bus.info(session)).due.get("upgrades")
