"""`session verify` finds what is wrong with a live session, whatever was changed behind it."""

from __future__ import annotations

import asyncio
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable
from hashlib import blake2b
from typing import Any

import pytest
import redis

from parley.bus import Bus, Draft
from parley.bus.contract.errors import SnapshotDamaged
from parley.bus.entries import Message, SessionOpened
from parley.bus.sessions.audit import AuditPage
from parley.bus.work.snapshots import compress
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.server.records.verification import verify_session
from parley.server.runtime.backend import Backend
from parley.server.runtime.packs import read_packs
from tests.support.doors.calls import Parley
from tests.support.sessions.rooms import publish_message
from tests.support.sessions.talks import everything

LOG, IDS, META = "parley:{0}:s:s:log", "parley:{0}:s:s:ids", "parley:{0}:s:s:meta"
SNAPSHOT = "parley:{0}:s:s:memory:" + fold_build()


async def _fold(url: str) -> None:
    """One round of a projector that writes a snapshot at once."""
    async with await Bus.connect(url) as bus:
        pace = ProjectorPace(snapshot_tail=1)
        await Projector(bus, read_packs().known, "worker", pace).round()


@pytest.fixture
def whole(parley: Parley, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Parley:
    """`parley` on a server that holds a sound session `s` with a snapshot."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    parley("session", "new", "s")
    for text in ("[PROPOSAL] We paint it green.", "I support P1.", "Fine."):
        parley("say", "s", text, "--as", text[:3].strip())
    asyncio.run(_fold(redis_url))
    return parley


@pytest.fixture
def client(redis_url: str) -> Any:
    """A plain client of the same server."""
    with redis.Redis.from_url(redis_url) as server:
        yield server


def rewrite(client: Any, rows: list[Any]) -> None:
    """Puts a changed log in place of the stored one."""
    client.delete(LOG)
    for place, fields in rows:
        client.xadd(LOG, fields, id=place)


def test_a_sound_session_is_sound(whole: Parley, client: Any) -> None:
    """Exit 0, no findings, and there was a snapshot to check."""
    assert client.exists(SNAPSHOT)
    ran = whole("session", "verify", "s", "--json")
    assert ran.code == 0
    assert ran.rows()[0] == {"of": "s", "sound": True, "findings": []}


def test_a_floor_whose_epoch_is_not_the_logs_is_found(whole: Parley, client: Any) -> None:
    """A grant would land twice, or none ever again."""
    client.hset("parley:{0}:s:s:meta", "epoch", 3)
    ran = whole("session", "verify", "s", "--json")
    assert ran.code == 1
    assert ran.rows()[0]["findings"] == ["meta epoch 3; the log's floor is in 0"]


def _missing(rows: list[Any], k: int) -> list[Any]:
    return [*rows[:k], *rows[k + 1 :]]


def _closed_up(rows: list[Any], k: int) -> list[Any]:
    """Missing, and those behind it moved up into its place."""
    left = _missing(rows, k)
    return [(rows[place][0], fields) for place, (_, fields) in enumerate(left)]


def _swapped(rows: list[Any], k: int) -> list[Any]:
    other = (k + 1) % len(rows)
    fields = [fields for _, fields in rows]
    fields[k], fields[other] = fields[other], fields[k]
    return [(place, each) for (place, _), each in zip(rows, fields, strict=True)]


def _doubled(rows: list[Any], k: int) -> list[Any]:
    return [*rows, (b"5-4", rows[k][1])]


def _doubled_beside(rows: list[Any], k: int) -> list[Any]:
    """Doubled, and those behind it moved on."""
    fields = [fields for _, fields in rows]
    fields.insert(k, fields[k])
    return [(b"%d-%d" % (seq, seq - 1), each) for seq, each in enumerate(fields, 1)]


def _flipped(rows: list[Any], k: int) -> list[Any]:
    place, fields = rows[k]
    body = bytearray(fields[b"entry"])
    body[len(body) // 2] ^= 1
    return [*rows[:k], (place, {**fields, b"entry": bytes(body)}), *rows[k + 1 :]]


@pytest.mark.parametrize(
    "change", [_missing, _closed_up, _swapped, _doubled, _doubled_beside, _flipped]
)
def test_a_changed_log_is_found(
    whole: Parley, client: Any, change: Callable[[list[Any], int], list[Any]]
) -> None:
    """Missing, swapped, doubled, or one bit of one entry: each entry in turn."""
    sound = client.xrange(LOG)
    for k in range(len(sound)):
        rewrite(client, change(sound, k))
        ran = whole("session", "verify", "s", "--json")
        assert ran.code == 1, k
        assert ran.rows()[0]["findings"]
    rewrite(client, sound)
    assert whole("session", "verify", "s").code == 0


async def test_no_byte_of_the_stored_memory_can_be_flipped(
    whole: Parley, client: Any, redis_url: str
) -> None:
    """Each byte of it in turn, and of its checksum."""
    stored = client.hgetall(SNAPSHOT)
    async with await Bus.connect(redis_url) as bus:
        for name in (b"bytes", b"checksum"):
            for place in range(len(stored[name])):
                bad = bytearray(stored[name])
                bad[place] ^= 1
                client.hset(SNAPSHOT, name, bytes(bad))
                with pytest.raises(SnapshotDamaged):
                    await bus.snapshot("s", fold_build(), strict=True)
            client.hset(SNAPSHOT, name, stored[name])
        assert await bus.snapshot("s", fold_build(), strict=True)


def test_every_flipped_byte_of_the_snapshot_is_found(whole: Parley, client: Any) -> None:
    """Each field of it, the memory in steps of its length."""
    stored = client.hgetall(SNAPSHOT)
    for name, value in stored.items():
        for place in range(0, len(value), max(1, len(value) // 5)):
            bad = bytearray(value)
            bad[place] ^= 1
            client.hset(SNAPSHOT, name, bytes(bad))
            assert whole("session", "verify", "s").code == 1, (name, place)
        client.hset(SNAPSHOT, name, value)
    assert whole("session", "verify", "s").code == 0


def test_a_snapshot_that_was_replaced_whole_is_found(whole: Parley, client: Any) -> None:
    """Its checksum is right, but it is not what the log comes to."""
    data = zlib.decompress(client.hget(SNAPSHOT, "bytes")).replace(b"green", b"brown")
    client.hset(SNAPSHOT, "bytes", compress(data))
    client.hset(SNAPSHOT, "checksum", blake2b(data, digest_size=16).hexdigest())
    ran = whole("session", "verify", "s")
    assert ran.code == 1
    assert "differs from the replay" in ran.out


@pytest.mark.parametrize(
    ("field", "value"), [("head", "9"), ("n", "9"), ("folded", "9"), ("skips", "2")]
)
def test_a_wrong_word_about_the_log_is_found(
    whole: Parley, client: Any, field: str, value: str
) -> None:
    """What meta says is held against the log."""
    client.hset(META, field, value)
    assert whole("session", "verify", "s").code == 1


def test_an_index_that_lost_or_invented_an_id_is_found(whole: Parley, client: Any) -> None:
    """It is what keeps an entry from landing twice."""
    client.hset(IDS, "ghost", "2-1 0000000000000000")
    assert whole("session", "verify", "s").code == 1
    client.hdel(IDS, "ghost")
    client.hdel(IDS, "open")
    assert whole("session", "verify", "s").code == 1


async def test_no_more_of_a_log_is_held_than_its_ids(redis_url: str) -> None:
    """Thirty-two megabytes of talk are read, and folded one and a half times, in half of that."""
    async with await Bus.connect(redis_url) as bus:
        await bus.open("long", SessionOpened())
        drafts = [
            Draft(f"m{k}", Message(participant="ana", content=f"{k} " + "x" * 8_000))
            for k in range(4_000)
        ]
        for first in range(0, len(drafts), 200):
            await bus.publish("long", drafts[first : first + 200])
        del drafts
        backend = Backend.of(bus, read_packs())
        tracemalloc.start()
        try:
            assert await verify_session(backend, "long") == []
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 16 << 20


@pytest.mark.parametrize("happens", ["published", "replaced", "closed"])
async def test_what_happens_meanwhile_is_no_fault(
    redis_url: str, happens: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session goes on, or another takes its place, while it is read."""
    async with await Bus.connect(redis_url) as bus:
        await bus.open("s", SessionOpened())
        for k in range(20):
            await publish_message(bus, "s", "ana", f"Message {k}.")
        pages, past = bus.audit_pages, await everything(bus, "s")

        async def disturbed(session: str) -> AsyncIterator[AuditPage]:
            async for page in pages(session):
                yield page[:10]
                match happens:
                    case "published":
                        await publish_message(bus, "s", "bo", "And one more.")
                    case "closed":
                        await bus.close("s", "done")
                    case _:
                        monkeypatch.setattr(bus, "audit_pages", pages)
                        await bus.restore("s", past[:12], replace=True)
                yield page[10:]

        monkeypatch.setattr(bus, "audit_pages", disturbed)
        assert await verify_session(Backend.of(bus, read_packs()), "s") == []
