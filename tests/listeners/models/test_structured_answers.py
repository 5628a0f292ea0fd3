"""Values asked of a model: read leniently, never mended."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from parley.listeners.models.model_port import BadAnswer, ModelError, ModelUnavailable, Prompt
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.models.structured_answers import QUOTED, ask_for, parse_answer, schema_of


class Part(BaseModel):
    n: int = Field(0, ge=0, le=9, description="which")


class Verdict(BaseModel):
    """What a listener makes of it."""

    act: Literal["pass", "bid"]
    urgency: int = Field(1, ge=0, le=3)
    why: str = Field("", max_length=40)
    parts: list[Part] = []


BID = Verdict(act="bid", urgency=2, why="it {matters}")
OBJECT = BID.model_dump_json()
PROMPT = Prompt("You judge.", "Well?", 100)


def model(*answers: str | ModelError) -> ScriptedModel:
    def say(prompt: Prompt, random: Random) -> str | ModelError:
        return answers[min(prompt.turn, len(answers) - 1)]

    return ScriptedModel(say)


@pytest.mark.parametrize(
    "text",
    [
        OBJECT,
        f"```json\n{OBJECT}\n```",
        f"```\n{OBJECT}\n```",
        f"<json>{OBJECT}</json>",
        f"Sure! <json>\n{OBJECT}\n</json> I hope {{this}} helps.",
        f"Here you go: {OBJECT}. Anything else?",
        f'<think>maybe {{"act": "pass"}}</think>{OBJECT}',
        f'First {{"act": "pass"}}, no:\n```json\n{OBJECT}\n```',
        f'{{"other": "object"}} and {OBJECT}',
        f"{OBJECT}\n\nor, as I said, {OBJECT}",
    ],
)
def test_the_object_is_found_where_it_stands(text: str) -> None:
    """Alone, fenced, tagged, among words, after thoughts, beside objects of another shape."""
    assert parse_answer(text, Verdict) == BID


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("I would rather not say.", "no JSON object in 'I would rather not say.'"),
        ('{"act": "bid", "urgency": 2,}', "no JSON object"),
        ('{"act": "bid", "urgency": {"act": "pass"},}', "no JSON object"),
        ('{"act": "bid", "parts": [{"act": "pass"}', "no JSON object"),
        ('{"act": "shout"}', "no Verdict: act: Input should be 'pass' or 'bid'"),
        ('{"urgency": 1}', "no Verdict: act: Field required"),
        ('{"act": "bid", "urgency": 7}', "no Verdict: urgency: "),
        ('{"act": "pass"} {"act": "bid"}', "2 different objects of Verdict"),
        ("[1, 2]", "no JSON object"),
        (f"<think>not {OBJECT}", "no JSON object"),
        ("{" * 5000, "no JSON object"),
        ('{"a":' * 5000, "no JSON object"),
    ],
)
def test_what_is_wrong_is_named(text: str, wrong: str) -> None:
    """Trailing commas, parts of a broken object and two minds are none of the wanted shape."""
    with pytest.raises(BadAnswer) as refused:
        parse_answer(text, Verdict)
    assert str(refused.value).startswith(wrong)


@given(st.text())
def test_an_error_never_repeats_an_answer_at_length(text: str) -> None:
    """Nor as it was written: what is no plain text is shown as such, on one line."""
    long = f"{text}{'x' * 300}"
    for answer in (long, json.dumps({"act": long})):
        with pytest.raises(BadAnswer) as refused:
            parse_answer(answer, Verdict)
        error = str(refused.value)
        assert len(error) <= QUOTED + 20
        assert "\n" not in error
        assert "x" * 200 not in error


async def test_a_value_comes_with_what_it_cost() -> None:
    """The completion is the model's own, its usage included; the prompt carried the shape."""
    asked = model(OBJECT)
    value, completion = await ask_for(asked, PROMPT, Verdict)
    assert value == BID
    assert completion.output_tokens > 0
    assert asked.prompts[0].shape == schema_of(Verdict)


async def test_a_bad_answer_is_paid_for() -> None:
    """It carries the completion, so that it can be settled."""
    with pytest.raises(BadAnswer) as refused:
        await ask_for(model("no"), PROMPT, Verdict)
    assert refused.value.completion is not None
    assert refused.value.completion.output_tokens > 0


async def test_an_answer_that_was_cut_says_so() -> None:
    """It ran into the prompt's limit: more room may mend it, asking again will not."""
    with pytest.raises(BadAnswer, match="cut off"):
        await ask_for(model(json.dumps({"act": "bid", "why": "y" * 4000})), PROMPT, Verdict)


async def test_an_answer_that_was_cut_may_count_as_far_as_it_goes() -> None:
    """Where it is asked for so, and what there is has the shape."""
    begun = json.dumps({"act": "bid", "urgency": 2, "unread": "y" * 4000})
    value, completion = await ask_for(model(begun), PROMPT, Verdict, part=True)
    assert (value.act, value.urgency, completion.cut) == ("bid", 2, True)
    for useless in (json.dumps({"why": "y" * 4000}), "y " * 4000):
        with pytest.raises(BadAnswer, match="cut off"):
            await ask_for(model(useless), PROMPT, Verdict, part=True)


async def test_a_model_that_is_down_is_down() -> None:
    """What is not about the answer passes as it is."""
    with pytest.raises(ModelUnavailable):
        await ask_for(model(ModelUnavailable("down")), PROMPT, Verdict)


def test_the_schema_is_as_strict_as_endpoints_want() -> None:
    """Objects are closed, every property is required, and no keyword is left that some refuse."""
    schema: Any = schema_of(Verdict).schema
    for part in (schema, schema["$defs"]["Part"]):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
    assert schema["properties"]["act"] == {"enum": ["pass", "bid"], "type": "string"}
    assert schema["$defs"]["Part"]["properties"]["n"] == {"description": "which", "type": "integer"}
    assert "default" not in json.dumps(schema)


def test_half_a_character_is_mended() -> None:
    """JSON can spell one, no log can hold one: it is U+FFFD; two halves are whole."""
    parsed = parse_answer(r'{"act": "bid", "why": "a\ud83d b\ud83d\ude00"}', Verdict)
    assert parsed.why == "a\ufffd b\U0001f600"
