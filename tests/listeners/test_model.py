"""The port to a model, over real HTTP: what every kind of bad answer becomes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from listeners.model import (
    BadAnswer,
    ContextOverflow,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    Prompt,
    predicament,
    refusal,
)
from listeners.model_openai import OpenAIModel
from tests.fake_openai import FAILURES, Failure, FakeOpenAI

PROMPT = Prompt(system="You summarize discussions concisely.", user="[ada]: hello", max_tokens=50)

BECOMES: dict[Failure, type[ModelError] | None] = {
    "429": ModelUnavailable,
    "quota": ModelRefused,
    "401": ModelRefused,
    "500": ModelUnavailable,
    "html": BadAnswer,
    "null": BadAnswer,
    "empty": BadAnswer,
    "no-choices": BadAnswer,
    "not-json": BadAnswer,
    "unfinished": BadAnswer,
    "cut": ModelUnavailable,
    "overflow": ContextOverflow,
    "overflow-vllm": ContextOverflow,
    "overflow-llamacpp": ContextOverflow,
    "silent": ModelUnavailable,
    "rambling": None,
}


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        yield server


def model_at(fake: FakeOpenAI, *, stream: bool = False, seconds: float = 2.0) -> OpenAIModel:
    return OpenAIModel("small-1", url=fake.url, timeout_seconds=seconds, stream=stream)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_good_answer_comes_back_with_its_model(fake: FakeOpenAI, stream: bool) -> None:
    """Streamed or whole, the text is the same; an empty key is no obstacle to a local server."""
    model = model_at(fake, stream=stream)
    answer = await model.complete(PROMPT)
    await model.aclose()
    assert answer.text == fake.answer(PROMPT.user)
    assert answer.model == "small-1"
    assert not answer.cut


@pytest.mark.parametrize("failure", FAILURES)
async def test_each_failure_becomes_one_predicament(fake: FakeOpenAI, failure: Failure) -> None:
    """Nothing bad comes back as a success, and nothing escapes the error tree."""
    fake.fail(failure)
    model = model_at(fake, seconds=1.5)
    expected = BECOMES[failure]
    if expected is None:
        assert (await model.complete(PROMPT)).text
    else:
        with pytest.raises(expected):
            await model.complete(PROMPT)
    await model.aclose()


async def test_a_cut_stream_is_a_bad_answer(fake: FakeOpenAI) -> None:
    """A stream that ends without a finish reason raises no error in the client: ours does."""
    fake.fail("cut")
    model = model_at(fake, stream=True)
    with pytest.raises(BadAnswer):
        await model.complete(PROMPT)
    await model.aclose()


async def test_html_in_place_of_a_stream_is_a_bad_answer(fake: FakeOpenAI) -> None:
    """A login page with status 200 has no events."""
    fake.fail("html")
    model = model_at(fake, stream=True)
    with pytest.raises(BadAnswer):
        await model.complete(PROMPT)
    await model.aclose()


@pytest.mark.parametrize("failure", ["429", "500"])
async def test_a_blip_is_retried(fake: FakeOpenAI, failure: Failure) -> None:
    """Two refusals in a row are waited out within the one deadline."""
    fake.fail(failure, times=2)
    model = model_at(fake, seconds=5.0)
    assert (await model.complete(PROMPT)).text
    await model.aclose()
    assert fake.calls == 3


@pytest.mark.parametrize("failure", ["quota", "401", "null", "overflow"])
async def test_what_cannot_pass_is_not_retried(fake: FakeOpenAI, failure: Failure) -> None:
    """An exhausted quota costs one call, as does an answer that was generated and is useless."""
    fake.fail(failure)
    model = model_at(fake)
    with pytest.raises(ModelError):
        await model.complete(PROMPT)
    await model.aclose()
    assert fake.calls == 1


async def test_a_silent_endpoint_costs_one_deadline_and_one_generation(fake: FakeOpenAI) -> None:
    """The deadline is ours, and a call that ran into it is not asked again."""
    fake.fail("silent")
    model = model_at(fake, seconds=0.3)
    started = time.monotonic()
    with pytest.raises(ModelUnavailable, match=r"0\.3 s"):
        await model.complete(PROMPT)
    assert time.monotonic() - started < 1.5
    await model.aclose()
    assert fake.calls == 1


async def test_nobody_at_the_address_is_unavailable() -> None:
    """A refused connection is worth another try later."""
    with FakeOpenAI() as fake:
        url = fake.url
    model = OpenAIModel("small-1", url=url, timeout_seconds=2.0)
    with pytest.raises(ModelUnavailable):
        await model.complete(PROMPT)
    await model.aclose()


@pytest.mark.parametrize(
    ("status", "code", "type", "message", "expected"),
    [
        (400, "context_length_exceeded", None, "…", "overflow"),
        (400, "400", None, "This model's maximum context length is 8192 tokens.", "overflow"),
        (400, None, "exceed_context_size_error", "…", "overflow"),
        (400, None, "invalid_request_error", "prompt is too long: 210000 tokens", "overflow"),
        (413, None, None, "please reduce the length of the messages", "overflow"),
        (422, None, None, "inputs: input is too long", "overflow"),
        (500, None, "exceed_context_size_error", "…", "overflow"),
        (429, None, None, "maximum context length is not the matter here", "unavailable"),
        (429, "rate_limit_exceeded", "tokens", "Rate limit reached", "unavailable"),
        (429, "insufficient_quota", "insufficient_quota", "…", "refused"),
        (429, None, None, "You exceeded your current quota", "refused"),
        (402, None, None, "billing", "refused"),
        (401, "invalid_api_key", None, "…", "refused"),
        (403, None, None, "…", "refused"),
        (404, "model_not_found", None, "…", "refused"),
        (400, "unsupported_parameter", None, "…", "refused"),
        (408, None, None, "…", "unavailable"),
        (500, None, "server_error", "…", "unavailable"),
        (502, None, None, "<html>Bad gateway</html>", "unavailable"),
        (503, None, None, "overloaded", "unavailable"),
        (529, None, "overloaded_error", "Overloaded", "unavailable"),
    ],
)
def test_the_table_reads_every_provider(
    status: int, code: str | None, type: str | None, message: str, expected: str
) -> None:
    """One predicate, one row for each dialect."""
    assert predicament(status, code, type, message) == expected


def test_a_wish_to_wait_is_kept() -> None:
    """Retry-After in seconds is passed on; its date form is read as absent."""
    told = refusal(429, None, None, "slow down", {"retry-after": "7"})
    dated = refusal(429, None, None, "slow down", {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"})
    assert isinstance(told, ModelUnavailable)
    assert told.retry_after == 7.0
    assert isinstance(dated, ModelUnavailable)
    assert dated.retry_after is None


def test_the_provider_is_imported_only_when_asked() -> None:
    """Importing the adapter and building a model loads no `openai`."""
    code = (
        "import sys; from listeners.model_openai import OpenAIModel; OpenAIModel('m');"
        "sys.exit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
