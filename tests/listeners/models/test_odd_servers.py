"""Habits of servers that speak OpenAI's protocol in their own way, over real HTTP.

What one refuses is asked otherwise, once, and remembered; what one ignores is noticed.
The wordings are those of the servers named; docs/models.md tells them in a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import BaseModel, Field
from structlog.testing import capture_logs

from parley.listeners.models.model_port import (
    BadAnswer,
    Completion,
    ContextOverflow,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    Prompt,
)
from parley.listeners.models.openai_model import ATTEMPTS, OpenAIModel
from parley.listeners.models.structured_answers import ask_for
from tests.support.servers.fake_openai import FakeOpenAI, Manners
from tests.support.servers.patience import PATIENCE

ROOT: Final = Path(__file__).parents[3]
PROMPT = Prompt(system="You keep a notebook.", user="What is new?", max_tokens=16_000)


@pytest.fixture(autouse=True)
def _tries_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """How long it waits between two tries is the matter of `test_openai_model.py`."""
    monkeypatch.setattr("parley.listeners.models.openai_model.FIRST_PAUSE_SECONDS", 0.0)


class Note(BaseModel):
    """What a model is asked for."""

    text: str


def model_at(fake: FakeOpenAI) -> OpenAIModel:
    return OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE)


def refusal(message: str, status: int = 400, **more: Any) -> tuple[int, dict[str, Any]]:
    return status, {"error": {"message": message, "type": "invalid_request_error", **more}}


class Short(BaseModel):
    """One whose length is bounded."""

    text: str = Field(json_schema_extra={"maxLength": 40})


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


# -- gateways: the wordings of LiteLLM around whatever a provider said ---------------


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (400, "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - "
         "Input tokens exceed the configured limit of 272000 tokens.", ContextOverflow),
        (400, "litellm.BadRequestError: GeminiException - The input token count (2800010) exceeds "
         "the maximum number of tokens allowed (1048575).", ContextOverflow),
        (429, "litellm.RateLimitError: No deployments available for selected model, Try again in "
         "5 seconds. Passed model=small-1.", ModelUnavailable),
        (408, "litellm.Timeout: APITimeoutError - Request timed out.", ModelUnavailable),
        (503, "litellm.ServiceUnavailableError: Loading model", ModelUnavailable),
        (400, "Budget has been exceeded! Current cost: 1.2, Max budget: 1.0", ModelRefused),
        (400, "Invalid model name passed in model=small-1. Call `/v1/models` to view available "
         "models for your key.", ModelRefused),
        (401, "Authentication Error, Invalid proxy server token passed", ModelRefused),
        (404, "The model `small-1` does not exist or you do not have access to it.", ModelRefused),
        (400, "litellm.ContentPolicyViolationError: AzureException - The response was filtered due "
         "to the prompt triggering Azure OpenAI's content management policy.", BadAnswer),
    ],
)  # fmt: skip
async def test_what_a_gateway_passes_on_keeps_its_meaning(
    status: int, message: str, expected: type[ModelError]
) -> None:
    """It gives a code that is the status, and no type."""
    refused = refusal(message, status, type=None, code=str(status))
    with FakeOpenAI(manners=Manners(refuse=lambda _: refused)) as fake:
        model = model_at(fake)
        with pytest.raises(expected, match=f"^HTTP {status}: ") as raised:
            await model.complete(PROMPT)
        await model.aclose()
    assert message[:40] in str(raised.value)
    assert len(fake.requests) == (ATTEMPTS if expected is ModelUnavailable else 1)


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (  # OpenAI
            "Invalid schema for response_format 'Short': In context=('properties', 'text'), "
            "'maxLength' is not permitted.",
            400,
        ),
        ("For 'string' type, property 'maxLength' is not supported", 400),  # Anthropic's gateways
        ("Unsupported keyword in the schema: maxLength", 422),
    ],
)
async def test_lengths_that_a_schema_may_not_bound_are_left_out(message: str, status: int) -> None:
    """It is held to the rest of the schema; from then on at once."""

    def refuse(request: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        schema = request["response_format"]["json_schema"]["schema"]
        return refusal(message, status) if "maxLength" in str(schema) else None

    manners = Manners(refuse=refuse, reply=lambda request: '{"text": "Ann came."}')
    with FakeOpenAI(manners=manners) as fake:
        model = model_at(fake)
        for _ in range(2):
            assert (await ask_for(model, PROMPT, Short))[0] == Short(text="Ann came.")
        await model.aclose()
    formats = [request["response_format"]["type"] for request in fake.requests]
    assert formats == ["json_schema"] * 3


@pytest.mark.parametrize("parameter", ["response_format", "stream_options", "temperature"])
async def test_a_parameter_that_a_gateway_s_provider_lacks_is_left_out(parameter: str) -> None:
    """LiteLLM names it, and suggests to have it dropped on its side."""
    message = (
        f"litellm.UnsupportedParamsError: ollama does not support parameters: ['{parameter}'], for "
        "model=llama3. To drop these, set `litellm.drop_params=True`"
    )

    def refuse(request: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        return refusal(message) if parameter in request else None

    with FakeOpenAI(lambda _: '<json>{"text": "x"}</json>', manners=Manners(refuse=refuse)) as fake:
        model = OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE, stream=True)
        for _ in range(2):
            assert (await ask_for(model, PROMPT, Note))[0].text == "x"
        await model.aclose()
    assert [parameter in request for request in fake.requests][-2:] == [False, False]
    assert len(fake.requests) == 4 if parameter == "response_format" else 3


async def test_a_question_that_a_filter_refuses_is_no_fault_of_the_key() -> None:
    """Azure's own words: the next question is asked, where a bad key would ask for a person."""
    refused = refusal("The response was filtered", type=None, param="prompt", code="content_filter")
    with FakeOpenAI(manners=Manners(refuse=lambda _: refused)) as fake:
        model = model_at(fake)
        with pytest.raises(BadAnswer, match="content_filter"):
            await model.complete(PROMPT)
        await model.aclose()


