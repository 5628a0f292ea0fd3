"""A model without a model: a function of the request and the seed."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.listeners.models.model_port import (
    AnswerSchema,
    BadAnswer,
    Completion,
    ModelUnavailable,
    Prompt,
)
from parley.listeners.models.scripted_model import ScriptedModel, clip_to_tokens
from parley.listeners.offline.virtual_loop import run_virtual
from parley.memory.text.text_sizes import count_tokens

PROMPT = Prompt("You talk.", "Well?", 50, purpose="draft", participant="ana")


def rolls(prompt: Prompt, random: Random) -> str:
    return f"{prompt.participant or 'somebody'} rolls {random.randrange(1_000_000)}"


async def test_the_order_of_calls_changes_nothing() -> None:
    """Each call has a generator of its own, seeded by the prompt."""
    prompts = [replace(PROMPT, turn=turn) for turn in range(20)]
    ahead, behind = ScriptedModel(rolls), ScriptedModel(rolls)
    there = [await ahead.complete(prompt) for prompt in prompts]
    back = [await behind.complete(prompt) for prompt in reversed(prompts)]
    assert there == back[::-1]
    assert len({completion.text for completion in there}) == 20


@pytest.mark.parametrize(
    "other",
    [
        replace(PROMPT, user="Well!"),
        replace(PROMPT, purpose="evaluate"),
        replace(PROMPT, participant="bo"),
        replace(PROMPT, model="big"),
        replace(PROMPT, shape=AnswerSchema("one", {"type": "object"})),
    ],
)
async def test_every_part_of_a_request_counts(other: Prompt) -> None:
    """Who asks, for what and in which shape are part of the seed."""
    model = ScriptedModel(rolls)
    completion, otherwise = await model.complete(PROMPT), await model.complete(other)
    assert completion.text.split()[-1] != otherwise.text.split()[-1]


async def test_another_seed_is_another_run() -> None:
    """And the same seed the same."""
    completion = [
        (await ScriptedModel(rolls, seed=seed).complete(PROMPT)).text for seed in (1, 2, 1)
    ]
    assert completion[0] == completion[2] != completion[1]


async def test_usage_is_what_memory_counts() -> None:
    """Of the question, and of the answer."""
    completion = await ScriptedModel(lambda prompt, random: "Good morning.", name="m").complete(
        PROMPT
    )
    assert completion == Completion(
        "Good morning.", "m", count_tokens("You talk.") + count_tokens("Well?"), 4
    )
    assert count_tokens("Good morning.") == 4


async def test_a_stream_ends_with_the_whole() -> None:
    """Its pieces put together are the text of the completion, which comes last."""
    text = "Two words,\n\nand a paragraph."
    heard = [piece async for piece in ScriptedModel(lambda p, r: text).stream(PROMPT)]
    *pieces, last = heard
    assert "".join(str(piece) for piece in pieces) == text
    assert len(pieces) == 5
    assert isinstance(last, Completion)
    assert last.text == text


def test_a_stream_can_be_left() -> None:
    """Closing it after the first word takes no longer than that word."""
    model = ScriptedModel(lambda p, r: "on and on " * 20, tokens_per_second=10)

    async def leave() -> float:
        async with aclosing(model.stream(replace(PROMPT, max_tokens=500))) as pieces:
            assert await anext(pieces) == "on "
        return asyncio.get_running_loop().time()

    assert run_virtual(leave()) == pytest.approx(0.1)


def test_it_takes_its_time() -> None:
    """First token and pace are simulated, and calls wait side by side."""
    model = ScriptedModel(
        lambda p, r: "one two three four", first_token_seconds=0.1, tokens_per_second=100
    )

    async def ten() -> float:
        await asyncio.gather(*(model.complete(PROMPT) for _ in range(10)))
        return asyncio.get_running_loop().time()

    assert run_virtual(ten()) == pytest.approx(0.1 + count_tokens("one two three four") / 100)


async def test_an_error_that_is_returned_is_raised() -> None:
    """By a whole answer and by a stream alike."""
    model = ScriptedModel(lambda p, r: ModelUnavailable("down"))
    with pytest.raises(ModelUnavailable):
        await model.complete(PROMPT)
    with pytest.raises(ModelUnavailable):
        await anext(model.stream(PROMPT))


async def test_an_empty_answer_is_none() -> None:
    """As behind an endpoint; what the question cost is told."""
    with pytest.raises(BadAnswer) as refused:
        await ScriptedModel(lambda p, r: " \n").complete(PROMPT)
    assert refused.value.completion is not None
    assert refused.value.completion.input_tokens > 0


@given(st.text(), st.integers(1, 40))
def test_an_answer_is_cut_at_its_limit(text: str, most: int) -> None:
    """Not a character earlier than it must be."""
    kept = clip_to_tokens(text, most)
    assert text.startswith(kept)
    assert count_tokens(kept) <= most
    assert kept == text or count_tokens(text[: len(kept) + 1]) > most
