"""Old sessions go to a directory, and only once they are safe there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from parley.bus import Bus
from parley.bus.contract.errors import BusError, SessionNotFound
from parley.bus.contract.keys import Keys
from parley.bus.scripts.lua import Scripts
from parley.server.records.archive import archive_old, list_old
from parley.server.records.backup import Outcome, name_of, restore_backup
from parley.server.records.session_file import export_session, read_file
from tests.support.doors.calls import Parley
from tests.support.sessions.talks import message_draft, talk

DAY = 86_400


@pytest.fixture
def raw(redis_url: str) -> Iterator[redis.Redis]:
    """A plain client of the same server."""
    with redis.Redis.from_url(redis_url) as client:
        yield client


def age(raw: redis.Redis, session: str, days: int) -> None:
    """Has it that nothing happened there for so long."""
    seconds = int(raw.time()[0]) - days * DAY
    raw.zadd(Keys(1).bucket(session).sessions, {session: seconds * 1000})


def quiet(directory: str, done: int, total: int) -> None:
    """Progress that nobody reads."""


async def test_old_sessions_are_moved_and_come_back_to_the_byte(
    redis_url: str, raw: redis.Redis, tmp_path: Path
) -> None:
    """Open and closed ones, of the tenant that was named; younger ones stay."""
    async with await Bus.connect(redis_url) as bus:
        for name in ("acme.old", "acme.Done", "acme.new", "old"):
            await talk(bus, name, 3)
        await bus.close("acme.Done", "over")
        for name, days in (("acme.old", 40), ("acme.Done", 31), ("acme.new", 29), ("old", 90)):
            age(raw, name, days)
        before = {name: await export_session(bus, name) for name in ("acme.old", "acme.Done")}
        old = await list_old(bus, 30 * DAY, "acme")
        assert [info.session for info in old] == ["acme.old", "acme.Done"]
        assert await archive_old(bus, tmp_path, old, quiet) == Outcome(written=2)
        assert {info.session for info in await bus.sessions()} == {"acme.new", "old"}
        assert not raw.keys("parley:{0}:s:acme.old:log")
        restored = await restore_backup(bus, tmp_path, ["acme.Done"], quiet, replace=False)
        assert restored == Outcome(written=1)
        assert await export_session(bus, "acme.Done") == before["acme.Done"]
        assert read_file(tmp_path / name_of("acme.old")) == before["acme.old"]
        assert [info.session for info in await list_old(bus, 30 * DAY)] == ["old"]


async def test_a_session_in_which_somebody_speaks_meanwhile_stays(
    redis_url: str, raw: redis.Redis, tmp_path: Path
) -> None:
    """Whether before it is read or after it was saved."""
    async with await Bus.connect(redis_url) as bus:
        await talk(bus, "a", 3)
        age(raw, "a", 40)
        old = await list_old(bus, 30 * DAY)
        await bus.publish("a", [message_draft(9)])
        outcome = await archive_old(bus, tmp_path, old, quiet)
        assert (outcome.written, outcome.failed) == (0, {"a": "has new entries; it stays"})
        with pytest.raises(BusError, match="has new entries since it was saved; it stays"):
            await bus.remove("a", saved=old[0])
        assert (await bus.info("a")).n == 4
        await bus.remove("a", saved=await bus.info("a"))
        with pytest.raises(SessionNotFound):
            await bus.info("a")


async def test_without_the_fence_on_the_head_new_entries_go_with_it(redis_url: str) -> None:
    """What the rule is for: what was said after the file was written would be nowhere."""
    async with await Bus.connect(redis_url, scripts=Scripts({"remove.head": ""})) as bus:
        await talk(bus, "a", 3)
        saved = await bus.info("a")
        await bus.publish("a", [message_draft(9)])
        await bus.remove("a", saved=saved)
        assert await bus.sessions() == []


async def test_a_file_of_another_log_is_never_written_over(
    redis_url: str, raw: redis.Redis, tmp_path: Path
) -> None:
    """The session stays until the file is moved away; a file of its own past is no obstacle."""
    async with await Bus.connect(redis_url) as bus:
        await talk(bus, "a", 3)
        age(raw, "a", 40)
        assert (await archive_old(bus, tmp_path, await list_old(bus, DAY), quiet)).written == 1
        kept = (tmp_path / "a.json").read_bytes()
        await talk(bus, "a", 2)
        age(raw, "a", 40)
        outcome = await archive_old(bus, tmp_path, await list_old(bus, DAY), quiet)
        assert outcome.written == 0
        assert "holds another log of that name; move it away first" in outcome.failed["a"]
        assert (tmp_path / "a.json").read_bytes() == kept
        await restore_backup(bus, tmp_path, ["a"], quiet, replace=True)
        await bus.publish("a", [message_draft(9)])
        age(raw, "a", 40)
        assert (await archive_old(bus, tmp_path, await list_old(bus, DAY), quiet)).written == 1
        assert len(read_file(tmp_path / "a.json").rows) == 5


def test_the_command_lists_before_it_moves(
    at: Parley, redis_url: str, raw: redis.Redis, tmp_path: Path
) -> None:
    """With --dry-run nothing is written; without an age nothing is old."""
    directory = tmp_path / "archive"
    for name in ("old", "new"):
        assert at("session", "new", name).code == 0
    age(raw, "old", 31)
    listed = at("archive", str(directory), "--older-than", "30d", "--dry-run", "--json")
    assert [row["session"] for row in listed.rows()] == ["old"]
    assert not directory.exists()
    assert at("archive", str(directory)).code == 2
    ran = at("archive", str(directory), "--older-than", "30d")
    assert (ran.code, ran.out + ran.err) == (0, "1 moved\n")
    assert [row["session"] for row in at("session", "ls", "--json").rows()] == ["new"]
    assert at("restore", str(directory), "old").code == 0
