"""Sessions as earlier versions of the fold left them: each is taken, folded anew, and agrees.

A golden session is the file that a release of that version exported, with the memory that its
worker had stored. It was made by the same commands each time: proposals, positions, a vote, a
decision in words, a summary.
"""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
import redis

from parley.bus import Bus
from parley.bus.contract.keys import Keys
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector
from parley.memory.errors import DomainError
from parley.memory.fold.canonical_bytes import load
from parley.memory.state.memory import FOLD
from parley.server.runtime.packs import read_packs
from tests.support.doors.calls import Parley
from tests.support.servers.patience import wait_until
from tests.support.sessions.sessions import is_settled, running

GOLDEN: Final = Path(__file__).resolve().parents[2] / "data" / "golden"
VERSIONS: Final = sorted(path.stem.removeprefix("fold-") for path in GOLDEN.glob("fold-*.json"))

VOTERS: Final = ("ana", "bo", "cy")
COUNTED: Final = "13"  # counted the vote when the session was closed; later ones wait for dee


def memory_of(version: str) -> dict[str, bytes]:
    """The stored memory of that version, as Redis had it."""
    row = json.loads((GOLDEN / f"memory-{version}.json").read_text())
    return {field: b64decode(value) for field, value in row.items()}


def test_there_is_one_of_each_version_that_can_be_had() -> None:
    assert VERSIONS[-7:] == ["13", "14", "15", "16", "17", "18", "19"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_session_of_an_earlier_version_is_folded_anew(
    version: str, at: Parley, redis_url: str
) -> None:
    """Beside the memory that the earlier one stored, which is left alone and misleads nobody."""
    stored: dict[Any, Any] = memory_of(version)
    key = Keys(1).of("golden").memory(version)
    with redis.Redis.from_url(redis_url) as client:
        assert at("session", "import", GOLDEN / f"fold-{version}.json").code == 0
        if version != FOLD:
            client.hset(key, mapping=stored)
        anyio.run(fold, redis_url)
        if version != FOLD:
            assert client.hgetall(key) == {name.encode(): value for name, value in stored.items()}
    verified = at("session", "verify", "golden")
    assert (verified.code, verified.err) == (0, "")
    brief = at("brief", "golden").out
    assert all(words in brief for words in ("we store it in tins", "we buy no more bags"))
    (vote,) = at("vote", "show", "golden", "V1", "--json").rows()
    assert (vote["proposal"], vote["ballots"]) == ("P2", {name: ["accept"] for name in VOTERS})
    assert vote["carried"] == ("accept" if version == COUNTED else None)


async def fold(url: str) -> None:
    """All that is due, by today's version."""
    async with await Bus.connect(url) as bus:
        packs = read_packs(()).known
        async with running(Projector(bus, packs, "w"), EffectRunner(bus, packs, None, "e")):
            await wait_until(lambda: is_settled(bus, "golden"))


@pytest.mark.parametrize("version", VERSIONS)
def test_the_memory_of_another_version_is_refused(version: str) -> None:
    """By its version, whatever its bytes look like."""
    data = memory_of(version)["bytes"]
    packs = read_packs(()).known
    if version == FOLD:
        assert load(data, packs).messages > 0
        return
    with pytest.raises(DomainError, match="not a memory of fold version"):
        load(data, packs)
