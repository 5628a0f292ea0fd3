"""Effects on a real Redis, with a model over real HTTP that fails in every way."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict

import pytest
from structlog.testing import capture_logs

from parley.bus import Bus, Claim, Draft
from parley.bus.entries import Message
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.summaries.range_summaries import list_summary_upgrades
from tests.support.logs.logs import PACKS
from tests.support.servers.fake_openai import FAILURES, Failure, FakeOpenAI
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.sessions import (
    discuss,
    is_settled,
    replayed,
    replayed_bytes,
    running,
    standing,
    whole,
)
from tests.support.sessions.talks import commit_of

FOLD = ProjectorPace(snapshot_tail=1, idle_seconds=0.05)
EFFECTS = EffectPace(idle_seconds=0.05, first_pause_seconds=0.05)


@asynccontextmanager
async def runners(
    bus: Bus,
    fake: FakeOpenAI | None,
    count: int,
    *,
    stream: bool = False,
    seconds: float = PATIENCE,
) -> AsyncIterator[list[EffectRunner]]:
    """A projector and `count` racing effect runners, each with a client of its own."""
    models = [
        OpenAIModel("small-1", url=fake.url, timeout_seconds=seconds, stream=stream)
        if fake
        else None
        for _ in range(count)
    ]
    runners = [EffectRunner(bus, PACKS, model, f"e{k}", EFFECTS) for k, model in enumerate(models)]
    async with running(Projector(bus, PACKS, "w1", FOLD), *runners):
        yield runners
    for model in models:
        if model is not None:
            await model.aclose()


async def assert_no_gap(bus: Bus, session: str, interval: int, messages: int) -> None:
    """One standing summary a range, and the ranges of level 0 partition their prefix."""
    made = await standing(bus, session)
    assert len(made) == len(set(made))
    zero = sorted({(first, last) for level, first, last, _ in made if level == 0})
    assert zero == [
        (first, first + interval - 1)
        for first in range(1, messages // interval * interval + 1, interval)
    ]


async def all_models(bus: Bus, session: str) -> bool:
    """True when every standing summary is a model's."""
    memory, _ = replayed(await whole(bus, session))
    return bool(memory.summaries) and not list_summary_upgrades(memory)


async def test_extracts_land_without_a_model(bus: Bus) -> None:
    """Every twelve messages, and one level up; a session that wants no model asks none."""
    await discuss(bus, "a", 100)
    async with runners(bus, None, 1):
        await wait_until(lambda: is_settled(bus, "a"))
    await assert_no_gap(bus, "a", 12, 100)
    assert {how for _, _, _, how in await standing(bus, "a")} == {"extract"}
    assert [row[:3] for row in await standing(bus, "a") if row[0] == 1] == [(1, 1, 72)]


async def test_the_same_log_gives_the_same_extracts(bus: Bus) -> None:
    """Two sessions with the same messages end with the same bytes, whoever ran what when."""
    for name in ("a", "b"):
        await discuss(bus, name, 80)
        async with runners(bus, None, 2):
            await wait_until(lambda own=name: is_settled(bus, own))
    assert await replayed_bytes(bus, "a") == await replayed_bytes(bus, "b")


async def test_a_model_is_asked_where_the_session_wants_one(bus: Bus, fake: FakeOpenAI) -> None:
    """All summaries are the model's, each asked once though three runners race."""
    await discuss(bus, "a", 90, summary={"how": "model"})
    async with runners(bus, fake, 3):
        await wait_until(lambda: is_settled(bus, "a"))
    await assert_no_gap(bus, "a", 12, 90)
    assert {how for _, _, _, how in await standing(bus, "a")} == {"model"}
    assert fake.calls == len(await standing(bus, "a"))


async def test_whoever_runs_it_decides_what_is_made(bus: Bus, fake: FakeOpenAI) -> None:
    """Under `auto` a runner without a model writes extracts, and one with a model betters them."""
    await discuss(bus, "a", 90, summary={"how": "auto", "keep": 3})
    async with runners(bus, None, 1):
        await wait_until(lambda: is_settled(bus, "a"))
    made = await standing(bus, "a")
    assert {how for _, _, _, how in made} == {"extract"}
    async with runners(bus, fake, 1):
        await wait_until(lambda: all_models(bus, "a"))
        await discuss(bus, "b", 24, summary={"how": "auto"})
        await wait_until(lambda: is_settled(bus, "b"))
    assert {how for _, _, _, how in await standing(bus, "b")} == {"model"}
    (higher,) = [prompt for prompt in fake.prompts if "part 6 of 6" in prompt]
    told = higher.count("A model's summary of")
    assert 0 < told < 6  # what was let go of those below is told anew