async def test_room_that_question_and_answer_lack_together_is_found() -> None:
    """Anthropic by gateways: "input + answer > window"."""
    message = "input length and `max_tokens` exceed context limit: 300 + 16000 > 8192, decrease"

    def refuse(request: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        return refusal(message) if request["max_tokens"] > 7892 else None

    with FakeOpenAI(manners=Manners(refuse=refuse)) as fake:
        model = model_at(fake)
        assert (await model.complete(PROMPT)).text
        await model.aclose()
    assert rooms(fake.requests) == [16_000, 7892]


# -- answers in other clothes ------------------------------------------------------


def whole(message: dict[str, Any], finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [choice], **more}  # fmt: skip


def piece(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": choices, **more}  # fmt: skip


async def answer_of(body: object) -> Completion:
    """What is made of `body` with status 200."""
    with FakeOpenAI(manners=Manners(refuse=lambda _: (200, body))) as fake:  # type: ignore[arg-type, return-value]  # any JSON
        model = model_at(fake)
        try:
            return await model.complete(PROMPT)
        finally:
            await model.aclose()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (whole({"content": None, "tool_calls": [{"id": "t", "type": "function", "function":
         {"name": "speak", "arguments": "{}"}}]}, "tool_calls"), "empty answer.*tool_calls"),
        (whole({"content": None, "refusal": "I can't help with that."}), "declined to answer"),
        (whole({"content": "Half of"}, "content_filter"), "content filter withheld"),
        (whole({"content": None, "reasoning_content": "Let me think."}), "empty answer"),
        (whole({"content": "Half of"}, "SAFETY"), "content filter withheld"),
        (whole({"content": "Half of"}, "content_filter: SAFETY"), "content filter withheld"),
        (whole({"content": "Half of"}, "error"), 'not known: "error".*model_finish_whole'),
        (whole({"content": "Half of"}, "abort"), 'not known: "abort"'),
        (None, "no choices in a NoneType"),
        ({"object": "chat.completion", "choices": []}, "no choices"),
    ],
)  # fmt: skip
async def test_an_answer_that_is_none_says_why(body: object, why: str) -> None:
    """Tools that nobody offered, refusals, filters, thoughts alone, a gateway's `null`."""
    with pytest.raises(BadAnswer, match=why):
        await answer_of(body)


@pytest.mark.parametrize(
    "body",
    [
        whole({"content": "Yes.", "reasoning_content": "They want a yes."}),
        whole({"content": "<think>They want a yes.</think>\n\nYes."}),
        whole({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                           {"type": "text", "text": "Yes."}]}),
        whole({"content": "Yes."}, "eos"),
        whole({"content": "Yes."}, "end_turn"),
        whole({"content": "Yes."}, None),
        whole({"content": "Yes.", "annotations": []}, usage=None, provider="someone"),
    ],
)  # fmt: skip
async def test_an_answer_in_other_clothes_is_its_words(body: dict[str, Any]) -> None:
    """Thoughts beside it, before it or in parts of their own; reasons to end of one's own."""
    assert (await answer_of(body)).text == "Yes."


USAGE = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
DONE = "data: [DONE]\n\n"
IDLE = ": PROCESSING\n\n"  # as routers keep a connection open


async def stream_of(*events: dict[str, Any] | str) -> Completion:
    with FakeOpenAI(manners=Manners(events=events)) as fake:
        model = OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE, stream=True)
        try:
            return await model.complete(PROMPT)
        finally:
            await model.aclose()


