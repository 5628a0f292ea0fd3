"""The port to a model, over real HTTP: what every kind of bad answer becomes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from contextlib import aclosing
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Literal

import pytest
from pydantic import BaseModel

from parley.listeners.models.model_port import (
    BadAnswer,
    Completion,
    ContextOverflow,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    Prompt,
    TooSlow,
    error_kind,
    error_of,
)
from parley.listeners.models.openai_answers import Usage
from parley.listeners.models.openai_dialect import Dialect, Refusal, is_permanent, simplify
from parley.listeners.models.openai_model import OpenAIModel, forbid_models
from parley.listeners.models.structured_answers import ask_for, schema_of
from parley.memory.text.text_sizes import count_tokens
from tests.support.servers.fake_openai import (
    FAILURES,
    Failure,
    FakeOpenAI,
    Manners,
    Parameter,
    realistic,
)
from tests.support.servers.patience import PATIENCE, wait_until

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
    "unfinished": None,  # whole, though without a reason
    "cut": ModelUnavailable,
    "overflow": ContextOverflow,
    "overflow-vllm": ContextOverflow,
    "overflow-llamacpp": ContextOverflow,
    "silent": ModelUnavailable,
    "rambling": None,
}


def model_at(fake: FakeOpenAI, *, stream: bool = False, seconds: float = PATIENCE) -> OpenAIModel:
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
    model = model_at(fake, seconds=0.5 if failure == "silent" else PATIENCE)
    expected = BECOMES[failure]
    if expected is None:
        assert (await model.complete(PROMPT)).text
    else:
        with pytest.raises(expected):
            await model.complete(PROMPT)
    await model.aclose()


@pytest.mark.parametrize("stream", [False, True])
async def test_half_a_character_is_mended(fake: FakeOpenAI, stream: bool) -> None:
    """An endpoint may send any string that JSON has; no log can hold half a character."""
    fake.answer = lambda _: "Tea \ud83d\ude00 or \ud83d"
    model = model_at(fake, stream=stream)
    answer = await model.complete(PROMPT)
    await model.aclose()
    assert answer.text == "Tea \U0001f600 or \ufffd"


@pytest.mark.parametrize("number", [10**30, -5, "many", None])
def test_a_count_that_no_call_comes_to_is_not_believed(number: object) -> None:
    """It would be spent, or could not be written: the call is counted as if nothing was said."""
    assert Usage.of(SimpleNamespace(prompt_tokens=number, completion_tokens=number)) == Usage()


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
    model = model_at(fake)
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
    model = model_at(fake, seconds=2)
    with pytest.raises(ModelUnavailable, match=r"2 s"):  # it would be silent for ever
        await model.complete(PROMPT)
    await model.aclose()
    assert fake.calls == 1


@pytest.mark.parametrize("url", ["http://[::1/v1", "http://a:port/v1", "http://\x00/"])
async def test_an_address_that_is_none_is_refused(url: str) -> None:
    """It is the setting that has to be mended."""
    with pytest.raises(ModelRefused, match="no address"):
        await OpenAIModel("m", url=url).complete(PROMPT)


async def test_nobody_at_the_address_is_unavailable() -> None:
    """A refused connection is worth another try later."""
    with FakeOpenAI() as fake:
        url = fake.url
    model = OpenAIModel("small-1", url=url, timeout_seconds=PATIENCE)
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
    assert error_kind(status, code, type, message) == expected


def test_a_wish_to_wait_is_kept() -> None:
    """Retry-After in seconds is passed on; its date form is read as absent."""
    error = error_of(429, None, None, "slow down", {"retry-after": "7"})
    dated = error_of(429, None, None, "slow down", {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"})
    assert isinstance(error, ModelUnavailable)
    assert error.retry_after == 7.0
    assert isinstance(dated, ModelUnavailable)
    assert dated.retry_after is None


# -- streams -------------------------------------------------------------------


async def heard(model: OpenAIModel, prompt: Prompt = PROMPT) -> tuple[str, Completion]:
    """The pieces of a stream put together, and what it ended with."""
    pieces: list[str] = []
    async with aclosing(model.stream(prompt)) as stream:
        async for piece in stream:
            if isinstance(piece, Completion):
                return "".join(pieces), piece
            pieces.append(piece)
    raise AssertionError("a stream without an end")


async def test_a_stream_ends_with_the_whole_answer_and_its_usage(fake: FakeOpenAI) -> None:
    """Usage is asked for; what the provider had cached is told with it."""
    model = model_at(fake)
    prompt = replace(PROMPT, system="You talk. " * 200)
    await heard(model, prompt)
    answers, completion = await heard(model, prompt)
    await model.aclose()
    assert answers == completion.text == fake.answer(prompt.user)
    assert completion.output_tokens == count_tokens(answers)
    assert completion.input_tokens == fake.served[1].prompt_tokens
    assert completion.cached_tokens == fake.served[1].cached_tokens
    assert completion.cached_tokens % 128 == 0
    assert completion.input_tokens - 128 < completion.cached_tokens <= completion.input_tokens


async def test_leaving_a_stream_ends_the_generation() -> None:
    """The connection is closed at once: the endpoint hears of it while it still speaks."""
    manners = Manners(tokens_per_second=50)
    with FakeOpenAI(lambda user: "on and on " * 1_000, manners=manners) as fake:
        model = model_at(fake)
        began = time.monotonic()
        async with aclosing(model.stream(PROMPT)) as stream:
            assert await anext(stream) == "on "
        assert time.monotonic() - began < 30  # all of it takes sixty
        await wait_until(lambda: fake.left == 1)
        await model.aclose()


async def test_a_cancelled_listener_ends_the_generation() -> None:
    """Cancelling whoever listens is leaving the stream."""
    with FakeOpenAI(lambda user: "on " * 3_000, manners=Manners(tokens_per_second=50)) as fake:
        model = model_at(fake)
        listening = asyncio.create_task(heard(model))
        await wait_until(lambda: fake.calls == 1)
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
        await wait_until(lambda: fake.left == 1)
        await model.aclose()


async def test_a_stream_has_one_deadline_too() -> None:
    """Pieces that keep coming do not put it off."""
    with FakeOpenAI(lambda user: "on " * 3_000, manners=Manners(tokens_per_second=50)) as fake:
        model = model_at(fake, seconds=0.5)
        began = time.monotonic()
        with pytest.raises(TooSlow, match=r"0\.5 s"):
            await heard(model)
        assert 0.4 < time.monotonic() - began < 30  # all of it takes sixty
        await model.aclose()


async def test_what_was_heard_of_a_cut_stream_is_told(fake: FakeOpenAI) -> None:
    """It is no answer, and was paid for."""
    fake.fail("cut")
    model = model_at(fake)
    with pytest.raises(BadAnswer) as refused:
        await heard(model)
    await model.aclose()
    assert refused.value.completion is not None
    assert fake.answer(PROMPT.user).startswith(refused.value.completion.text)
    assert fake.calls == 1


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_stream_fails_as_a_whole_answer_does(fake: FakeOpenAI, failure: Failure) -> None:
    """The same predicaments, but of an answer that breaks off: its beginning was heard."""
    fake.fail(failure)
    model = model_at(fake, seconds=0.5 if failure == "silent" else PATIENCE)
    expected = BadAnswer if failure in ("cut", "unfinished") else BECOMES[failure]
    if expected is None:
        assert (await heard(model))[0]
    else:
        with pytest.raises(expected):
            await heard(model)
    await model.aclose()


async def test_a_blip_before_the_first_piece_is_retried(fake: FakeOpenAI) -> None:
    """Nobody has heard anything yet."""
    fake.fail("500", times=2)
    model = model_at(fake)
    assert (await heard(model))[0]
    await model.aclose()
    assert fake.calls == 3


async def test_a_wish_to_wait_beyond_the_deadline_is_handed_on(fake: FakeOpenAI) -> None:
    """At once, with the wish: waiting for less would be in vain."""
    fake.fail("429")
    fake.retry_after = 60
    model = model_at(fake, seconds=50)
    began = time.monotonic()
    with pytest.raises(ModelUnavailable) as refused:
        await model.complete(PROMPT)
    await model.aclose()
    assert refused.value.retry_after == 60
    assert fake.calls == 1
    assert time.monotonic() - began < 40  # the deadline is fifty


# -- which model, in which shape -------------------------------------------------


async def test_a_prompt_chooses_its_model(fake: FakeOpenAI) -> None:
    """By tier, or by name."""
    model = OpenAIModel("small-1", large="large-1", url=fake.url, timeout_seconds=PATIENCE)
    for prompt in (PROMPT, replace(PROMPT, tier="large"), replace(PROMPT, model="other-1")):
        await model.complete(prompt)
    await model.aclose()
    assert [request["model"] for request in fake.requests] == ["small-1", "large-1", "other-1"]


class Verdict(BaseModel):
    act: Literal["pass", "bid"]
    urgency: int


RUNGS: dict[tuple[Parameter, ...], list[str | None]] = {
    (): ["json_schema"],
    ("json_schema",): ["json_schema", "json_object"],
    ("json_schema", "json_object"): ["json_schema", "json_object", None],
}


@pytest.mark.parametrize("refuses", RUNGS)
async def test_a_shape_is_asked_for_as_the_endpoint_understands(
    refuses: tuple[Parameter, ...],
) -> None:
    """Step by step down, and from then on at once."""
    manners = realistic(
        refuses=frozenset(refuses), first_token_seconds=0, tokens_per_second=None, faults=0
    )
    with FakeOpenAI(manners=manners) as fake:
        model = model_at(fake)
        for turn in range(2):
            value, _ = await ask_for(model, replace(PROMPT, user=f"Turn {turn}?"), Verdict)
            assert value.act in ("pass", "bid")
        await model.aclose()
    formats = [request.get("response_format", {}).get("type") for request in fake.requests]
    assert formats == [*RUNGS[refuses], RUNGS[refuses][-1]]


class Odd(BaseModel):
    """The endpoint of the test does not like it."""

    way: str


async def test_a_schema_that_is_refused_costs_the_others_nothing() -> None:
    """It is asked for in words, and the next shape by its schema again."""
    manners = realistic(
        refuses=frozenset({"odd_schema"}), first_token_seconds=0, tokens_per_second=None, faults=0
    )
    with FakeOpenAI(manners=manners) as fake:
        model = model_at(fake)
        assert (await ask_for(model, PROMPT, Odd))[0].way
        await ask_for(model, PROMPT, Verdict)
        await model.aclose()
    formats = [request["response_format"]["type"] for request in fake.requests]
    assert formats == ["json_schema", "json_object", "json_schema"]


async def test_a_question_may_want_a_higher_temperature() -> None:
    """A lower one is the model's own."""
    with FakeOpenAI() as fake:
        model = model_at(fake)
        for least in (0.0, 0.8):
            await model.complete(replace(PROMPT, least_temperature=least))
        await model.aclose()
    assert [request["temperature"] for request in fake.requests] == [0.1, 0.8]


