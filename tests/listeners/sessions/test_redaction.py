"""Redaction at work: memory is made anew, effects land again, nothing of the words is left."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Message, MessageEdited
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.sessions.redaction import preview, redact
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.errors import RedactionRefused
from parley.memory.fold.canonical_bytes import dump
from parley.memory.fold.due import list_upgrades
from tests.support.logs.logs import PACKS, opened
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import RedisServer
from tests.support.servers.stored import stored
from tests.support.sessions.sessions import (
    discuss,
    is_settled,
    replayed_bytes,
    running,
    standing,
    thoughts,
    whole,
)

SECRET = "zanzibar"
FOLD = ProjectorPace(snapshot_tail=1, idle_seconds=0.05)
EFFECTS = EffectPace(idle_seconds=0.05, first_pause_seconds=0.05)


async def discuss_secret(bus: Bus, **settings: Any) -> None:
    """A session `s` of 80 messages whose fifth tells a secret, and proposes it."""
    await discuss(bus, "s", 4, **settings)
    words = f"I propose we all meet in {SECRET} before the next release."
    await bus.publish("s", [Draft("m5", Message(participant="ana", content=words))])
    await discuss(bus, "s", 75, first=6)


async def test_what_covered_the_words_is_made_again(bus: Bus, any_server: RedisServer) -> None:
    """Summaries of every level over them land anew; the others are not asked for again."""
    async with running(
        Projector(bus, PACKS, "w", FOLD), EffectRunner(bus, PACKS, None, "e", EFFECTS)
    ):
        await discuss_secret(bus)
        await wait_until(lambda: is_settled(bus, "s"))
        before = await standing(bus, "s")
        reader = MemoryReader(bus, PACKS)
        born = {p.handle: p.born for p in (await reader.current("s")).proposals.values()}
        with any_server.client() as raw:
            assert SECRET.encode() in stored(raw).lower()
            done = await redact(bus, PACKS, "s", 5, reason="a place")
            assert len(done.derived) == 2
            await wait_until(lambda: is_settled(bus, "s"))
            assert SECRET.encode() not in stored(raw).lower()
    assert sorted(await standing(bus, "s")) == sorted(before)
    made = [record.id for record in await whole(bus, "s") if record.entry.kind == "summary.made"]
    assert len(made) == len(set(made)) == len(before)
    memory = await reader.current("s")
    assert {p.handle: p.born for p in memory.proposals.values()} == born
    assert SECRET not in dump(memory).decode().lower()
    assert dump(memory) == await replayed_bytes(bus, "s")
    assert memory.redacted == [5]
    kinds = [row.fact["kind"] for row in await bus.fact_rows("s", count=10_000)]
    assert kinds.count("entry.redacted") == 1


async def test_a_model_that_was_asked_before_answers_to_nobody(
    bus: Bus, any_server: RedisServer
) -> None:
    """Its summary quotes the words, and is refused; the next one cannot know them."""
    gate = threading.Event()

    def answer(user: str) -> str:
        if SECRET in user.lower():
            gate.wait(PATIENCE)
            return f"They want to meet in {SECRET}."
        return "They talked."

    with FakeOpenAI(answer) as fake:
        model = OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE)
        runner = EffectRunner(bus, PACKS, model, "e", EFFECTS)
        async with running(Projector(bus, PACKS, "w", FOLD), runner):
            await discuss_secret(bus, summary={"how": "model"})
            await wait_until(lambda: fake.calls > 0)
            await redact(bus, PACKS, "s", 5, reason="a place")
            gate.set()
            await wait_until(lambda: is_settled(bus, "s"))
            await wait_until(lambda: _all_by_model(bus))
        await model.aclose()
    with any_server.client() as raw:
        assert SECRET.encode() not in stored(raw).lower()


async def _all_by_model(bus: Bus) -> bool:
    memory = await MemoryReader(bus, PACKS).current("s")
    return all(summary.how == "model" for summary in memory.summaries.values())


async def test_a_reader_that_held_the_words_forgets_them(bus: Bus) -> None:
    """Its copy was of another incarnation; so is a past moment read anew."""
    await discuss_secret(bus)
    reader = MemoryReader(bus, PACKS)
    assert SECRET in dump(await reader.current("s")).decode().lower()
    await redact(bus, PACKS, "s", 5, reason="a place")
    assert SECRET not in dump(await reader.current("s")).decode().lower()
    assert SECRET not in dump(await reader.at("s", 5)).decode().lower()
    assert SECRET not in (await reader.context("s", "bo", at=8)).text.lower()


async def test_the_preview_says_what_would_go(bus: Bus) -> None:
    """And changes nothing."""
    async with running(
        Projector(bus, PACKS, "w", FOLD), EffectRunner(bus, PACKS, None, "e", EFFECTS)
    ):
        await discuss_secret(bus)
        await wait_until(lambda: is_settled(bus, "s"))
    before = await whole(bus, "s")
    previewed = await preview(bus, PACKS, "s", 5)
    assert (previewed.kind, previewed.participant) == ("message", "ana")
    assert SECRET in previewed.words
    assert previewed.derived == {"summary.made": 2}
    assert await whole(bus, "s") == before


async def test_the_preview_names_the_edits_that_go_too(bus: Bus) -> None:
    """Each by its number and in its words; what was derived of one of them is counted once."""
    await bus.open("s", opened())
    said = Draft("a", Message(participant="ana", content=f"I propose that we meet in {SECRET}."))
    await bus.publish("s", [said])
    for content in (f"I propose that we meet in {SECRET} at noon.", ""):
        edited = MessageEdited(participant="ana", of=1, content=content)
        await bus.publish("s", [Draft(f"e{len(content)}", edited)])
    previewed = await preview(bus, PACKS, "s", 1)
    assert previewed.edits == {2: f"I propose that we meet in {SECRET} at noon.", 3: ""}
    await redact(bus, PACKS, "s", 1, reason="a place")
    assert SECRET not in repr((await preview(bus, PACKS, "s", 1)).edits)


async def test_a_refusal_changes_nothing(bus: Bus) -> None:
    """It names the entry that has to go first."""
    await discuss(bus, "s", 1)
    words = "[DECISION] We meet in Zanzibar before the rain comes"
    await bus.publish("s", [
        Draft("a", Message(participant="ana", content=words)),
        Draft("b", Message(participant="bo", content=words)),
        Draft("c", Message(participant="cy", content="[DECISION] Backups go to the other team")),
    ])  # fmt: skip
    before = await whole(bus, "s")
    with pytest.raises(RedactionRefused, match="redact 3 first"):
        await redact(bus, PACKS, "s", 2, reason="a place")
    assert await whole(bus, "s") == before
    await redact(bus, PACKS, "s", 3, reason="a place")
    await redact(bus, PACKS, "s", 2, reason="a place")
    memory = await MemoryReader(bus, PACKS).current("s")
    assert {d.handle: d.born for d in memory.decisions.values()} == {"D1": 2, "D2": 4}
    assert SECRET not in dump(memory).decode().lower()


async def test_entry_after_entry_can_be_redacted_while_people_talk_and_afterwards(
    bus: Bus, any_server: RedisServer
) -> None:
    """In the same range, with workers at it, and once more when the session is closed."""
    words = {k: f"qx{k:03}xq" for k in range(1, 61)}
    async with running(
        Projector(bus, PACKS, "w", FOLD), EffectRunner(bus, PACKS, None, "e", EFFECTS)
    ):
        await bus.open("s", opened())
        for k, draft in enumerate(thoughts(60), 1):
            message = Message(participant="ana", content=f"{draft.entry.content} {words[k]}")  # type: ignore[union-attr]  # a message
            await bus.publish("s", [Draft(draft.id, message)])
            if k in (20, 35, 50):
                await redact(bus, PACKS, "s", k - 12, reason="test")
        await bus.close("s", "done")
        for n in (3, 4, 59):
            await redact(bus, PACKS, "s", n, reason="test")
        await wait_until(lambda: is_settled(bus, "s"))
    reader = MemoryReader(bus, PACKS)
    memory = await reader.current("s")
    assert memory.redacted == [3, 4, 8, 23, 38, 59]
    assert {key for key in memory.ranges if key not in memory.summaries} == set()
    assert dump(memory) == await replayed_bytes(bus, "s")
    with any_server.client() as raw:
        left = stored(raw)
    gone = {n for n, word in words.items() if word.encode() not in left}
    assert gone == set(memory.redacted)


async def test_notebooks_that_digested_the_words_are_written_again(
    bus: Bus, any_server: RedisServer
) -> None:
    """Revisions up to the entry stay; the newest one is asked for anew, of what is left."""

    def answer(user: str) -> str:
        return f"I noted {SECRET}." if SECRET in user.lower() else "I noted nothing of it."

    with FakeOpenAI(answer) as fake:
        model = OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE)
        runner = EffectRunner(bus, PACKS, model, "e", EFFECTS)
        async with running(Projector(bus, PACKS, "w", FOLD), runner):
            await bus.open("s", opened(note={"policy": "rewrite"}, routes={"own": "reflect"}))
            for k, (who, content) in enumerate(
                [("ana", "Morning."), ("bo", f"Let us meet in {SECRET}."), ("ana", "Fine.")], 1
            ):
                await bus.publish("s", [Draft(f"m{k}", Message(participant=who, content=content))])
                await wait_until(lambda: _noted(bus))
            with any_server.client() as raw:
                assert b"I noted zanzibar" in stored(raw)
                await redact(bus, PACKS, "s", 2, reason="a place")
                await wait_until(lambda: _noted(bus))
                left = stored(raw)
        await model.aclose()
    assert SECRET.encode() not in left.lower()
    notes = (await MemoryReader(bus, PACKS).current("s")).notebooks.notes
    assert {name: note.text for name, note in notes.items()} == {
        "ana": "I noted nothing of it.", "bo": "I noted nothing of it.",
    }  # fmt: skip


async def _noted(bus: Bus) -> bool:
    """True once nobody owes a reflection."""
    info = await bus.info("s")
    memory = await MemoryReader(bus, PACKS).current("s")
    return info.folded == info.head and not info.due["upgrades"] and not list_upgrades(memory)


async def test_other_words_for_a_message_go_with_it(bus: Bus) -> None:
    """Each edit of it loses its words, too; the proposal keeps its handle."""
    await bus.open("s", opened())
    first = Message(participant="ana", content=f"[PROPOSAL] We all meet in {SECRET} in May")
    await bus.publish("s", [Draft("m1", first)])
    for k, month in enumerate(("June", "July")):
        content = f"[PROPOSAL] We all meet in {SECRET} in {month}"
        edited = MessageEdited(participant="ana", of=1, content=content)
        await bus.publish("s", [Draft(f"e{k}", edited)])
    await redact(bus, PACKS, "s", 1, reason="a place")
    assert all(SECRET not in str(record.entry) for record in await whole(bus, "s"))
    memory = await MemoryReader(bus, PACKS).current("s")
    assert [proposal.status for proposal in memory.proposals.values()] == ["active"]
    assert memory.edited[1].n == 3
