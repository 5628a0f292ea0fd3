"""A model that is asked the same thing once."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from parley.listeners.models.answer_memo import AnswerCache
from parley.listeners.models.call_meter import MeteredModel
from parley.listeners.models.model_port import (
    AnswerSchema,
    Completion,
    ModelUnavailable,
    OverBudget,
    Prompt,
)


class Counting:
    """A model that answers with how often it was asked; it can be held, or made to fail."""

    def __init__(self) -> None:
        self.calls = 0
        self.go = asyncio.Event()
        self.go.set()
        self.down = False

    async def complete(self, prompt: Prompt) -> Completion:
        self.calls += 1
        await self.go.wait()
        if self.down:
            raise ModelUnavailable("down")
        return Completion(f"{prompt.user} {self.calls}", "small")


def asked(user: str = "what?", max_tokens: int = 10) -> Prompt:
    return Prompt("You answer.", user, max_tokens)


async def test_the_same_question_is_asked_once() -> None:
    """Another one, or the same with more room for its answer, is asked for itself."""
    model = Counting()
    memo = AnswerCache(model)
    first = await memo.complete(asked())
    assert await memo.complete(asked()) == first
    assert await memo.complete(asked(max_tokens=20)) != first
    assert (model.calls, memo.hits, memo.misses) == (2, 1, 2)


async def test_answers_are_kept_for_so_many_hours_and_no_longer() -> None:
    """By a clock that never goes back; 0 hours keep nothing."""
    model, now = Counting(), [0.0]
    memo = AnswerCache(model, hours=24, clock=lambda: now[0])
    await memo.complete(asked())
    now[0] = 24 * 3600 - 1
    await memo.complete(asked())
    assert model.calls == 1
    now[0] += 1
    await memo.complete(asked())
    assert model.calls == 2
    never = AnswerCache(model, hours=0)
    await never.complete(asked())
    await never.complete(asked())
    assert (model.calls, never.hits) == (4, 0)


async def test_the_least_recently_used_goes_first() -> None:
    """No more than `size` answers are kept."""
    model = Counting()
    memo = AnswerCache(model, size=2)
    for user in ("a", "b", "a", "c", "a", "b"):
        await memo.complete(asked(user))
    assert (memo.hits, model.calls) == (2, 4)


async def test_whoever_asks_what_is_being_asked_waits_for_that_answer() -> None:
    """Ten at once are one call."""
    model = Counting()
    model.go.clear()
    memo = AnswerCache(model)
    waiting = [asyncio.create_task(memo.complete(asked())) for _ in range(10)]
    await asyncio.sleep(0)
    model.go.set()
    answers = await asyncio.gather(*waiting)
    assert len({answer.text for answer in answers}) == 1
    assert (model.calls, memo.hits, memo.misses) == (1, 9, 1)


async def test_failures_are_told_and_forgotten() -> None:
    """Those who wait hear of it; the next to ask makes a call of its own."""
    model = Counting()
    model.down = True
    model.go.clear()
    memo = AnswerCache(model)
    waiting = [asyncio.create_task(memo.complete(asked())) for _ in range(3)]
    await asyncio.sleep(0)
    model.go.set()
    failed = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(error, ModelUnavailable) for error in failed)
    assert model.calls == 1
    model.down = False
    assert (await memo.complete(asked())).text == "what? 2"


async def test_a_caller_that_is_cancelled_takes_no_other_with_it() -> None:
    """One of those who wait asks anew; one who waits may go as well."""
    model = Counting()
    model.go.clear()
    memo = AnswerCache(model)
    first = asyncio.create_task(memo.complete(asked()))
    await asyncio.sleep(0)
    second, third = (asyncio.create_task(memo.complete(asked())) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    third.cancel()
    for task in (first, third):
        with pytest.raises(asyncio.CancelledError):
            await task
    model.go.set()
    assert (await second).text == "what? 2"


async def test_calls_are_counted_with_their_failures_and_time() -> None:
    """What a memo answers is no call."""
    model = Counting()
    metered = MeteredModel(model)
    memo = AnswerCache(metered)
    await memo.complete(asked())
    await memo.complete(asked())
    model.down = True
    with pytest.raises(ModelUnavailable):
        await memo.complete(asked("else?"))
    assert (metered.meter.calls, metered.meter.failures) == (2, 1)
    assert metered.meter.ms >= 0


class Poor:
    """An account without room: it asks nobody, as soon as `go` is set."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go = asyncio.Event()

    async def complete(self, prompt: Prompt) -> Completion:
        self.asked.set()
        await self.go.wait()
        raise OverBudget("no room")


async def test_who_waits_for_a_poor_session_asks_on_its_own_account() -> None:
    """That one session has no budget left is no answer to another."""
    model, poor = Counting(), Poor()
    memo = AnswerCache(model)
    first = asyncio.create_task(memo.wrap(poor).complete(asked()))
    await poor.asked.wait()
    second = asyncio.create_task(memo.complete(asked()))
    await asyncio.sleep(0)
    poor.go.set()
    with pytest.raises(OverBudget):
        await first
    assert (await second).text == "what? 1"
    assert model.calls == 1


async def test_another_model_or_shape_is_another_question() -> None:
    """Their answers are not alike."""
    model = Counting()
    memo = AnswerCache(model)
    shape = AnswerSchema("verdict", {"type": "object"})
    for prompt in (asked(), replace(asked(), model="big"), replace(asked(), shape=shape)):
        await memo.complete(prompt)
        await memo.complete(prompt)
    assert model.calls == 3