@pytest.mark.parametrize("refuses", ["stream_options", "temperature", "max_tokens"])
async def test_what_an_endpoint_does_not_know_is_left_out(refuses: Parameter) -> None:
    """Or called as it calls it; remembered for each model."""
    with FakeOpenAI(manners=Manners(refuses=frozenset({refuses}))) as fake:
        model = model_at(fake)
        answers = [await heard(model), await heard(model)]
        await heard(model, replace(PROMPT, model="other-1"))
        await model.aclose()
    assert answers[0] == answers[1]
    assert len(fake.requests) == 2 + 1 + 2
    assert refuses not in fake.requests[2]
    assert ("max_completion_tokens" in fake.requests[2]) == (refuses == "max_tokens")
    assert bool(answers[0][1].input_tokens) == (refuses != "stream_options")


JSON = "Invalid parameter: 'response_format' of type 'json_schema' is not supported"
FIRST, LAST = Dialect(), Dialect("tagged", usage=False, temperature=False)
SHAPED = replace(PROMPT, shape=schema_of(Verdict))


@pytest.mark.parametrize(
    ("refused", "rung"),
    [
        (Refusal(400, JSON, param="response_format"), "json_object"),
        (Refusal(400, "This model does not support response format `json_schema`."), "json_object"),
        (Refusal(400, "This response_format type is unavailable now"), "json_object"),
        (Refusal(400, "json_schema is enabled only for api versions 2024-08-01"), "json_object"),
        (Refusal(422, "[{'loc': ['body', 'response_format', 'type']}]"), "json_object"),
        (Refusal(400, "Failed to compile guided_json"), "json_object"),
        (Refusal(404, "No endpoints found that support the requested parameters"), "json_object"),
        (Refusal(501, "structured output is not implemented"), "json_object"),
        (Refusal(500, "JSON schema conversion failed: unrecognized schema"), "json_object"),
        (Refusal(400, "Failed to generate JSON", "json_validate_failed"), "json_object"),
        (Refusal(500, "The server had an error"), None),
        (Refusal(400, "Invalid value for 'messages'"), None),
        (Refusal(401, "no key for response_format"), None),
        (Refusal(429, "response_format: too many requests"), None),
        (Refusal(400, "grammar and prompt exceed the maximum context length"), None),
    ],
)
def test_the_table_reads_every_refusal_of_a_shape(refused: Refusal, rung: str | None) -> None:
    """One row for each dialect; what is not about the shape steps nowhere."""
    dialect = simplify(FIRST, refused, SHAPED, stream=False)
    assert (dialect and dialect.rung) == rung
    assert simplify(FIRST, refused, PROMPT, stream=False) is None
    assert simplify(LAST, refused, SHAPED, stream=False) is None


