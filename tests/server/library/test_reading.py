"""A model of the program's own reads the talk: `Memory(reader=…)` and `Session.open(reader=…)`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI, OpenAI
from structlog.testing import capture_logs

from parley import Bus, Memory, OpenAIModel, SessionOpened
from parley import Session as Sessions
from parley.bus.entries import ItemsExtracted
from parley.listeners.effects.callable_model import CallableModel, as_model
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.talk_reader import ReadingReport, TalkReader
from parley.listeners.models.model_port import BadAnswer, ModelUnavailable, Prompt
from parley.memory.errors import SettingsRefused
from parley.memory.fold.canonical_bytes import dump
from tests.support.logs.model_answers import GOOD, SAID, answer_text, made
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.patience import wait_until

PARTS = {"extract": {"interval": 4, "overlap": 2}}


def asks_of_first(prompt: str) -> bool:
    """True for the question about the stretch of the first message."""
    return "[1] ana" in prompt.split("Messages to read:")[-1]


class Reader:
    """Answers each prompt with the rows of the first stretch, then with none."""

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self.failing: Exception | None = None

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if self.failing is not None:
            raise self.failing
        return (
            answer_text(*GOOD)
            if "[1] ana" in prompt.split("Messages to read:")[-1]
            else '{"rows": []}'
        )


def heard(memory: Memory, count: int = len(SAID)) -> Memory:
    for who, text in SAID[:count]:
        memory.say(who, text)
    return memory


def read(memory: Memory) -> ReadingReport:
    return asyncio.run(memory.read())


def readings(memory: Memory) -> list[ItemsExtracted]:
    """The entries of what was read, oldest first."""
    entries: list[Any] = [record.entry for record in memory._log.read(count=100)]
    return [entry for entry in entries if entry.kind == "items.extracted"]


def hurried(memory: Memory, ask: Callable[[str], Any]) -> Memory:
    """With pauses between tries that a test can wait for."""
    memory._reader = TalkReader(as_model(ask), EffectPace(first_pause_seconds=0.01))
    return memory


async def test_what_it_reads_is_what_a_worker_would_read() -> None:
    """The same entry of the same stretch, by the same question."""
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return answer_text(*GOOD)

    memory = heard(Memory(reader=answer, settings=PARTS), 4)
    await memory.read()
    expected = await made(CallableModel(answer))
    first = readings(memory)[0]
    assert first.claims == expected.claims
    assert (first.first, first.last, first.calls) == (1, 4, 1)
    assert asked[0] == asked[1]


def test_no_message_waits_for_a_model_and_read_gives_what_it_came_to() -> None:
    reader = Reader()
    memory = heard(Memory(reader=reader, settings=PARTS))
    assert not reader.prompts
    assert not memory.decisions
    report = read(memory)
    assert len(reader.prompts) == report.calls == report.stretches == 2
    assert report.claims == len(memory.state.claims.kept) == len(GOOD)
    assert report.input_tokens > 1000
    assert (report.output_tokens > 0, report.unread) == (True, [])
    assert "second index" in memory.proposals[0]["text"]
    assert memory.decisions
    assert read(memory) == ReadingReport()  # nothing is new
    memory.say("dee", "And the third?")
    assert read(memory).stretches == 1


def test_a_coroutine_function_reads_in_the_loop_of_the_program() -> None:
    threads: list[int] = []

    async def ask(prompt: str) -> str:
        threads.append(threading.get_ident())
        return answer_text(*GOOD)

    memory = heard(Memory(reader=ask, settings=PARTS), 4)
    assert read(memory).claims == len(GOOD)
    assert threads == [threading.get_ident()]


def test_two_that_read_at_once_ask_once() -> None:
    reader = Reader()
    memory = heard(hurried(Memory(settings=PARTS, reader=reader), reader))

    async def both() -> list[ReadingReport]:
        return list(await asyncio.gather(memory.read(), memory.read()))

    first, second = asyncio.run(both())
    assert first.stretches == len(reader.prompts) > 0
    assert (second.stretches, second.claims, second.calls) == (0, 0, 0)


def test_the_rows_of_a_garbled_answer_are_counted() -> None:
    report = read(heard(Memory(settings=PARTS, reader=lambda prompt: "garbage")))
    assert report.claims == 0
    assert report.refused >= report.stretches > 0


def test_a_saved_memory_has_what_was_read_and_asks_nobody(tmp_path: Path) -> None:
    """The fold stays pure: the entry is in the file, and the same bytes come of it."""
    memory = heard(Memory(reader=Reader(), settings=PARTS))
    read(memory)
    memory.save(tmp_path / "talk.json")
    again = Memory.load(tmp_path / "talk.json")
    assert dump(again.state) == dump(memory.state)
    assert again.decisions == memory.decisions
    with pytest.raises(ValueError, match="no reader"):
        read(again)
    reader = Reader()
    more = Memory.load(tmp_path / "talk.json", reader=reader)
    more.say("bo", "One more thing.")
    assert (read(more).stretches, len(reader.prompts)) == (1, 1)


def test_after_the_end_the_rest_is_read() -> None:
    memory = heard(Memory(reader=Reader(), settings=PARTS), 3)
    memory.close()
    assert read(memory).stretches == 1
    assert memory.proposals


def test_a_model_that_fails_costs_no_message_and_is_asked_again() -> None:
    """It is tried three times, its failures are logged as a worker logs them; later it reads."""
    reader = Reader()
    reader.failing = OSError("no route to the model")
    memory = hurried(heard(Memory(reader=reader, settings=PARTS)), reader)
    with capture_logs() as logged:
        report = read(memory)
    assert [(part.first, part.last) for part in report.unread] == [(1, 4), (5, 6)]
    assert report.unread[0].why == "OSError: no route to the model"
    failed = [line for line in logged if line["event"] == "model_failed"]
    assert [line["kind"] for line in failed] == ["ModelUnavailable"] * 3
    assert memory.state.messages == len(SAID)
    reader.failing = None
    assert read(memory).stretches == 2
    assert memory.decisions


def test_a_stretch_that_a_model_never_answers_is_given_up() -> None:
    """The next stretch is read, and the log says why the first one was not."""

    def ask(prompt: str) -> str:
        if asks_of_first(prompt):
            raise ValueError("I do not read this")
        return answer_text()

    memory = hurried(heard(Memory(reader=ask, settings=PARTS)), ask)
    report = read(memory)
    assert (report.stretches, [part[:2] for part in report.unread]) == (1, [(1, 4)])
    assert "I do not read this" in report.unread[0].why
    assert not memory.state.claims.owed


def test_its_calls_come_out_of_the_budget() -> None:
    """One call is all that may be made: the second stretch is left, with the reason."""
    settings = {**PARTS, "budget": {"calls": 1}}
    memory = heard(Memory(reader=Reader(), settings=settings))
    report = read(memory)
    assert (report.calls, [part[:2] for part in report.unread]) == (1, [(5, 6)])
    assert "no room" in report.unread[0].why
    kinds = [record.entry.kind for record in memory._log.read(count=100)]
    assert kinds.count("spend.settled") == 1


def test_an_endpoint_reads_by_its_address_or_by_a_client_of_ones_own() -> None:
    """Over HTTP; the client stays open, and is asked as it is."""

    async def read_both(fake: FakeOpenAI) -> list[int]:
        counts = []
        async with AsyncOpenAI(base_url=fake.url, api_key="mine") as client:
            for model in (OpenAIModel("small", url=fake.url), OpenAIModel("small", client=client)):
                memory = heard(Memory(reader=model, settings=PARTS), 4)
                counts.append((await memory.read()).claims)
                await model.aclose()
            assert not client.is_closed()
        return counts

    with FakeOpenAI(answer=lambda _: answer_text(*GOOD)) as fake:
        assert asyncio.run(read_both(fake)) == [len(GOOD)] * 2
        assert fake.requests[0] == fake.requests[1]


async def test_an_endpoint_that_fails_is_named() -> None:
    with FakeOpenAI() as fake:
        fake.fail("401")
        model: Any = OpenAIModel("small", url=fake.url)
        memory = hurried(heard(Memory(reader=model, settings=PARTS), 4), model)
        (part,) = (await memory.read()).unread
        await model.aclose()
    assert "Incorrect API key" in part.why


@pytest.mark.parametrize(("given", "says"), [
    (AsyncOpenAI(api_key="mine"), "OpenAIModel"), ("gpt", "str is no model"),
    (7, "int is no model"),
])  # fmt: skip
def test_what_is_no_model_is_refused_with_what_would_be(given: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        Memory(reader=given)


async def test_a_client_that_blocks_is_refused() -> None:
    model: Any = OpenAIModel("small", client=OpenAI(api_key="mine"))  # type: ignore[arg-type]  # on purpose
    memory = hurried(heard(Memory(reader=model, settings=PARTS), 4), model)
    (part,) = (await memory.read()).unread
    assert "AsyncOpenAI" in part.why


async def test_what_a_function_gives_has_to_be_text() -> None:
    prompt = Prompt("", "Well?", 10)
    with pytest.raises(BadAnswer, match="gave int, not text"):
        await CallableModel(lambda _: 7).complete(prompt)  # type: ignore[arg-type, return-value]  # on purpose
    with pytest.raises(BadAnswer, match="empty"):
        await CallableModel(lambda _: " ").complete(prompt)
    with pytest.raises(ModelUnavailable, match="later"):
        await CallableModel(later).complete(prompt)
    with pytest.raises(ModelUnavailable) as caught:
        await CallableModel(lambda _: {}["x" * 9_000]).complete(prompt)  # type: ignore[index]  # on purpose
    assert len(str(caught.value)) <= 300


def later(_: str) -> str:
    raise ModelUnavailable("later")


def test_a_talk_that_no_model_is_to_read_is_refused() -> None:
    memory = heard(Memory(reader=Reader(), settings={"extract": {"how": "none"}}), 1)
    with pytest.raises(SettingsRefused, match=r"extract\.how"):
        read(memory)


# -- a session -----------------------------------------------------------------------


class Gate:
    """A model that answers once it is let."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.prompts: list[str] = []

    async def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        await self.open.wait()
        return answer_text(*(GOOD if asks_of_first(prompt) else ()))


