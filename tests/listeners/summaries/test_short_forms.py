"""Shorter forms by a model: what it is asked, and how it is held to bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Entry
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.jobs import job_for
from parley.listeners.models.model_port import BadAnswer
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.summaries.short_forms import CondenseJob
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.exchanges.exchanges import list_kept_exchanges
from parley.memory.exchanges.short_forms import answer_text, list_owed_short_forms, running_text
from parley.memory.state.effects import ShortFormEffect
from parley.memory.text.byte_limits import byte_size
from tests.support.logs.dialogues import (
    ask,
    assistant,
    condensed,
    done,
    exchange,
    records,
    reply,
    returned,
)
from tests.support.logs.logs import PACKS, folded
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.sessions import replayed, running, whole

LONG = "It is so. " * 200
MODEL = assistant(summary={"how": "model"})
LOG: list[Entry] = [MODEL, ask("Is it?"), returned(content=LONG), reply(LONG), done()]
EFFECTS = EffectPace(idle_seconds=0.05, first_pause_seconds=0.05)


@pytest.fixture
async def model(fake: FakeOpenAI) -> AsyncIterator[OpenAIModel]:
    condensing = OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE)
    yield condensing
    await condensing.aclose()


def job(log: list[Entry], part: str) -> CondenseJob:
    memory, _ = folded(records(log))
    (effect,) = [effect for effect in list_owed_short_forms(memory) if effect.part == part]
    condensing = job_for(memory, effect)
    assert isinstance(condensing, CondenseJob)
    return condensing


async def shorter(log: list[Entry], part: str, model: OpenAIModel) -> str:
    """What the job of that part makes of the log."""
    condensing = job(log, part)
    read = [
        record
        for record in records(log)
        if condensing.first <= record.n <= condensing.last and record.n
    ]
    made = await condensing.run(model, read)
    assert (made.part, made.of) == (condensing.effect.part, condensing.effect.of)
    return made.text


async def test_an_answer_is_asked_for_in_words(fake: FakeOpenAI, model: OpenAIModel) -> None:
    """A sixth of its bytes; the whole answer is quoted, from the log."""
    text = await shorter(LOG, "answer", model)
    assert text.startswith("A model's summary of")
    (prompt,) = fake.prompts
    assert "Under 83 words" in prompt
    assert f"[helper]:\n| {LONG}\n\nNow do that" in prompt


async def test_a_tool_s_result_is_named_by_the_tool(fake: FakeOpenAI, model: OpenAIModel) -> None:
    """So that a model knows what it reads."""
    await shorter(LOG, "result", model)
    assert "[weather]:\n| It is so." in fake.prompts[0]


async def test_an_answer_in_too_many_bytes_is_sent_back_once(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """With its measured size; é counts twice."""
    fake.answer = lambda user: "Short." if "Shorten it" in user else "é" * 300
    assert await shorter(LOG, "answer", model) == "Short."
    assert fake.prompts[1].startswith("This text has 600 bytes.")
    assert "Shorten it to under 500 bytes" in fake.prompts[1]


async def test_what_stays_too_long_is_cut_at_a_sentence(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """After two answers nobody is asked again."""
    fake.fail("rambling")
    text = await shorter(LOG, "answer", model)
    assert byte_size(text) <= 500
    assert text.endswith("does.")
    assert fake.calls == 2


async def test_a_prompt_that_is_too_long_is_rebuilt_smaller(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """At half its size until it fits, never sent again as it was."""
    fake.room = 1000
    await shorter(LOG, "answer", model)
    sizes = [len(prompt) for prompt in fake.prompts]
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[-1] <= 1000


async def test_an_empty_answer_is_none(fake: FakeOpenAI, model: OpenAIModel) -> None:
    """The clipped text stays."""
    fake.fail("empty")
    with pytest.raises(BadAnswer):
        await shorter(LOG, "answer", model)


async def test_a_text_that_is_gone_is_not_asked_about(fake: FakeOpenAI, model: OpenAIModel) -> None:
    """Set aside or redacted: the form is empty, and the effect is done."""
    made = await job(LOG, "answer").run(model, [])
    assert (made.text, fake.calls) == ("", 0)


async def test_the_running_summary_is_made_of_the_one_before_and_what_came_since(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """A model's, where it stands; what was asked and answered since, from the log."""
    limits = {"running": {"cap": 100, "target": 60}, "exchanges": 1}
    log: list[Entry] = [assistant(summary={"how": "model"}, limits=limits)]
    log += [*exchange(1), *exchange(2), *exchange(3)]
    before = ShortFormEffect("running", folded(records(log))[0].exchanges.cause)
    log += [condensed(before, "The first two were told."), *exchange(4)]
    fake.answer = lambda user: "Short."
    await shorter(log, "running", model)
    (prompt,) = fake.prompts
    assert "[so far]:\n| The first two were told." in prompt
    assert "What is question 3?" in prompt
    assert "question 2" not in prompt
    assert "question 4" not in prompt


# -- on a real Redis -------------------------------------------------------------


async def test_compression_falls_back_and_stays_due(redis_url: str, fake: FakeOpenAI) -> None:
    """While no model answers, limits hold by what the rules left; then a model's form lands."""
    limits = {"running": {"cap": 200, "target": 150}, "exchanges": 2}
    opening = assistant(summary={"how": "model", "interval": 500}, limits=limits)
    talk = [entry for number in range(5) for entry in exchange(number, f"{number}: {LONG}")]
    fake.fail("500")
    model = OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE)
    async with await Bus.connect(redis_url) as bus:
        await bus.open("a", opening)
        await bus.publish("a", [Draft(f"m{k}", entry) for k, entry in enumerate(talk)])
        pace = ProjectorPace(snapshot_tail=1, idle_seconds=0.05)
        runner = EffectRunner(bus, PACKS, model, "e0", EFFECTS)
        async with running(Projector(bus, PACKS, "w1", pace), runner):
            await wait_until(lambda: fake.calls > 1)
            memory, _ = replayed(await whole(bus, "a"))
            assert byte_size(memory.exchanges.running) <= 200
            assert {effect.part for effect in list_owed_short_forms(memory)} == {
                "answer",
                "running",
            }
            fake.recover()
            await wait_until(lambda: nothing_owed(bus))
        memory, _ = replayed(await whole(bus, "a"))
        assert running_text(memory).startswith("A model's summary of")
        assert answer_text(memory, list_kept_exchanges(memory)[0]).startswith(
            "A model's summary of"
        )
        assert runner.tally.models == 3
    await model.aclose()


async def nothing_owed(bus: Bus) -> bool:
    memory, _ = replayed(await whole(bus, "a"))
    return not list_owed_short_forms(memory)