async def test_a_higher_summary_is_asked_from_the_lower_ones(bus: Bus, fake: FakeOpenAI) -> None:
    """Its question quotes the summaries that stand below it."""
    await discuss(bus, "a", 72, summary={"how": "model"})
    async with runners(bus, fake, 1):
        await wait_until(lambda: is_settled(bus, "a"))
    (higher,) = [prompt for prompt in fake.prompts if "part 6 of 6" in prompt]
    assert "A model's summary of" in higher


async def test_a_runner_tells_what_its_model_did(bus: Bus, fake: FakeOpenAI) -> None:
    """Calls, failures, their time, and what was known already: the heartbeat carries them."""
    for name in ("a", "b"):
        await discuss(bus, name, 12, summary={"how": "model"})
    async with runners(bus, fake, 1) as (runner,):
        await wait_until(lambda: is_settled(bus, "a", "b"))
        fake.fail("overflow", times=1)
        await discuss(bus, "c", 36, summary={"how": "model", "interval": 36})
        await wait_until(lambda: is_settled(bus, "c"))
    tally = asdict(runner.tally)
    assert (tally["models"], tally["memo_hits"]) == (3, 1)
    assert (tally["model_calls"], tally["model_failures"]) == (3, 1)
    assert fake.calls == 3
    assert tally["model_ms"] >= 0


@pytest.mark.parametrize("failure", [f for f in FAILURES if f not in ("rambling", "unfinished")])
async def test_three_runners_leave_no_gap_in_any_outage(
    bus: Bus, fake: FakeOpenAI, failure: Failure
) -> None:
    """While the model fails, extracts stand; once it recovers, all are the model's."""
    fake.fail(failure)
    await discuss(bus, "a", 40, summary={"how": "model"})
    async with runners(bus, fake, 3, seconds=0.6 if failure == "silent" else PATIENCE):
        await wait_until(lambda: is_settled(bus, "a"))
        await assert_no_gap(bus, "a", 12, 40)
        assert {how for _, _, _, how in await standing(bus, "a")} == {"extract"}
        fake.recover()
        await wait_until(lambda: all_models(bus, "a"))
    await assert_no_gap(bus, "a", 12, 40)
    assert len(await standing(bus, "a")) == 6  # three extracts, three upgrades, none twice


async def test_a_summary_of_what_nobody_said_is_refused_once(bus: Bus, fake: FakeOpenAI) -> None:
    """The extract stands, the reason is logged, and the model is asked no second time."""
    fake.answer = lambda user: "They decided to try the second tide. P9 was for later."
    await discuss(bus, "a", 12, summary={"how": "auto"})
    with capture_logs() as logs:
        async with runners(bus, fake, 1) as (runner,):
            await wait_until(lambda: is_settled(bus, "a"))
            await wait_until(lambda: runner.tally.failed > 1)  # it stays due, and is left alone
    assert {how for _, _, _, how in await standing(bus, "a")} == {"extract"}
    assert fake.calls == 1
    reasons = [line["reason"] for line in logs if line["event"] == "model_failed"]
    assert reasons == ["the summary names P9, which there is not"]


async def test_a_cut_stream_is_no_summary(bus: Bus, fake: FakeOpenAI) -> None:
    """Streamed answers that break off fall back too, and recover."""
    fake.fail("cut")
    await discuss(bus, "a", 24, summary={"how": "model"})
    async with runners(bus, fake, 2, stream=True):
        await wait_until(lambda: is_settled(bus, "a"))
        assert {how for _, _, _, how in await standing(bus, "a")} == {"extract"}
        fake.recover()
        await wait_until(lambda: all_models(bus, "a"))


async def test_a_long_context_is_asked_in_halves(bus: Bus, fake: FakeOpenAI) -> None:
    """A model with little room still makes the summary, of less."""
    fake.room = 2_000
    await discuss(bus, "a", 11, summary={"how": "model"})
    pasted = Message(participant="ana", content="as the log of last night says " * 500)
    await bus.publish("a", [Draft("pasted", pasted)])
    async with runners(bus, fake, 1):
        await wait_until(lambda: is_settled(bus, "a"))
    assert [how for _, _, _, how in await standing(bus, "a")] == ["model"]
    assert len(set(fake.prompts)) == len(fake.prompts) > 1