@pytest.mark.parametrize(
    ("refused", "lasting"),
    [
        (Refusal(400, JSON), True),
        (Refusal(400, "Invalid schema for response_format 'Verdict': …"), False),
        (Refusal(400, "Failed to generate JSON", "json_validate_failed"), False),
    ],
)
def test_the_fault_of_one_schema_is_not_the_model_s(refused: Refusal, lasting: bool) -> None:
    """It is asked otherwise once, and the next one in the best way again."""
    assert is_permanent(refused) is lasting


async def test_models_can_be_forbidden(fake: FakeOpenAI) -> None:
    """For what must cost no call; afterwards they answer again."""
    model = model_at(fake)
    with forbid_models(), pytest.raises(ModelRefused, match="no model may be asked"):
        await model.complete(PROMPT)
    assert fake.calls == 0
    assert (await model.complete(PROMPT)).text
    await model.aclose()


# -- the endpoint of tests -------------------------------------------------------


async def test_a_realistic_endpoint_repeats_itself() -> None:
    """Lengths, faults and answers are drawn from a seed and the request."""
    runs = []
    for _ in range(2):
        manners = realistic(first_token_seconds=0, tokens_per_second=None, faults=300)
        with FakeOpenAI(manners=manners) as fake:
            model = model_at(fake)
            answers = []
            for turn in range(20):
                prompt = Prompt("You talk.", f"Turn {turn}.", 400)
                try:
                    answers.append((await heard(model, prompt))[0])
                except BadAnswer:
                    answers.append("cut")
            await model.aclose()
        faults = [request.failure for request in fake.served]
        runs.append((answers, faults))
    assert runs[0] == runs[1]
    answers, faults = runs[0]
    whole = [count_tokens(text) for text in answers if text != "cut"]
    assert 80 <= min(whole) < max(whole) <= 300
    assert {"429", "500", "cut", None} == set(faults)


def test_the_provider_is_imported_only_when_asked() -> None:
    """Importing the adapter and building a model loads no `openai`."""
    code = (
        "import sys; from parley.listeners.models.openai_model import OpenAIModel;"
        "OpenAIModel('m');"
        "sys.exit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_refusal_says_its_status_once() -> None:
    """A gateway repeats it as a code, the client in words."""
    error = error_of(401, "401", None, "Error code: 401 - {'error': 'no such key'}")
    assert str(error) == "HTTP 401: {'error': 'no such key'}"
    named = error_of(401, "invalid_api_key", None, "Incorrect API key provided")
    assert str(named) == "HTTP 401 invalid_api_key: Incorrect API key provided"


async def test_an_address_without_its_path_is_told_what_may_be_missing() -> None:
    """A server that answers nothing there says 404, and no more."""

    class Nothing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Nothing)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        for path, hinted in (("", True), ("/v1", False)):
            model = OpenAIModel("small-1", url=f"http://127.0.0.1:{server.server_port}{path}")
            with pytest.raises(ModelRefused) as refused:
                await model.complete(PROMPT)
            await model.aclose()
            assert ("most servers are asked below /v1" in str(refused.value)) == hinted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
