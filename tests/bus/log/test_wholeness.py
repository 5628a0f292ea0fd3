"""A log that lacks entries is named at once; an index that lacks ids is mended before anything."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest

from parley.bus import Bus, Draft, Scripts
from parley.bus.contract.errors import BusError, SessionDamaged
from parley.bus.contract.keys import Keys
from parley.bus.contract.wire import fingerprint
from parley.bus.entries import Message
from tests.support.processes.own_code import OWN_CODE
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.talks import (
    claim_of,
    commit_of,
    everything,
    message_draft,
    summary,
    talk,
)

A: Final = Keys(1).of("a")

Damage = Callable[[Any], object]
SHORT: Final[dict[str, Damage]] = {
    "trimmed": lambda raw: raw.xtrim(A.log, maxlen=2, approximate=False),
    "deleted": lambda raw: raw.delete(A.log),
    "one gone": lambda raw: raw.xdel(A.log, "3-2"),
    "both gone": lambda raw: raw.delete(A.log, A.ids),
}


async def _listen(bus: Bus) -> None:
    async with bus.subscribe("a", 0) as subscription:
        await anext(subscription)


DOORS: Final[dict[str, Callable[[Bus], Awaitable[object]]]] = {
    "publish": lambda bus: bus.publish("a", [message_draft(9)]),
    "read": lambda bus: bus.read("a", 0),
    "read the newest": lambda bus: bus.read("a", 5),
    "tail": lambda bus: bus.tail("a", 1),
    "read_many": lambda bus: bus.read_many([("a", 4)]),
    "info": lambda bus: bus.info("a"),
    "subscribe": _listen,
    "set_aside": lambda bus: bus.set_aside("a", 4, "poison"),
    "redact": lambda bus: bus.redact("a", 5, blank=_blank, reason="a secret"),
}


def _blank(log: Any, n: int) -> Message:
    return Message(participant="ana", content="redacted")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("damage", SHORT)
async def test_every_door_names_a_log_that_is_shorter_than_its_head(
    bus: Bus, raw: Any, damage: str, door: str
) -> None:
    """At once, whether or not what was asked for is there; a neighbour is served."""
    await talk(bus, "a", 5)
    await talk(bus, "b", 2)
    SHORT[damage](raw)
    left = raw.xlen(A.log)
    with pytest.raises(BusError, match=f"has {left} of 6 entries"):
        await DOORS[door](bus)
    assert raw.xlen(A.log) == left  # nothing was added
    assert len(await bus.read("b", 0)) == 3


async def test_a_commit_and_a_result_name_it_too(bus: Bus, raw: Any) -> None:
    """Of a worker that holds its copy, or has a result."""
    await talk(bus, "a", 3)
    records, claim = await everything(bus, "a"), await claim_of(bus, "a")
    await bus.commit(claim, commit_of(records[2], "a", effects=[("effects", "x", ())]), done=False)
    (effect,) = (await bus.take("effects", "w", lease_ms=60_000)).claims
    raw.xdel(A.log, "2-1")
    with pytest.raises(BusError, match="has 3 of 4 entries"):
        await bus.commit(claim, commit_of(records[3], "a"), done=True)
    with pytest.raises(BusError, match="has 3 of 4 entries"):
        await bus.finish(effect, "a", summary(), records[3].identity)


async def test_a_damaged_session_is_listed_as_such_and_can_be_removed(bus: Bus, raw: Any) -> None:
    await talk(bus, "a", 5)
    raw.delete(A.log)
    assert [info.status for info in await bus.sessions()] == ["damaged"]
    await bus.remove("a")
    assert await bus.sessions() == []


LOST: Final[dict[str, Damage]] = {
    "deleted": lambda raw: raw.delete(A.ids),
    "an id": lambda raw: raw.hdel(A.ids, "m3"),
}


@pytest.mark.parametrize("seconds", [0.0, 60.0])
@pytest.mark.parametrize("damage", LOST)
async def test_a_lost_index_is_mended_before_anything_is_appended(
    redis_url: str, raw: Any, damage: str, seconds: float
) -> None:
    """Whoever publishes: nothing is doubled, and each id has its place again."""
    async with await Bus.connect(redis_url, outbox_seconds=seconds) as bus:
        await talk(bus, "a", 5)
        before = raw.hgetall(A.ids)
        LOST[damage](raw)
        (again, new) = await bus.publish("a", [message_draft(3), message_draft(6)])
        assert (again.seq, again.duplicate, new.seq) == (4, True, 7)
        names = [record.id for record in await everything(bus, "a")]
        assert names == ["open", *(f"m{k}" for k in range(1, 7))]
        assert {k: v for k, v in raw.hgetall(A.ids).items() if k != b"m6"} == before
        assert bus.healed == (await bus.info("a")).healed == 0


async def test_without_the_rule_what_was_acknowledged_is_doubled(redis_url: str, raw: Any) -> None:
    """What it is for."""
    scripts = Scripts({"publish.index": ""})
    async with await Bus.connect(redis_url, outbox_seconds=0, scripts=scripts) as bus:
        await talk(bus, "a", 5)
        raw.delete(A.ids)
        await bus.publish("a", [message_draft(3)])
        names = Counter(record.id for record in await everything(bus, "a"))
        assert names["m3"] == 2


async def test_what_names_an_entry_finds_it_in_a_mended_index(bus: Bus, raw: Any) -> None:
    """As `find` does, and a `re` that is the id of an entry."""
    await talk(bus, "a", 3)
    raw.delete(A.ids)
    answer = Message(participant="bo", content="Agreed.", re="m2")
    await bus.publish("a", [Draft("answer", answer)])
    raw.delete(A.ids)
    found = await bus.find("a", "answer")
    assert found is not None
    assert getattr(found.entry, "re", None) == 2


async def test_an_index_is_mended_of_redacted_and_strange_entries_too(bus: Bus, raw: Any) -> None:
    """A redacted entry is a duplicate whatever comes under its id; a stranger's has a place."""
    await talk(bus, "a", 3)
    await bus.redact("a", 2, blank=_blank, reason="a secret")
    for seq in (6, 7):
        raw.xadd(A.log, {"id": "m1", "t": 1, "entry": '{"kind":"odd","v":1}'}, id=f"{seq}-3")
    raw.hset(A.meta, "head", 7)
    raw.delete(A.ids)
    (receipt,) = await bus.publish("a", [message_draft(2)])
    assert (receipt.seq, receipt.duplicate) == (3, True)
    index = raw.hgetall(A.ids)
    assert index[b"m2"] == b"3-2 -"
    assert index[b"m1"].startswith(b"2-1 ")
    assert {b"at:6-3", b"at:7-3"} <= set(index)
    (receipt,) = await bus.publish("a", [message_draft(9)])
    assert receipt.seq == 8