async def test_a_slow_summary_delays_nothing_else(bus: Bus, fake: FakeOpenAI) -> None:
    """While a model is silent, other sessions' extracts land and folding goes on."""
    fake.fail("silent")
    model = OpenAIModel("small-1", url=fake.url, timeout_seconds=300.0)
    await discuss(bus, "slow", 12 * 6, summary={"how": "model"})
    runner = EffectRunner(bus, PACKS, model, "e0", EFFECTS)
    async with running(Projector(bus, PACKS, "w1", FOLD), runner):
        await wait_until(lambda: fake.calls == 4)  # as many as may be asked at once
        await discuss(bus, "quick", 30)
        await wait_until(lambda: is_settled(bus, "quick"))
        assert await standing(bus, "slow") == []
        fake.recover()
        await wait_until(lambda: is_settled(bus, "slow"))
    await model.aclose()
    assert {how for _, _, _, how in await standing(bus, "slow")} == {"model"}


async def test_a_long_call_keeps_its_lease(bus: Bus, fake: FakeOpenAI) -> None:
    """A call longer than its lease is not asked a second time by another runner."""
    fake.fail("silent")
    pace = EffectPace(idle_seconds=0.05, lease_ms=1_500)
    models = [OpenAIModel("small-1", url=fake.url, timeout_seconds=300.0) for _ in range(2)]
    runners = [EffectRunner(bus, PACKS, model, f"e{k}", pace) for k, model in enumerate(models)]
    await discuss(bus, "a", 12, summary={"how": "model"})
    async with running(Projector(bus, PACKS, "w1", FOLD), *runners):
        await wait_until(lambda: fake.calls == 1)
        await discuss(bus, "other", 24 * 12)  # work beside it
        await wait_until(lambda: is_settled(bus, "other"))
        claims = await renewed(bus, "a", times=4)
        assert claims >= 4
        assert fake.calls == 1
        fake.recover()
        await wait_until(lambda: is_settled(bus, "a"))
    for model in models:
        await model.aclose()
    assert fake.calls == 1


async def renewed(bus: Bus, session: str, times: int) -> int:
    """Look on until the effect of `session` would have fallen due `times` times."""
    looks = 0
    for _ in range(times):
        taken = await bus.take("effects", "onlooker", count=9, lease_ms=1)
        assert all(not claim.member.startswith(f"{session} ") for claim in taken.claims)
        looks += 1
        await wait_until(lambda: true_after(bus, 0.55))
    return looks


async def true_after(bus: Bus, seconds: float) -> bool:
    await bus.wait_due(["fold"], "onlooker", seconds)
    return True


async def test_an_effect_of_a_removed_session_is_dropped(bus: Bus) -> None:
    """What nobody waits for any more leaves the lane."""
    await discuss(bus, "a", 30)
    async with running(Projector(bus, PACKS, "w1", FOLD)):
        await wait_until(lambda: all_folded(bus, "a"))
    taken = await bus.take("effects", "me", count=9, lease_ms=1)
    assert len(taken.claims) == 2
    await bus.remove("a")
    runner = EffectRunner(bus, PACKS, None, "e0", EFFECTS)
    async with running(runner):
        await wait_until(lambda: nothing_due(bus))


async def test_an_effect_of_another_version_is_handed_back(bus: Bus) -> None:
    """At once, for a runner that knows it; those that are known go on."""
    await discuss(bus, "a", 11)
    stranger = commit_of((await whole(bus, "a"))[-1], "a", effects=[("effects", "reflect:ana", ())])
    await bus.commit(Claim("fold", "a", "nobody", 0), stranger, done=False)
    await discuss(bus, "a", 1, first=12)
    async with runners(bus, None, 1) as (runner,):
        await wait_until(lambda: runner.tally.failed)
        await wait_until(lambda: runner.tally.extracts)
    taken = await bus.take("effects", "newer", count=9, lease_ms=1)
    assert taken.claims or taken.next_ms is not None


async def all_folded(bus: Bus, session: str) -> bool:
    info = await bus.info(session)
    return info.folded == info.head


async def nothing_due(bus: Bus) -> bool:
    taken = await bus.take("effects", "onlooker", count=9, lease_ms=1)
    return not taken.claims and taken.next_ms is None
