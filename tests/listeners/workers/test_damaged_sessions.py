"""Damage to the keys of one session harms no other: it waits with a reason, they go on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from parley.bus import Bus
from parley.bus.connection.connections import Connections
from parley.bus.contract.keys import SessionKeys
from parley.bus.entries import Unknown
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.workers.projector import Projector, ProjectorPace
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.sessions import discuss, replayed_bytes, running, thoughts, whole

QUICK = ProjectorPace(snapshot_tail=1, idle_seconds=0.05)
NAMES = ("ill", "well1", "well2", "well3")

Damage = Callable[[SessionKeys], list[tuple[str | bytes | int, ...]]]


def _other_type(name: str) -> Damage:
    """The key of that name holds a string, whatever it held."""
    return lambda keys: [("DEL", _key(keys, name)), ("SET", _key(keys, name), "garbage")]


def _key(keys: SessionKeys, name: str) -> str:
    return keys.memory(fold_build()) if name == "memory" else getattr(keys, name)


def _fields(**fields: str) -> Damage:
    """The state of the session says that instead."""
    return lambda keys: [("HSET", keys.meta, *(part for pair in fields.items() for part in pair))]


INCURABLE: dict[str, Damage] = {
    **{name: _other_type(name) for name in ("log", "facts", "meta")},
    "head": _fields(head="garbage"),
    "folded": _fields(folded="garbage"),
    "skips": _fields(skips="1,garbage"),
    "gone": lambda keys: [("DEL", keys.log), ("XADD", keys.log, "1-1", "a", "b")],
    "stateless": lambda keys: [("DEL", keys.meta)],
}


@pytest.mark.parametrize("damage", INCURABLE.values(), ids=list(INCURABLE))
async def test_a_damaged_session_waits_and_its_neighbours_are_folded(
    any_server: RedisServer, damage: Damage
) -> None:
    async with await Bus.connect(any_server.url) as bus:
        for name in NAMES:
            await discuss(bus, name, 20)
        await _damage(bus, "ill", damage)
        async with running(projector := Projector(bus, PACKS, "w1", QUICK)):
            await wait_until(lambda: _all_folded(bus))
            for name in NAMES[1:]:
                await bus.publish(name, thoughts(5, 21))
            await wait_until(lambda: _all_folded(bus))
            await wait_until(lambda: "ill" in projector.tally.apart)
        assert set(projector.tally.apart) == {"ill"}
        assert projector.tally.apart["ill"]
        for name in NAMES[1:]:
            snapshot = await bus.snapshot(name, fold_build())
            assert snapshot is not None
            assert snapshot.data == await replayed_bytes(bus, name)


async def test_a_damaged_session_delays_no_neighbour(any_server: RedisServer) -> None:
    """They are folded in the round in which it is set apart."""
    async with await Bus.connect(any_server.url) as bus:
        for name in NAMES:
            await discuss(bus, name, 20)
        await _damage(bus, "ill", INCURABLE["log"])
        projector = Projector(bus, PACKS, "w1", QUICK)
        await projector.round()
        assert set(projector.tally.apart) == {"ill"}
        assert await _all_folded(bus)


CURABLE: dict[str, Damage] = {  # of caches and leases, which hold no truth
    "memory": _other_type("memory"),
    "claims": lambda keys: [("DEL", keys.bucket.claims("fold")),
                            ("SET", keys.bucket.claims("fold"), "garbage")],
    "snapshot": lambda keys: [("HSET", keys.memory(fold_build()), *(
        part for field in ("upto", "n", "skips", "identity", "bytes", "checksum")
        for part in (field, "garbage")))],
}  # fmt: skip


@pytest.mark.parametrize("damage", CURABLE.values(), ids=list(CURABLE))
async def test_damage_to_what_can_be_made_anew_is_mended(
    any_server: RedisServer, damage: Damage
) -> None:
    async with await Bus.connect(any_server.url) as bus:
        for name in NAMES:
            await discuss(bus, name, 20)
        await _damage(bus, "ill", damage)
        for name in NAMES:
            await bus.publish(name, thoughts(5, 21))
        async with running(projector := Projector(bus, PACKS, "w1", QUICK)):
            await wait_until(lambda: _all_folded(bus))
            await wait_until(lambda: _is_folded(bus, "ill"))
        assert projector.tally.apart == {}
        for name in NAMES:
            snapshot = await bus.snapshot(name, fold_build())
            assert snapshot is not None
            assert snapshot.data == await replayed_bytes(bus, name)


@pytest.mark.parametrize("field", ["upto", "n", "skips", "identity", "bytes", "checksum"])
async def test_a_memory_with_garbage_in_one_field_is_made_anew(redis_url: str, field: str) -> None:
    async with await Bus.connect(redis_url) as bus:
        await discuss(bus, "ill", 20)
        await Projector(bus, PACKS, "w1", QUICK).round()
        await _damage(bus, "ill", lambda keys: [("HSET", keys.memory(fold_build()), field, "\xff")])
        await bus.publish("ill", thoughts(5, 21))
        async with running(projector := Projector(bus, PACKS, "w2", QUICK)):
            await wait_until(lambda: _is_folded(bus, "ill"))
        assert projector.tally.apart == {}
        snapshot = await bus.snapshot("ill", fold_build())
        assert snapshot is not None
        assert snapshot.data == await replayed_bytes(bus, "ill")


async def test_a_session_that_is_mended_is_no_longer_apart(any_server: RedisServer) -> None:
    async with await Bus.connect(any_server.url) as bus:
        await discuss(bus, "ill", 20)
        await _damage(bus, "ill", _other_type("facts"))
        async with running(projector := Projector(bus, PACKS, "w1", QUICK)):
            await wait_until(lambda: "ill" in projector.tally.apart)
            await _damage(bus, "ill", lambda keys: [("DEL", keys.facts)])
            await wait_until(lambda: _is_folded(bus, "ill"))
        assert projector.tally.apart == {}


async def test_a_session_without_a_state_is_left_alone_for_a_while(redis_url: str) -> None:
    """It is due for ever: whoever took it again at once would do nothing else."""
    async with await Bus.connect(redis_url) as bus:
        await discuss(bus, "ill", 20)
        await _damage(bus, "ill", INCURABLE["stateless"])
        projector = Projector(bus, PACKS, "w1", QUICK)
        assert await projector.round() == 0
        assert await projector.round() > 0
        assert "its state is gone" in projector.tally.apart["ill"]


async def test_a_session_that_was_removed_is_not_apart(redis_url: str) -> None:
    """Though it was taken before, and is looked for after."""
    async with await Bus.connect(redis_url) as bus:
        await discuss(bus, "a", 20)
        projector = Projector(bus, PACKS, "w1", QUICK)
        (claim,) = (await bus.take("fold", "w1", lease_ms=1_000)).claims
        await bus.remove("a")
        await projector._serve_part([claim])
        assert projector.tally.apart == {}


@pytest.mark.parametrize(
    "fields",
    [("id", "x", "t", "garbage", "entry", "{}"), ("t", "1"), ("id", "x", "t", "1", "entry", "\xff"),
     ("id", "x", "t", "9" * 30, "entry", "{}"),
     ("id", "x", "t", "1", "entry", b'{"kind":"message","participant":"\xff","content":"a"}')],
)  # fmt: skip
async def test_an_entry_by_a_stranger_is_read_as_unknown(
    any_server: RedisServer, fields: tuple[str | bytes, ...]
) -> None:
    """It is folded as one that this version does not know, and stops nobody."""
    async with await Bus.connect(any_server.url) as bus:
        for name in NAMES:
            await discuss(bus, name, 5)
        await _damage(bus, "ill", lambda keys: [("XADD", keys.log, "7-6", *fields), *_head(keys)])
        async with running(Projector(bus, PACKS, "w1", QUICK)):
            await wait_until(lambda: _all_folded(bus))
            await wait_until(lambda: _is_folded(bus, "ill"))
        assert isinstance((await whole(bus, "ill"))[-1].entry, Unknown)


def _head(keys: SessionKeys) -> list[tuple[str | bytes | int, ...]]:
    return [("HSET", keys.meta, "head", 7)]


async def _damage(bus: Bus, session: str, damage: Damage) -> None:
    connections: Connections = bus._connections
    for command in damage(bus.keys.of(session)):
        await connections.command(*command)


async def _all_folded(bus: Bus) -> bool:
    return all([await _is_folded(bus, name) for name in NAMES[1:]])


async def _is_folded(bus: Bus, session: str) -> bool:
    info = await bus.info(session)
    return info.folded == info.head > 0