async def test_an_effect_has_one_result_over_a_lost_index(bus: Bus, raw: Any) -> None:
    """Sent twice, with the index lost between."""
    await talk(bus, "a", 3)
    records, claim = await everything(bus, "a"), await claim_of(bus, "a")
    await bus.commit(claim, commit_of(records[3], "a", effects=[("effects", "x", ())]), done=True)
    (effect,) = (await bus.take("effects", "w", lease_ms=60_000)).claims
    first = await bus.finish(effect, "a", summary(), records[3].identity)
    raw.delete(A.ids)
    again = await bus.finish(effect, "a", summary(), records[3].identity)
    assert (again.seq, again.duplicate) == (first.seq, True)


async def test_a_long_log_has_its_index_mended_in_slices(bus: Bus, raw: Any) -> None:
    await talk(bus, "a", 1_200)
    before = raw.hgetall(A.ids)
    raw.delete(A.ids)
    await bus.publish("a", [message_draft(1)])
    assert raw.hgetall(A.ids) == before


async def test_an_index_that_goes_while_entries_are_missing_mends_nothing(
    bus: Bus, raw: Any
) -> None:
    await talk(bus, "a", 5)
    raw.delete(A.log, A.ids)
    with pytest.raises(SessionDamaged, match="has 0 of 6 entries"):
        await bus.publish("a", [message_draft(1)])
    assert not raw.exists(A.log, A.ids)


PUBLISHER: Final = """
import asyncio, sys
from parley.bus import Bus, Draft
from parley.bus.entries import Message
async def main():
    async with await Bus.connect(sys.argv[1], outbox_seconds=30) as bus:
        for k in range(400):
            name = f"{sys.argv[2]}{k}"
            draft = Draft(name, Message(participant="ana", content=f"{name} is said."))
            (receipt,) = await bus.publish("a", [draft])
            print(name, receipt.seq, file=sys.stderr, flush=True)
        await asyncio.sleep(2)  # its watcher looks at what it published
asyncio.run(main())
"""


@pytest.mark.real_server
async def test_an_index_deleted_beside_living_publishers_doubles_nothing(
    any_server: RedisServer, bus: Bus, raw: Any
) -> None:
    """Two processes publish while it goes again and again: each id once, at its receipt."""
    await talk(bus, "a", 3)
    command = [sys.executable, "-c", PUBLISHER, any_server.url]
    env = {**os.environ, "PYTHONPATH": OWN_CODE}
    publishers = [
        subprocess.Popen([*command, name], env=env, stderr=subprocess.PIPE, text=True)
        for name in ("x", "y")
    ]
    try:
        told = [asyncio.create_task(asyncio.to_thread(each.communicate)) for each in publishers]
        await wait_until(lambda: raw.xlen(A.log) > 30)
        for _ in range(20):
            raw.delete(A.ids)
            await asyncio.sleep(0.05)
        receipts = "".join([(await asyncio.wait_for(task, PATIENCE))[1] for task in told])
    finally:
        for each in publishers:
            each.kill()
    records = await everything(bus, "a")
    at = {record.id: record.seq for record in records}
    assert len(at) == len(records) == 4 + 2 * 400
    for line in receipts.splitlines():
        name, seq = line.split()
        assert at[name] == int(seq)
    index = raw.hgetall(A.ids)
    bodies = {row: fields[b"entry"] for row, fields in raw.xrange(A.log)}
    assert index == {
        record.id.encode(): f"{place} {fingerprint(bodies[place.encode()])}".encode()
        for record in records
        for place in (f"{record.seq}-{record.n}",)
    }


async def test_a_state_without_its_incarnation_is_named(bus: Bus, raw: Any) -> None:
    """As a stranger leaves one: nobody asks again and again."""
    raw.xadd(A.log, {"id": "x", "t": 1, "entry": "{}"}, id="1-0")
    raw.hset(A.meta, mapping={"head": 1, "n": 0})
    with pytest.raises(SessionDamaged, match="names no incarnation"):
        await asyncio.wait_for(bus.publish("a", [message_draft(1)]), PATIENCE)
