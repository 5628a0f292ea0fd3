"""A session whose keys are damaged: each command says so in a line, and serves the others."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
import redis

from parley.bus import Bus
from parley.bus.contract.keys import Keys, SessionKeys
from parley.bus.entries import SessionOpened
from tests.support.doors.calls import Parley
from tests.support.servers.patience import PATIENCE, wait_until

ROOT: Final = Path(__file__).resolve().parents[3]
Damage = Callable[["redis.Redis", SessionKeys], object]

DAMAGES: dict[str, Damage] = {
    "state": lambda r, keys: (r.delete(keys.meta), r.set(keys.meta, "garbage")),
    "log": lambda r, keys: (r.delete(keys.log), r.set(keys.log, "garbage")),
    "head": lambda r, keys: r.hset(keys.meta, "head", "garbage"),
    "trimmed": lambda r, keys: r.xtrim(keys.log, maxlen=2, approximate=False),
}


@pytest.fixture
def ill(at: Parley, redis_url: str, request: pytest.FixtureRequest) -> Parley:
    """Two sessions, of which `ill` is damaged."""
    for name in ("ill", "well"):
        at("session", "new", name)
        for k in range(4):
            at("say", name, f"I propose we do the {k}th thing.", "--as", "ana")
    with redis.Redis.from_url(redis_url) as r:
        DAMAGES[request.param](r, Keys(1).of("ill"))
    return at


@pytest.mark.parametrize("ill", DAMAGES, indirect=True)
def test_a_damaged_session_is_told_in_a_line_and_the_others_served(ill: Parley) -> None:
    """No traceback, an exit code of 1, the session by its name; nothing is said of the whole."""
    for command in ("memory", "context", "stats"):
        ran = ill(command, "ill", *(("--as", "ana") if command == "context" else ()))
        assert ran.code == 1, (command, ran.out, ran.err)
        assert "ill" in ran.err
        assert len(ran.err.splitlines()) == 1, ran.err
        assert ill(command, "well", *(("--as", "ana") if command == "context" else ())).code == 0
    ran = ill("session", "verify", "ill")
    assert ran.code == 1
    assert "sound" not in ran.out
    assert ill("session", "verify", "well").code == 0
    listed = ill("session", "ls", "--json").rows()
    assert {row["session"] for row in listed} == {"ill", "well"}
    status = ill("status", "--json").rows()[0]
    assert status["sessions"] == 2
    assert ill("doctor").code in (0, 1)


def test_the_status_says_which_sessions_are_damaged(at: Parley, redis_url: str) -> None:
    at("session", "new", "ill")
    with redis.Redis.from_url(redis_url) as r:
        DAMAGES["head"](r, Keys(1).of("ill"))
    (why,) = at("status", "--json").rows()[0]["apart"].values()
    assert "garbage" in why
    assert f"set apart: ill: {why}" in at("status").out
    assert "ill is set apart" in at("doctor").out


def test_what_no_worker_can_fold_is_not_sound(at: Parley, redis_url: str) -> None:
    """Its log is whole, but nobody gets any further with it; nor is it sound in a row."""
    for name in ("ill", "well"):
        at("session", "new", name)
        at("say", name, "I propose tea.", "--as", "ana")
        assert at("session", "verify", name).code == 0
    facts = Keys(1).of("ill").facts
    with redis.Redis.from_url(redis_url) as r:
        r.set(facts, "garbage")
    command = [sys.executable, "-m", "parley", "worker"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet) as worker:
        try:
            asyncio.run(wait_until(lambda: asyncio.to_thread(_is_apart, at)))
            ran = at("session", "verify", "ill", "--json")
            row = ran.rows()[0]
            assert (ran.code, row["sound"]) == (1, False)
            why = f"entries after 0 of 2 are not folded: the key {facts!r} is a string"
            assert row["findings"][0].startswith(why)
            assert "sound" not in at("session", "verify", "ill").out
            assert at("session", "verify", "well").code == 0
        finally:
            worker.terminate()
            worker.wait(PATIENCE)


def _is_apart(at: Parley) -> bool:
    return "ill" in at("status", "--json").rows()[0]["apart"]


def test_verify_says_what_was_set_aside(at: Parley, redis_url: str, tmp_path: Path) -> None:
    """Of a session and of its file; it is as sound as before."""

    async def set_aside() -> None:
        async with await Bus.connect(redis_url) as bus:
            await bus.set_aside("s", 3, "a test")

    at("session", "new", "s")
    for words in ("I propose tea.", "I propose poison."):
        at("say", "s", words, "--as", "ana")
    assert "set aside" not in at("session", "verify", "s").err
    asyncio.run(set_aside())
    file = tmp_path / "s.json"
    at("session", "export", "s", "-o", file)
    for ran in (at("session", "verify", "s"), at("session", "verify", "--file", file)):
        assert ran.code == 0, ran.err
        assert "set aside, so that no memory has them: entries 3\n" in ran.err


def test_the_status_counts_however_many_sessions(at: Parley, redis_url: str) -> None:
    """Beyond a page of a thousand, too."""

    async def open_many() -> None:
        async with await Bus.connect(redis_url) as bus:
            for k in range(1_050):
                await bus.open(f"s{k}", SessionOpened())

    asyncio.run(open_many())
    assert at("status", "--json").rows()[0]["sessions"] == 1_050


def test_the_status_counts_each_session_once(at: Parley, redis_url: str) -> None:
    """Also where the state of another is gone."""
    for name in ("a", "b", "ill"):
        at("session", "new", name)
    with redis.Redis.from_url(redis_url) as r:
        r.delete(Keys(1).of("ill").meta)
    status = at("status", "--json").rows()[0]
    assert status["sessions"] == 2
    assert status["lag"]["entries_not_folded"] <= 2


def test_an_entry_of_a_strangers_hand_is_no_end_of_a_session(at: Parley, redis_url: str) -> None:
    """Whatever stands in its fields."""
    at("session", "new", "s")
    at("say", "s", "I propose tea.", "--as", "ana")
    keys = Keys(1).of("s")
    with redis.Redis.from_url(redis_url) as r:
        r.xadd(keys.log, {"id": "x", "t": "no number", "entry": "{}"}, id="3-1")
        r.hset(keys.meta, "head", 3)
    assert at("memory", "s").code == 0
    assert "tea" in at("memory", "s").out


def test_a_strangers_entry_ahead_is_named_with_its_cure(
    at: Parley, redis_url: str, tmp_path: Path
) -> None:
    """Publishing behind it says what to do, and to do it is enough."""
    at("session", "new", "s")
    at("say", "s", "I propose tea.", "--as", "ana")
    with redis.Redis.from_url(redis_url) as r:
        r.xadd(Keys(1).of("s").log, {"a": "b"}, id="9-9")
    ran = at("say", "s", "More tea.", "--as", "bo")
    assert ran.code == 1
    assert "entry 9-9, which Parley did not write" in ran.err
    assert at("session", "verify", "s").code == 1
    first, second = re.findall(r"'parley (session [^']+)'", ran.err)
    file = str(tmp_path / "s.json")
    ran = at(*first.split(), "--out", file)
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "left out: entry 9-9, which Parley did not write", f"2 entries in {file}"
    ]  # fmt: skip
    assert at(*second.replace("FILE", file).split()).code == 0
    assert at("say", "s", "More tea.", "--as", "bo").code == 0
    assert at("session", "verify", "s").code == 0


@pytest.mark.parametrize("key", ["ids", "log", "meta"])
def test_publishing_into_a_damaged_session_names_it(at: Parley, redis_url: str, key: str) -> None:
    """And leaves the others alone."""
    for name in ("ill", "well"):
        at("session", "new", name)
    keys = Keys(1).of("ill")
    with redis.Redis.from_url(redis_url) as r:
        r.delete(getattr(keys, key))
        r.set(getattr(keys, key), "garbage")
    ran = at("say", "ill", "I propose tea.", "--as", "ana")
    assert ran.code == 1
    assert "session 'ill' are damaged" in ran.err
    assert len(ran.err.splitlines()) == 1
    assert at("say", "well", "I propose tea.", "--as", "ana").code == 0


def test_the_doctor_names_each_damaged_key_with_its_cure(at: Parley, redis_url: str) -> None:
    """In words and as rows; a lease that cannot be read keeps nothing from its work."""
    for name in ("ill", "well"):
        at("session", "new", name)
        at("say", name, "I propose tea.", "--as", "ana")
    keys = Keys(1).of("ill")
    with redis.Redis.from_url(redis_url) as r:
        r.hset(keys.bucket.claims("fold"), "well", "x")
        r.delete(keys.ids)
        r.set(keys.ids, "garbage")
    ran = at("doctor", "--no-model", "--json")
    assert ran.code == 1
    rows = {row["key"]: row for row in ran.rows() if row["what"] == "keys"}
    assert set(rows) == {keys.ids, keys.bucket.claims("fold")}
    ids, lease = rows[keys.ids], rows[keys.bucket.claims("fold")]
    assert (ids["state"], ids["session"], ids["holds"], ids["should"]) == (
        "fail", "ill", "is a string", "a hash",
    )  # fmt: skip
    assert (lease["state"], lease["session"]) == ("warn", "well")
    assert "has 'x' for the lease of 'well'" in lease["finding"]
    assert f"'redis-cli DEL {keys.ids}'" in at("doctor", "--no-model").out.replace("\n", " ")
    with redis.Redis.from_url(redis_url) as r:
        r.delete(keys.ids)  # as it says
    assert at("say", "ill", "More.", "--as", "ana").code == 0
    assert at("session", "verify", "ill").code == 0