async def test_a_session_is_read_beside_the_talk(redis_url: str) -> None:
    """Every `extract.interval` messages, in a task: whoever speaks waits for no model."""
    gate = Gate()
    async with Sessions.open("read", redis_url, settings=PARTS, reader=gate) as talk:
        for who, text in SAID:
            await talk.say(who, text)
        await wait_until(lambda: len(gate.prompts) == 1)
        assert not await talk.decisions()
        gate.open.set()
        await wait_until(talk.decisions)
        assert len(gate.prompts) == 1  # the end of the talk is not closed yet
        assert (await talk.read()).stretches == 1
        assert "[6] bo" in gate.prompts[1]
        memory = Memory.from_json(await talk.to_json())
        assert memory.decisions == await talk.decisions()


async def test_a_session_that_is_closed_is_read_to_its_end_first(redis_url: str) -> None:
    reader = Reader()
    async with Sessions.open("end", redis_url, settings=PARTS, reader=reader) as talk:
        for who, text in SAID[:3]:
            await talk.say(who, text)
        await talk.close()
        assert len(reader.prompts) == 1
        assert await talk.proposals()


async def test_whoever_leaves_waits_for_what_is_in_hand(redis_url: str) -> None:
    gate = Gate()
    async with Sessions.open("left", redis_url, settings=PARTS, reader=gate) as talk:
        for who, text in SAID:
            await talk.say(who, text)
        await wait_until(lambda: len(gate.prompts) == 1)
        gate.open.set()
    async with Sessions.open("left", redis_url) as talk:
        assert await talk.decisions()
        with pytest.raises(ValueError, match="no reader"):
            await talk.read()


async def test_a_session_reads_in_spite_of_a_model_that_fails(redis_url: str) -> None:
    """Every message is there, each failure is logged, and `read` says what was left and why."""
    reader = Reader()
    reader.failing = OSError("away")
    with capture_logs() as logged:
        async with Sessions.open("ill", redis_url, settings=PARTS, reader=reader) as talk:
            for who, text in SAID:
                await talk.say(who, text)
            await wait_until(lambda: bool(reader.prompts))
            assert (await talk.stats())["messages"] == len(SAID)
    assert any(line["event"] == "model_failed" for line in logged)


async def test_a_session_that_was_opened_for_no_model_says_so(redis_url: str) -> None:
    async with await Bus.connect(redis_url) as bus:
        await bus.open("plain", SessionOpened())
        async with Sessions.open("plain", bus, reader=Reader()) as talk:
            await talk.say("ana", "Hm.")
            with pytest.raises(SettingsRefused, match=r"extract\.how"):
                await talk.read()