@pytest.mark.parametrize(
    "reason",
    ["length", "MAX_TOKENS", "max_tokens", "model_length", "max_output_tokens"],
)
async def test_an_answer_that_ran_into_its_limit_is_cut(reason: str) -> None:
    """Whatever the provider calls it, streamed or whole."""
    assert (await answer_of(whole({"content": "Half of"}, reason))).cut
    assert (await stream_of(piece({"content": "Half of"}), piece({}, reason), DONE)).cut


async def test_an_unknown_end_is_tried_once_more_then_refused() -> None:
    """By its name, with the setting that declares such answers whole; what was heard is paid."""
    events = (piece({"content": "Half of"}), piece({}, "weird"), DONE)
    body = whole({"content": "Half of"}, "weird")
    for stream in (False, True):
        manners = Manners(events=events) if stream else Manners(refuse=lambda _: (200, body))
        with FakeOpenAI(manners=manners) as fake:
            model = OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE, stream=stream)
            with pytest.raises(BadAnswer, match=r'"weird".*model_finish_whole') as refused:
                await model.complete(PROMPT)
            await model.aclose()
            assert len(fake.requests) == 2
            assert refused.value.completion is not None
            taken = OpenAIModel("small-1", url=fake.url, stream=stream, finish_whole=["Weird"])
            assert (await taken.complete(PROMPT)).text == "Half of"
            await taken.aclose()


async def test_a_stream_without_a_reason_is_whole_only_at_its_proper_end() -> None:
    """Which is `[DONE]` or the usage; one that just stops was cut off."""
    said = piece({"content": "Yes."})
    assert (await stream_of(said, DONE)).text == "Yes."
    assert (await stream_of(said, {**piece({}), "choices": [], "usage": USAGE})).text == "Yes."
    with pytest.raises(BadAnswer, match="cut off"):
        await stream_of(said)


@pytest.mark.parametrize(
    "events",
    [
        (piece({"role": "assistant", "content": None}), piece({"content": "Yes."}, "stop"), DONE),
        (piece({"reasoning_content": "Hm."}), piece({"content": "Yes."}, "stop"), DONE),
        (piece({"content": "<thi"}), piece({"content": "nk>a</think>Yes."}, "stop"), DONE),
        (IDLE, piece({"content": "Yes."}), IDLE, piece({}, "stop"), DONE),
        ({**piece({}), "choices": [], "filters": []}, piece({"content": "Yes."}, "stop")),
        (piece({"content": "Ye"}, usage=USAGE), piece({"content": "s."}, "stop", usage=USAGE)),
        (piece({"content": "Yes."}), piece({"content": ""}, "stop"), {**piece({}), "choices": [],
         "usage": USAGE}, DONE),
    ],
)  # fmt: skip
async def test_a_stream_in_other_clothes_is_its_words(
    events: tuple[dict[str, Any] | str, ...],
) -> None:
    """A first piece of `null`, thoughts, comments between, no choices, no end, usage anywhere."""
    answer = await stream_of(*events)
    assert answer.text == "Yes."
    assert answer.output_tokens in (0, 2)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"message": "litellm.BadRequestError: This model's maximum context length is 8192 tokens",
          "type": "None", "param": "None", "code": "400"}, ContextOverflow),
        ({"message": "litellm.AuthenticationError", "code": "401"}, ModelRefused),
        ({"message": "Provider returned error", "code": 502}, ModelUnavailable),
    ],
)  # fmt: skip
async def test_an_error_in_a_stream_keeps_its_meaning(
    error: dict[str, Any], expected: type[ModelError]
) -> None:
    """Status 200 was sent before anybody knew; what was said by then is no answer, and paid."""
    with pytest.raises(expected):
        await stream_of({"error": error})
    with pytest.raises(BadAnswer, match="broke off") as broken:
        await stream_of(piece({"content": "Half of"}), {"error": error})
    assert broken.value.completion is not None
    assert broken.value.completion.text == "Half of"


def test_every_habit_in_the_documentation_has_its_test() -> None:
    """At least 25 rows, each with a test that is there; what this file tests is all told."""
    page = (ROOT / "docs" / "models.md").read_text("utf-8")
    section = page.partition("## Habits of servers\n")[2].partition("\n## ")[0]
    rows = re.findall(
        r"^\| (?!the server)(.+?) \| (.+?) \| `(.+?)::(.+?)` \|$", section, re.MULTILINE
    )
    assert len(rows) >= 25
    assert len(rows) == section.count("\n|") - 2  # without head and rule
    for _, _, file, name in rows:
        code = (ROOT / "tests" / "listeners" / file).read_text("utf-8")
        assert re.search(rf"^(?:async )?def {name}\(", code, re.MULTILINE), f"{file}::{name}"
    mine = set(
        re.findall(r"^async def (test_\w+)", Path(__file__).read_text("utf-8"), re.MULTILINE)
    )
    assert mine == {name for _, _, file, name in rows if file == "models/test_odd_servers.py"}
