"""Habits of servers that speak OpenAI's protocol in their own way, over real HTTP.

What one refuses is asked otherwise, once, and remembered; what one ignores is noticed.
The wordings are those of the servers named.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel
from structlog.testing import capture_logs

from parley.listeners.models.model_port import (
    BadAnswer,
    ContextOverflow,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    Prompt,
)
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.models.structured_answers import ask_for
from tests.support.servers.fake_openai import FakeOpenAI, Manners
from tests.support.servers.patience import PATIENCE

PROMPT = Prompt(system="You keep a notebook.", user="What is new?", max_tokens=16_000)


class Note(BaseModel):
    """What a model is asked for."""

    text: str


def model_at(fake: FakeOpenAI) -> OpenAIModel:
    return OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE)


def refusal(message: str, status: int = 400, **more: Any) -> tuple[int, dict[str, Any]]:
    return status, {"error": {"message": message, "type": "invalid_request_error", **more}}


def rooms(requests: Iterable[dict[str, Any]]) -> list[int]:
    return [request["max_tokens"] for request in requests]


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Developer instruction is not enabled for models/gemma-3-1b-it", 400),  # Gemini
        ("System role not supported", 400),  # a template of Gemma, by vLLM
        ("System role not supported", 500),  # by llama.cpp
        ("Only user and assistant roles are supported!", 400),  # a template of Mistral
        ("system messages are unsupported by this model", 422),
    ],
)
async def test_a_refused_role_is_left_out(message: str, status: int) -> None:
    """What the system says stands before the question; from then on at once."""

    def refuse(request: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        roles = [row["role"] for row in request["messages"]]
        return refusal(message, status) if "system" in roles else None

    with FakeOpenAI(manners=Manners(refuse=refuse)) as fake:
        model = model_at(fake)
        for _ in range(2):
            assert (await model.complete(PROMPT)).text
        await model.aclose()
    assert [len(request["messages"]) for request in fake.requests] == [2, 1, 1]
    assert fake.requests[-1]["messages"][0]["content"] == "You keep a notebook.\n\nWhat is new?"


@pytest.mark.parametrize(
    ("message", "most", "lasts"),
    [
        ("max_tokens is too large: 16000. This model supports at most 4096 completion tokens, "
         "whereas you provided 16000.", 4096, True),  # OpenAI
        ("max_tokens: 16000 > 8192, which is the maximum allowed number of output tokens for "
         "claude-3-5-sonnet-20241022", 8192, True),  # Anthropic, by its gateways
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192, True),
        ("`max_tokens` must be less than or equal to `2048`, the maximum value for `max_tokens` "
         "is less than the `context_window` for this model", 2048, True),  # Groq
        ("'max_tokens' or 'max_completion_tokens' is too large: 16000. This model's maximum "
         "context length is 8192 tokens and your request has 300 input tokens (16000 > 8192 - "
         "300).", 7892, False),  # vLLM
        ("This model's maximum context length is 8192 tokens. However, you requested 16300 tokens "
         "(300 in the messages, 16000 in the completion). Please reduce the length of the "
         "messages or completion.", 7892, False),  # OpenAI of old
        ("max_tokens is too large", 8000, True),
    ],
)  # fmt: skip
async def test_an_answer_that_may_not_be_so_long_is_asked_for_shorter(
    message: str, most: int, lasts: bool
) -> None:
    """The question stays whole; what the model can never write is remembered."""

    def refuse(request: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        return refusal(message) if request["max_tokens"] > most else None

    with FakeOpenAI(manners=Manners(refuse=refuse)) as fake:
        model = model_at(fake)
        for _ in range(2):
            assert (await model.complete(PROMPT)).text
        await model.complete(replace(PROMPT, max_tokens=50))
        await model.aclose()
    again = [most] if lasts else [16_000, most]
    assert rooms(fake.requests) == [16_000, most, *again, 50]
    assert {request["messages"][-1]["content"] for request in fake.requests} == {"What is new?"}


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 2048 tokens. However, you requested 20000 tokens "
        "(4000 in the messages, 16000 in the completion).",
        "the request exceeds the available context size (2048 tokens), try increasing it",
    ],
)
async def test_a_question_that_is_too_long_is_not_asked_for_shorter_answers(message: str) -> None:
    """No answer is short enough: whoever asks has to quote less."""
    with FakeOpenAI(manners=Manners(refuse=lambda _: refusal(message))) as fake:
        model = model_at(fake)
        with pytest.raises(ContextOverflow):
            await model.complete(PROMPT)
        await model.aclose()
    assert len(fake.requests) == 1


async def test_a_format_that_is_ignored_is_asked_for_in_words() -> None:
    """The first answer is prose and counts as none; from then on the question says the shape."""

    def answer(user: str) -> str:
        return 'Of course: <json>{"text": "No news."}</json>' if "<json>" in user else "No news."

    with FakeOpenAI() as fake:
        fake.answer = answer
        model = model_at(fake)
        with capture_logs() as logs, pytest.raises(BadAnswer, match="no JSON object"):
            await ask_for(model, PROMPT, Note)
        for _ in range(2):
            assert (await ask_for(model, PROMPT, Note))[0].text == "No news."
        await model.aclose()
    assert ["response_format" in request for request in fake.requests] == [True, False, False]
    assert [line["event"] for line in logs] == ["format_ignored"]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"code": 429, "message": "Rate limit exceeded: free-models-per-min"}, ModelUnavailable),
        ({"code": 502, "message": "Provider returned error"}, ModelUnavailable),
        ({"code": 401, "message": "No auth credentials found"}, ModelRefused),
        ({"code": "insufficient_quota", "message": "You have no credits"}, ModelRefused),
        ({"code": "context_length_exceeded", "message": "too long"}, ContextOverflow),
        ({"message": "Something went wrong"}, ModelUnavailable),
    ],
)
async def test_an_error_in_an_answer_with_status_200_keeps_its_meaning(
    error: dict[str, Any], expected: type[ModelError]
) -> None:
    """As routers pass on what the provider behind them said."""
    with FakeOpenAI(manners=Manners(refuse=lambda _: (200, {"id": "x", "error": error}))) as fake:
        model = model_at(fake)
        with pytest.raises(expected) as raised:
            await model.complete(PROMPT)
        await model.aclose()
    assert error["message"] in str(raised.value)
