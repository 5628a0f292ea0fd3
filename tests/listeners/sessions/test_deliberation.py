"""The verbs of a conversation with a memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.bus import Bus
from parley.bus.contract.errors import BadSessionFile, Conflict, InvalidEntry, SessionExists
from parley.bus.entries import Record
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.sessions.session import Session
from parley.listeners.sessions.session_client import SavedSession, SessionClient
from parley.memory.errors import PackMissing, SnapshotMismatch, UnknownMessage, UnknownRef
from tests.support.logs.logs import PACKS, opened
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.patience import PATIENCE
from tests.support.sessions.sessions import replayed_bytes, standing, whole


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    async with await Bus.connect(redis_url) as bus:
        await bus.open("demo", opened())
        yield bus


async def test_what_is_said_is_in_the_context(bus: Bus) -> None:
    """`add_message`, then `get_memory_context`: the proposal is there with its handle."""
    talk = SessionClient(bus, PACKS, "demo")
    await talk.add_message("ada", "I propose we meet on Fridays.")
    await talk.add_message("bob", "Fridays are full.", act="oppose", re="P1")
    context = await talk.get_memory_context("cy")
    assert "P1" in context.text
    assert "Fridays are full." in context.text


async def test_the_evaluation_context_is_smaller(bus: Bus) -> None:
    """Decisions, proposals and five messages are enough to decide whether to speak."""
    talk = SessionClient(bus, PACKS, "demo")
    for k in range(30):
        await talk.add_message("ada", f"Thought number {k} about the weather.")
    full, brief = await talk.get_memory_context("bob"), await talk.get_eval_memory_context("bob")
    assert brief.size < full.size


async def test_recent_messages_are_the_newest(bus: Bus) -> None:
    """Oldest first, no more than asked for."""
    talk = SessionClient(bus, PACKS, "demo")
    for k in range(9):
        await talk.add_message("ada", f"Line {k}.")
    assert [record.n for record in await talk.get_recent_messages(3)] == [7, 8, 9]


async def test_saying_it_twice_changes_nothing(bus: Bus) -> None:
    """The same id and words give the same place; other words under it are refused."""
    talk = SessionClient(bus, PACKS, "demo")
    first = await talk.add_message("ada", "Once.", id="mine")
    again = await talk.add_message("ada", "Once.", id="mine")
    assert (again.seq, again.duplicate) == (first.seq, True)
    with pytest.raises(Conflict):
        await talk.add_message("ada", "Twice.", id="mine")


async def test_a_listener_that_asks_knows_what_it_heard(bus: Bus) -> None:
    """Memory holds a message before `messages` yields it, though no worker runs."""
    speaker, listener = SessionClient(bus, PACKS, "demo"), SessionClient(bus, PACKS, "demo")
    heard: list[int] = []

    async def listen() -> None:
        async for record in listener.messages(after=0):
            context = await listener.get_memory_context("bob")
            assert f"Plan {record.n} " in context.text
            heard.append(record.n)
            if len(heard) == 12:
                return

    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as tasks:
        tasks.create_task(listen())
        for k in range(1, 13):
            await speaker.add_message("ada", f"Plan {k} is what I thought of last night.")
    assert heard == list(range(1, 13))


async def test_a_state_is_restored_elsewhere(bus: Bus) -> None:
    """Saved under one name and removed, the session comes back with the same memory."""
    talk = SessionClient(bus, PACKS, "demo")
    for k in range(40):
        await talk.add_message("ada", f"I propose plan {k} for the roof.")
    state = await talk.get_memory_state()
    await bus.remove("demo")
    await talk.restore_memory(state)
    assert await replayed_bytes(bus, "demo") == state.memory
    again = await talk.get_memory_state()
    assert again == state


async def test_a_live_session_is_not_overwritten(bus: Bus) -> None:
    """Unless told to."""
    talk = SessionClient(bus, PACKS, "demo")
    await talk.add_message("ada", "First.")
    state = await talk.get_memory_state()
    await talk.add_message("ada", "Second.")
    with pytest.raises(SessionExists):
        await talk.restore_memory(state)
    await talk.restore_memory(state, replace=True)
    assert [record.n for record in await talk.get_recent_messages()] == [1]


async def test_an_altered_state_is_noticed(bus: Bus) -> None:
    """A log without one of its entries is not the one that gave the memory."""
    talk = SessionClient(bus, PACKS, "demo")
    for k in range(5):
        await talk.add_message("ada", f"I propose plan {k} for the roof.")
    state = await talk.get_memory_state()
    altered = SavedSession("demo", state.records[:-1], state.memory, state.checksum)
    with pytest.raises(SnapshotMismatch):
        await talk.restore_memory(altered, replace=True)


@settings(
    max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.lists(st.tuples(st.sampled_from(("ada", "bob")), st.text(min_size=1)), max_size=30))
def test_a_session_is_its_file(redis_url: str, talk: list[tuple[str, str]]) -> None:
    """What was written as JSON and read again is the same file, and the same bytes of memory."""

    async def round_trip() -> tuple[str, str, bytes, bytes]:
        async with await Bus.connect(redis_url) as bus:
            name = f"s{uuid4().hex}"
            await bus.open(name, opened())
            first, other = (SessionClient(bus, PACKS, each) for each in (name, f"{name}-2"))
            for participant, words in talk:
                with suppress(InvalidEntry):  # nothing but blanks
                    await first.add_message(participant, words)
            text = await first.to_json()
            await other.from_json(text)
            await other.add_message("ada", "It goes on.")  # and is taken back
            await other.from_json(text, replace=True)
            await bus.remove(name)
            await first.from_json(text.encode())
            bytes_ = [await replayed_bytes(bus, each) for each in (name, f"{name}-2")]
            return text, await first.to_json(), bytes_[0], bytes_[1]

    text, again, memory, copied = asyncio.run(round_trip())
    assert again == text
    assert json.loads(text)["parley"] == "session"
    assert copied == memory


async def test_a_file_is_read_whole_or_not_at_all(bus: Bus, tmp_path: Path) -> None:
    """An altered one, one of unknown patterns, and a session that is there are refused as such."""
    talk, path = SessionClient(bus, PACKS, "demo"), tmp_path / "demo.json"
    await talk.add_message("ada", "First.")
    await talk.save(path)
    before = await talk.to_json()
    with pytest.raises(SessionExists):
        await talk.load(path)
    with pytest.raises(PackMissing):
        await SessionClient(bus, {}, "demo").load(path, replace=True)
    path.write_text(before.replace("First.", "Thirst"), "utf-8")
    with pytest.raises(BadSessionFile, match=r"demo\.json.*checksum"):
        await talk.load(path, replace=True)
    assert await talk.to_json() == before


async def test_inline_makes_what_a_message_made_due_before_it_returns(bus: Bus) -> None:
    """No worker runs, and the summary stands; a replay has it too."""
    await bus.open("inline", opened(summary={"interval": 3, "strategy": "inline", "fanout": 2}))
    talk = SessionClient(bus, PACKS, "inline")
    for k in range(12):
        await talk.add_message("ada", f"Thought number {k} about the weather.")
        made = [record for record in await whole(bus, "inline") if is_summary(record)]
        assert len(made) == (0, 1, 3, 4, 7)[(k + 1) // 3]


async def test_background_leaves_it_to_workers(bus: Bus) -> None:
    """A message returns at once, with its summary due."""
    await bus.open("later", opened(summary={"interval": 3}))
    talk = SessionClient(bus, PACKS, "later")
    for k in range(3):
        await talk.add_message("ada", f"Thought number {k} about the weather.")
    assert not [record for record in await whole(bus, "later") if is_summary(record)]


async def test_inline_asks_the_model_where_there_is_one(bus: Bus) -> None:
    """And puts the extract in its place where it fails."""
    with FakeOpenAI() as fake:
        model = OpenAIModel("small", url=fake.url, timeout_seconds=PATIENCE)
        await bus.open(
            "asked", opened(summary={"interval": 2, "strategy": "inline", "how": "model"})
        )
        talk = SessionClient(bus, PACKS, "asked", model=model)
        for k in range(4):
            if k == 2:
                fake.fail("401")
            await talk.add_message("ada", f"Thought number {k} about the weather.")
        await model.aclose()
    assert await standing(bus, "asked") == [(0, 1, 2, "model"), (0, 3, 4, "extract")]


def is_summary(record: Record) -> bool:
    return record.entry.kind == "summary.made"


async def test_many_tokens_of_talk_close_a_stretch_before_its_messages_do(bus: Bus) -> None:
    """`limits.short_term`: three long messages are a stretch where twelve short ones are."""
    settings = {"summary": {"strategy": "inline"}, "limits": {"short_term": {"cap": 400}}}
    await bus.open("long", opened(**settings))
    talk = SessionClient(bus, PACKS, "long")
    for k in range(6):
        await talk.add_message("ada", f"Thought {k} about the weather of the week. " * 15)
    assert [row[:3] for row in await standing(bus, "long")] == [(0, 1, 3), (0, 4, 6)]


async def test_an_act_on_what_is_not_there_is_refused(bus: Bus) -> None:
    """Unless with `force`, for logs whose earlier part comes later."""
    talk = SessionClient(bus, PACKS, "demo")
    await talk.add_message("ada", "I propose we meet on Fridays.")
    with pytest.raises(UnknownRef, match="P99"):
        await talk.add_message("bob", "Yes.", act="support", re="P99")
    with pytest.raises(UnknownMessage, match="the newest is 1"):
        await talk.add_message("bob", "Yes.", act="support", re=2)
    assert (await talk.add_message("bob", "Yes.", act="support", re="P99", force=True)).n == 2
    async with Session.on(bus, "demo", "cy", role="person") as cy:
        with pytest.raises(UnknownRef):
            await cy.support(re="P99")
        assert await cy.support(re="P1") == 3
        assert await cy.say("Yes.", act="oppose", re="P99", force=True) == 4
