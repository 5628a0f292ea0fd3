"""A session in two calls: opened, spoken in and read, on the embedded server or a given one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from parley import Bus, Memory, Session, SessionOpened
from parley.bus.contract.errors import InvalidEntry, SessionClosed, SessionExists, Unavailable
from parley.bus.entries import Act, ParticipantJoined
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.sessions.shipped_packs import known_packs
from parley.memory.errors import UnknownRef
from parley.memory.fold.canonical_bytes import dump
from parley.server.library import typed_rows

NOON = "2026-05-04T12:00:00Z"
BRIDGE = "I propose that we try the place by the bridge."


def test_a_program_needs_no_address(tmp_path: Path) -> None:
    """Two calls as they are written; the command line sees the same session afterwards."""
    program = (
        "import asyncio\n"
        "from parley import Session\n"
        "async def main():\n"
        "    async with Session.open('lunch', redis=None) as s:\n"
        f"        await s.say('Ana', {BRIDGE!r})\n"
        "        print(await s.context('Ben'))\n"
        "asyncio.run(main())\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PARLEY_")}
    environment = {**kept, "PARLEY_DATA": str(tmp_path / "data")}

    def printed(*arguments: str) -> str:
        command = [sys.executable, "-W", "error", *arguments]
        ran = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert 'P1 Ana n 1: "we try the place by the bridge"' in printed("-c", program)
    assert "lunch" in printed("-m", "parley", "session", "ls")


async def test_it_goes_on_where_it_was(redis_url: str) -> None:
    """By an address or by a bus: what is there is not opened again."""
    async with Session.open("lunch", redis_url, title="Lunch") as lunch:
        assert await lunch.say("Ana", BRIDGE) == 1
    async with await Bus.connect(redis_url) as bus, Session.open("lunch", bus) as lunch:
        assert await lunch.say("Ben", "-1 to P1: they close at two.") == 2
        (proposal,) = await lunch.proposals()
        assert (proposal["text"], proposal["tally"]["oppose"]) == (
            "we try the place by the bridge", 1,
        )  # fmt: skip
        assert '"title":"Lunch"' in await lunch.to_json()


async def test_plain_talk_is_read_unless_told_otherwise(redis_url: str) -> None:
    """As after `parley session new`: nobody has to bring patterns."""
    async with Session.open("boat", redis_url) as talk:
        await talk.say("Ana", "I propose we paint the boat red")
        (proposal,) = await talk.proposals()
        assert (proposal["handle"], proposal["text"]) == ("P1", "we paint the boat red")
        opening = json.loads(await talk.to_json())["entries"][0]["entry"]
        assert opening["settings"]["summary"] == {"how": "auto", "strategy": "inline"}
    async with await Bus.connect(redis_url) as bus:
        await bus.open("bare", SessionOpened())
        async with Session.open("bare", bus) as talk:
            await talk.say("Ana", "I propose we paint the boat red")
            assert not await talk.proposals()


async def test_summaries_are_made_as_they_fall_due(redis_url: str) -> None:
    """Nobody else runs: the twelfth message makes the extract of its range."""
    async with Session.open("long", redis_url) as talk:
        for k in range(25):
            await talk.say("Ana", f"Thought {k} on the boat and its paint.")
        assert [(row["first"], row["last"]) for row in await talk.summaries()] == [
            (1, 12),
            (13, 24),
        ]
    async with Session.open(
        "later", redis_url, settings={"summary": {"strategy": "background"}}
    ) as talk:
        for k in range(12):
            await talk.say("Ana", f"Thought {k} on the boat and its paint.")
        assert not await talk.summaries()


async def test_rows_are_those_of_a_memory_alone(redis_url: str) -> None:
    """The same talk gives the same typed rows, the same counts and the same context."""
    alone = Memory(settings={"summary": {"strategy": "inline"}})
    async with Session.open("alike", redis_url) as talk:
        for k in range(6):
            for name, line in (("Ana", BRIDGE), ("Ben", "-1 to P1: no."), ("Cy", f"It rains {k}.")):
                alone.say(name, line, at=NOON)
                await talk.say(name, line, at=NOON)
        alone.say("Ana", "The bridge it is.", act="decide", re="P1", at=NOON)
        await talk.say("Ana", "The bridge it is.", act="decide", re="P1", at=NOON)
        rows: dict[type, Sequence[object]] = {
            typed_rows.ProposalRow: await talk.proposals(),
            typed_rows.DecisionRow: await talk.decisions(),
            typed_rows.PositionRow: await talk.positions(),
            typed_rows.SummaryRow: await talk.summaries(),
            typed_rows.Evidence: await talk.evidence("P1"),
        }
        assert list(rows.values()) == [
            alone.proposals, alone.decisions, alone.positions, alone.summaries,
            alone.evidence("P1"),
        ]  # fmt: skip
        for kind, listed in rows.items():
            assert listed
            for row in listed:
                assert msgspec.convert(row, kind, strict=True) == row
        assert await talk.stats() == alone.stats
        assert await talk.context("Ben") == alone.context("Ben")
        assert await talk.context("Ben", brief=True) == alone.context("Ben", brief=True)
        with pytest.raises(UnknownRef):
            await talk.evidence("P99")


async def test_what_a_session_refuses_is_refused(redis_url: str) -> None:
    """Settings, acts on what is not there, talk after the end; an address where nothing is."""
    with pytest.raises(InvalidEntry, match="intervall"):
        async with Session.open("s", redis_url, settings={"summary": {"intervall": 3}}):
            pass
    async with Session.open("s", redis_url) as talk:
        with pytest.raises(UnknownRef):
            await talk.say("Ana", "Yes!", act="support", re="P7")
        await talk.close()
        with pytest.raises(SessionClosed):
            await talk.say("Ana", "One more thing.")
    with pytest.raises(Unavailable):
        async with Session.open("s", "unix:///nowhere/redis.sock"):
            pass


async def test_somebody_takes_a_seat_in_it(redis_url: str) -> None:
    """To hear what others say, and answer under a name of its own."""
    async with Session.open("s", redis_url) as talk, talk.join("echo") as echo:
        await talk.say("Ana", "Is the bridge open, @echo?")
        async for message in echo:
            assert message.addressed
            await echo.inform("It is.", re=message.n)
            break
        assert "It is." in await talk.context("Ana")


async def test_its_file_is_that_of_a_memory(redis_url: str, tmp_path: Path) -> None:
    """Saved by one and loaded by the other, both ways, with the same bytes of memory."""
    path, back = tmp_path / "lunch.json", tmp_path / "back.json"
    async with Session.open("lunch", redis_url) as lunch:
        await lunch.say("Ana", BRIDGE)
        await lunch.save(path)
        memory = Memory.load(path)
        assert json.loads(await lunch.to_json())["session"] == "lunch"
        memory.say("Ben", "-1 to P1: they close at two.")
        memory.save(back)
        with pytest.raises(SessionExists, match="replace=True puts this in its place"):
            await lunch.load(back)
        await lunch.load(back, replace=True)
        assert (await lunch.proposals()) == memory.proposals
    async with await Bus.connect(redis_url) as bus:
        folded = await MemoryReader(bus, known_packs()).current("lunch")
        assert dump(folded) == dump(memory.state)


async def test_a_seat_gets_the_receipt_that_everybody_gets(redis_url: str) -> None:
    """By `say` and by a verb: what `Memory.say` gives for the same words."""
    talk: list[tuple[str, Act | None]] = [
        (BRIDGE, "propose"), (BRIDGE, "propose"), ("We stay here.", "decide"), ("Hm.", None),
    ]  # fmt: skip
    alone = Memory()
    async with (
        Session.open("lunch", redis_url) as lunch,
        lunch.join("Ana", role="person") as ana,
        lunch.join("Ben", role="person") as ben,
    ):
        for seat in (ana, ben):  # who has a seat took part: the rule counts them
            alone.publish(ParticipantJoined(participant=seat.name, role="person"))
        for who, (words, act) in zip((ana, ben, ana, ben), talk, strict=True):
            said, expected = await who.say(words, act=act), alone.say(who.name, words, act=act)
            assert (said, said.outcome) == (expected, expected.outcome)
        claimed = await ben.support("Yes.", re="D1")
    assert (claimed.touched, claimed.missing) == (
        ["D1"],
        [
            "D1 is claimed, not binding: it needs one more supporter, and only one other took part "
            "so far; no chair is named"
        ],
    )  # fmt: skip
