"""A directory of session files: all sessions, as they stand, and back; one's damage is its own."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from parley.bus import Bus
from parley.bus.contract.keys import Keys
from parley.server.basics.errors import Failure
from parley.server.records.backup import Outcome, back_up, name_of, restore_backup
from tests.support.doors.calls import Parley
from tests.support.sessions.talks import everything, message_draft, talk


@pytest.fixture
def raw(redis_url: str) -> Iterator[redis.Redis]:
    """A plain client of the same server."""
    with redis.Redis.from_url(redis_url) as client:
        yield client


def quiet(directory: str, done: int, total: int) -> None:
    """Progress that nobody reads."""


async def logs(bus: Bus) -> dict[str, tuple[str, Any]]:
    """Status and stored rows of every session."""
    audits = [await bus.audit(info.session) for info in await bus.sessions(0, 1000)]
    return {audit.session: (audit.status, audit.rows) for audit in audits}


async def test_what_is_saved_comes_back_to_the_byte(
    redis_url: str, raw: redis.Redis, tmp_path: Path
) -> None:
    """Open, closed and archived sessions; names that differ by case alone."""
    async with await Bus.connect(redis_url) as bus:
        for name in ("lunch", "Lunch", "a.b", "a-b", "closed", "gone"):
            await talk(bus, name, 3)
        await bus.close("closed", "over")
        await bus.close("gone", "over")
        await bus.mark("gone", "archived")
        before = await logs(bus)
        assert name_of("lunch").lower() != name_of("Lunch").lower()
        assert await back_up(bus, tmp_path / "kept", quiet) == Outcome(written=6)
        raw.flushdb()
    async with await Bus.connect(redis_url) as bus:
        restored = await restore_backup(bus, tmp_path / "kept", (), quiet, replace=False)
        assert restored == Outcome(written=6)
        assert await logs(bus) == before
        again = await restore_backup(bus, tmp_path / "kept", (), quiet, replace=False)
        assert again == Outcome(unchanged=6)


async def test_a_second_run_writes_what_has_changed_and_what_was_damaged(
    redis_url: str, tmp_path: Path
) -> None:
    """The file of an unchanged session is read and checked, and written anew where it must be."""
    async with await Bus.connect(redis_url) as bus:
        for name in ("still", "grown", "marked", "torn"):
            await talk(bus, name, 3)
        await bus.close("marked", "over")
        await back_up(bus, tmp_path, quiet)
        torn = tmp_path / name_of("torn")
        whole = torn.read_bytes()
        torn.write_bytes(whole[:-20])
        (tmp_path / ".still.0.json.cut").write_bytes(b"of a run that was killed")
        await bus.publish("grown", [message_draft(4)])
        await bus.mark("marked", "archived")
        assert await back_up(bus, tmp_path, quiet) == Outcome(written=3, unchanged=1)
        assert torn.read_bytes() == whole
        assert {path.suffix for path in tmp_path.iterdir()} == {".json"}
        await bus.remove("still")
        assert await back_up(bus, tmp_path, quiet) == Outcome(unchanged=3)
        assert (tmp_path / name_of("still")).exists()


async def test_an_opened_again_session_is_told_from_its_file(
    redis_url: str, tmp_path: Path
) -> None:
    """As long as the old one, under the same name, and another: never taken for unchanged."""
    async with await Bus.connect(redis_url) as bus:
        await talk(bus, "a", 2)
        await back_up(bus, tmp_path, quiet)
        await bus.remove("a")
        await talk(bus, "a", 1)
        await bus.publish("a", [message_draft(9)])
        kept = await restore_backup(bus, tmp_path, ["a"], quiet, replace=False)
        assert list(kept.failed) == ["a"]
        assert [record.id for record in await everything(bus, "a")] == ["open", "m1", "m9"]
        assert await back_up(bus, tmp_path, quiet) == Outcome(written=1)


async def test_one_damaged_session_keeps_its_last_good_file_and_stops_no_other(
    redis_url: str, raw: redis.Redis, tmp_path: Path
) -> None:
    """It is named, and a log that lost entries never replaces one that has them."""
    async with await Bus.connect(redis_url) as bus:
        for name in ("ill", "odd", "well"):
            await talk(bus, name, 5)
        await back_up(bus, tmp_path, quiet)
        good = (tmp_path / name_of("ill")).read_bytes()
        for name in ("ill", "odd", "well"):
            await bus.publish(name, [message_draft(6)])
        raw.xtrim(Keys(1).of("ill").log, maxlen=2, approximate=False)
        raw.delete(Keys(1).of("odd").meta)
        raw.set(Keys(1).of("odd").meta, "garbage")
        outcome = await back_up(bus, tmp_path, quiet)
        assert (outcome.written, sorted(outcome.failed)) == (1, ["ill", "odd"])
        assert (tmp_path / name_of("ill")).read_bytes() == good
        restored = await restore_backup(bus, tmp_path, ["ill"], quiet, replace=True)
        assert restored == Outcome(written=1)
        assert len(await everything(bus, "ill")) == 6


async def test_what_is_acknowledged_before_a_backup_is_in_it(
    redis_url: str, tmp_path: Path
) -> None:
    """Others publish meanwhile; each file is a log that stood at one moment."""
    async with await Bus.connect(redis_url) as bus:
        for k in range(20):
            await talk(bus, f"s{k}", 5)
        saving, k = asyncio.create_task(back_up(bus, tmp_path, quiet)), 6
        while not saving.done():
            for name in range(20):
                await bus.publish(f"s{name}", [message_draft(k)])
            k += 1
        assert await saving == Outcome(written=20)
        for name in range(20):
            await bus.remove(f"s{name}")
        assert await restore_backup(bus, tmp_path, (), quiet, replace=False) == Outcome(written=20)
        for name in range(20):
            ids = [record.id for record in await everything(bus, f"s{name}")]
            assert ids == ["open", *(f"m{place}" for place in range(1, len(ids)))]
            assert len(ids) >= 6


async def test_two_at_once_are_refused(redis_url: str, tmp_path: Path) -> None:
    """The second says why, and leaves the directory alone."""
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    async with await Bus.connect(redis_url) as bus:
        await talk(bus, "a", 1)
        with pytest.raises(Failure, match="another backup is writing"):
            await back_up(bus, tmp_path, quiet)
        os.close(handle)
        assert await back_up(bus, tmp_path, quiet) == Outcome(written=1)


@pytest.mark.real_server("kills a process of its own")
async def test_a_run_that_was_killed_is_gone_on_with(redis_url: str, tmp_path: Path) -> None:
    """Whatever moment it was killed at, each file is whole and the next run adds the rest."""
    async with await Bus.connect(redis_url) as bus:
        for k in range(40):
            await talk(bus, f"s{k}", 2)
        command = [sys.executable, "-m", "parley", "--redis", redis_url, "backup", str(tmp_path)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while len(list(tmp_path.glob("s*.json"))) < 3 and time.monotonic() < deadline:
                await asyncio.sleep(0.001)
            process.send_signal(signal.SIGKILL)
        saved = len(list(tmp_path.glob("s*.json")))
        assert saved >= 3
        assert await back_up(bus, tmp_path, quiet) == Outcome(written=40 - saved, unchanged=saved)
        assert len(list(tmp_path.iterdir())) == 40


def test_the_commands_say_what_they_did(at: Parley, tmp_path: Path) -> None:
    """Counts, a directory that is none, a session that is not in it, a file of something else."""
    at("session", "new", "s")
    at("say", "s", "I propose tea.", "--as", "ana")
    assert "1 written, 0 as they were" in at("backup", tmp_path / "b").err
    assert at("backup", tmp_path / "b", "--json").rows()[0] == {
        "written": 0, "unchanged": 1, "failed": {},
    }  # fmt: skip
    assert at("session", "rm", "s", "--yes").code == 0
    assert at("restore", tmp_path / "b", "s").code == 0
    assert at("session", "verify", "s").code == 0
    for args in (("restore", tmp_path / "no"), ("restore", tmp_path / "b", "x")):
        ran = at(*args)
        assert (ran.code, len(ran.err.splitlines())) == (1, 1), ran.err
    (tmp_path / "b" / "other.json").write_text("{}")
    ran = at("restore", tmp_path / "b")
    assert ran.code == 1
    assert "other.json" in ran.err
    assert "1 as they were, 1 failed" in ran.err
