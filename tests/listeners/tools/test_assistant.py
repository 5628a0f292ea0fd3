"""An assistant's verbs on a real Redis: prepare, finalize, tools, what is on the screen."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Message, Record
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.sessions.session_client import SessionClient
from parley.listeners.tools.assistant import Assistant, PrefetchedResult
from parley.memory.errors import ContextOverflow
from parley.memory.exchanges.exchanges import list_kept_exchanges
from tests.support.logs.logs import PACKS
from tests.support.sessions.sessions import whole

SCREEN = "An order form: article, amount."
ARTICLE = PrefetchedResult("article", {"id": 7}, "A blue bicycle.", ttl=2)


@pytest.fixture
async def assistant(bus: Bus) -> Assistant:
    client = SessionClient(bus, PACKS, "desk", "assistant").assistant
    await client.open()
    return client


async def test_an_exchange_is_prepared_and_finalized(bus: Bus, assistant: Assistant) -> None:
    """What was asked and answered is in what is prepared for the next question."""
    first = await assistant.prepare_messages("How warm is it?")
    assert [row["role"] for row in first] == ["system", "user"]
    assert await assistant.finalize("How warm is it?", "21 degrees.") == 1
    then = await assistant.prepare_messages("And tomorrow?")
    assert [(row["role"], row["content"]) for row in then[1:]] == [
        ("user", "How warm is it?"),
        ("assistant", "21 degrees."),
        ("user", "And tomorrow?"),
    ]
    with pytest.raises(ContextOverflow):
        await assistant.prepare_messages("And tomorrow?", budget=10)


async def test_what_was_asked_in_the_log_is_not_said_twice(bus: Bus, assistant: Assistant) -> None:
    """A question that came through another door is prepared, answered and closed."""
    await bus.publish("desk", [Draft("q", Message(participant="user", content="How warm is it?"))])
    assert (await assistant.prepare_messages())[-1]["content"] == "How warm is it?"
    assert await assistant.finalize("How warm is it?", "21 degrees.") == 1
    messages = [
        cast("Message", record.entry) for record in await whole(bus, "desk") if is_message(record)
    ]
    assert [record.content for record in messages] == ["How warm is it?", "21 degrees."]


def is_message(record: Record) -> bool:
    return record.entry.kind == "message"


async def test_an_exchange_that_is_finalized_again_is_one(bus: Bus, assistant: Assistant) -> None:
    """Under an id of its own, however often it is sent, whoever published the question."""
    await bus.publish("desk", [Draft("q", Message(participant="user", content="Is it?"))])
    for _ in range(2):
        assert await assistant.finalize("Is it?", "It is.", id="a1") == 1
    for _ in range(2):
        assert await assistant.finalize("Is it so?", "It is so.", id="a2") == 2


async def test_a_user_of_another_name_needs_no_setting(bus: Bus) -> None:
    """In a session whose settings know no users the exchange is opened by hand."""
    assistant = SessionClient(bus, PACKS, "desk", "assistant").assistant_for("ana")
    await assistant.open(exchange={"users": []})
    await assistant.open()  # it is there already
    assert await assistant.finalize("Is it?", "It is.") == 1
    memory = await MemoryReader(bus, PACKS).current("desk")
    assert memory.settings.exchange.users == ()
    assert [exchange.talk.asker for exchange in list_kept_exchanges(memory) if exchange.talk] == [
        "ana"
    ]


async def test_a_tool_s_result_is_found_and_shown_for_its_exchanges(assistant: Assistant) -> None:
    """As a call and its result, under the id that it was called by."""
    await assistant.add_tool_result("weather", {"city": "Oslo"}, "rain", ttl=1)
    kept = await assistant.lookup_tool("weather", {"city": "Oslo"})
    assert kept is not None
    assert kept.result == "rain"
    asked, answered = (await assistant.prepare_messages("Well?"))[1:3]
    assert asked["tool_calls"][0]["id"] == answered["tool_call_id"] == kept.call_id
    for number in range(3):
        await assistant.finalize(f"Question {number}?", "Yes.")
    assert await assistant.lookup_tool("weather", {"city": "Oslo"}) is None


async def test_a_screen_is_injected_once(assistant: Assistant) -> None:
    """With what was fetched for it, which is kept; a second call gives nothing."""
    messages = await assistant.inject_screen_context("screen", SCREEN, [ARTICLE])
    assert [row["role"] for row in messages] == ["assistant", "assistant", "tool"]
    assert messages[0]["content"].endswith(f"| {SCREEN}")
    assert messages[2]["content"] == "A blue bicycle."
    assert await assistant.inject_screen_context("screen", SCREEN, [ARTICLE]) == []
    kept = await assistant.lookup_tool("article", {"id": 7})
    assert kept is not None
    assert kept.call_id == messages[2]["tool_call_id"]
    prepared = await assistant.prepare_messages("What is it?")
    assert [row for row in prepared if row in messages] == messages


async def test_another_screen_is_injected_again(bus: Bus, assistant: Assistant) -> None:
    """When the content changed, for another participant, and when it left the window."""
    assert await assistant.inject_screen_context("screen", SCREEN)
    assert await assistant.inject_screen_context("screen", "The bill.")
    assert await assistant.inject_screen_context("screen", SCREEN)
    assert await SessionClient(bus, PACKS, "desk", "another").assistant.inject_screen_context(
        "screen", SCREEN
    )
    for number in range(11):
        assert await assistant.inject_screen_context("screen", SCREEN) == []
        await assistant.finalize(f"Question {number}?", "Yes.")
    assert await assistant.inject_screen_context("screen", SCREEN)


async def test_of_two_injections_at_once_one_takes_place(bus: Bus, assistant: Assistant) -> None:
    """Even where what they fetched differs; each from a reader of its own."""
    rivals = [
        SessionClient(bus, PACKS, "desk", "assistant").assistant.inject_screen_context(
            "screen", SCREEN, [PrefetchedResult("article", {"id": 7}, f"bicycle {k}")]
        )
        for k in range(5)
    ]
    injected = await asyncio.gather(*rivals)
    assert sum(bool(messages) for messages in injected) == 1
    entries = [
        record for record in await whole(bus, "desk") if record.entry.kind == "context.injected"
    ]
    assert len(entries) == 1
