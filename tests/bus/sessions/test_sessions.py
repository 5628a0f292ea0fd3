"""Sessions as wholes: their list, their removal, their restore."""

from __future__ import annotations

import asyncio

import pytest
import redis
from msgspec.structs import replace

from parley.bus import Bus
from parley.bus.contract.errors import InvalidEntry, SessionExists, SessionNotFound
from parley.bus.contract.wire import decode, encode
from parley.bus.entries import Message, Record, SessionForked, SessionOpened, Unknown
from tests.support.sessions.talks import (
    claim_of,
    commit_of,
    everything,
    fact,
    folded,
    message_draft,
    snapshot_of,
    talk,
)


async def test_sessions_are_listed_by_newest_activity(bus: Bus, raw: redis.Redis) -> None:
    """Page after page."""
    for k, name in enumerate("abcd"):
        await talk(bus, name, 1)
        raw.zadd("parley:{0}:sessions", {name: 1000 + k})
    first = await bus.sessions(0, 3)
    assert [info.session for info in first] == ["d", "c", "b"]
    assert [info.session for info in await bus.sessions(3, 3)] == ["a"]
    assert first[0].last_activity_ms == 1003


@pytest.mark.parametrize("buckets", [1, 16])
async def test_pages_of_sessions_of_one_moment_meet(
    raw: redis.Redis, redis_url: str, buckets: int
) -> None:
    """As of those that were imported together: each is on one page, in one bucket and in many."""
    raw.hset("parley:meta", "buckets", buckets)
    async with await Bus.connect(redis_url) as many:
        names = [f"s{k}" for k in range(12)]
        for name in names:
            await talk(many, name, 1)
        for bucket in many.keys.buckets:
            raw.zadd(bucket.sessions, dict.fromkeys(names, 1000), xx=True)
        pages = [await many.sessions(offset, 5) for offset in (0, 5, 10, 15)]
    assert [len(page) for page in pages] == [5, 5, 2, 0]
    assert sorted(info.session for page in pages for info in page) == sorted(names)


async def test_a_removed_session_leaves_nothing(bus: Bus, raw: redis.Redis) -> None:
    """Only the mark, for a minute, that tells its publishers not to bring it back."""
    await talk(bus, "a", 3)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    await bus.commit(
        claim,
        commit_of(records[-1], "a", facts=[fact(2)], effects=[("effects", "e", ())],
                  snapshot=snapshot_of(records[-1])),
        done=False,
    )  # fmt: skip
    await bus.remove("a")
    left = {key for key in raw.scan_iter("parley:{0}:*") if b":taken:" not in key}
    assert left == {b"parley:{0}:s:a:gone"}
    assert 0 < raw.ttl("parley:{0}:s:a:gone") <= 60
    with pytest.raises(SessionNotFound):
        await bus.remove("a")


async def test_only_a_closed_session_gets_another_word_for_it(bus: Bus, raw: redis.Redis) -> None:
    """An open one stays open, and one that is gone leaves no trace."""
    await talk(bus, "a", 1)
    with pytest.raises(InvalidEntry, match="close it"):
        await bus.mark("a", "archived")
    assert (await bus.info("a")).status == "open"
    await bus.close("a", "done")
    await bus.mark("a", "archived")
    assert (await bus.info("a")).status == "archived"
    with pytest.raises(SessionNotFound):
        await bus.mark("b", "archived")
    assert raw.exists("parley:{0}:s:b:meta") == 0


async def test_a_restored_session_is_the_same_record_for_record(bus: Bus) -> None:
    """Ids, times and numbers included; it is due, and its publishers go on."""
    await talk(bus, "a", 1100)
    await bus.set_aside("a", 7, "poison")
    records = await everything(bus, "a")
    await bus.restore("b", records)
    assert await everything(bus, "b") == records
    info = await bus.info("b")
    assert (info.head, info.n, info.folded, info.skips) == (1102, 1100, 0, (7,))
    assert info.due["fold"] == 1
    assert (await bus.publish("b", [message_draft(5)]))[0].duplicate
    assert (await bus.publish("b", [message_draft(1101)]))[0].seq == 1103


async def test_a_live_session_is_replaced_only_when_told_to(bus: Bus) -> None:
    """And then wholly: facts, snapshot and effects of the old one are gone."""
    await talk(bus, "a", 3)
    records = await everything(bus, "a")
    claim = await claim_of(bus, "a")
    await bus.commit(
        claim,
        commit_of(records[-1], "a", facts=[fact(2)], effects=[("effects", "e", ())],
                  snapshot=snapshot_of(records[-1])),
        done=True,
    )  # fmt: skip
    with pytest.raises(SessionExists):
        await bus.restore("a", records[:2])
    assert (await bus.info("a")).head == 4
    await bus.restore("a", records[:2], replace=True)
    info = await bus.info("a")
    assert (info.head, info.folded, info.due["effects"]) == (2, 0, 0)
    assert await bus.fact_rows("a") == []
    assert await bus.snapshot("a", "1") is None


async def test_whoever_replaces_a_session_at_once_with_others_replaces_it(bus: Bus) -> None:
    """One after the other; nobody who said so is told that it exists."""
    await talk(bus, "a", 3)
    records = await everything(bus, "a")
    replacing = (bus.restore("a", records[:count], replace=True) for count in (1, 2, 3, 4))
    await asyncio.gather(*replacing)
    records = await everything(bus, "a")
    assert (await bus.info("a")).head == len(records)


async def test_a_fork_knows_where_it_came_from(bus: Bus) -> None:
    """A closed session goes on under another name."""
    await talk(bus, "a", 2)
    await bus.close("a", "done")
    records = await everything(bus, "a")
    forked = Record(4, 2, "fork", 5, decode(encode(SessionForked(session="a", n=2))))
    await bus.restore("b", [*records[:3], forked], origin="a@2")
    info = await bus.info("b")
    assert (info.origin, info.status) == ("a@2", "open")
    await bus.restore("c", records)
    info = await bus.info("c")
    assert (info.origin, info.status) == ("import", "closed")


@pytest.mark.parametrize("damage", ["gap", "swap", "double", "n", "headless", "empty"])
async def test_what_is_no_whole_log_is_not_restored(bus: Bus, damage: str) -> None:
    """Nothing is written."""
    await talk(bus, "a", 4)
    records = await everything(bus, "a")
    match damage:
        case "gap":
            del records[2]
        case "swap":
            records[2], records[3] = records[3], records[2]
        case "double":
            records[3] = replace(records[3], id=records[2].id)
        case "n":
            records[3] = replace(records[3], n=9)
        case "headless":
            records = [replace(r, seq=r.seq - 1) for r in records[1:]]
        case _:
            records = []
    with pytest.raises(InvalidEntry):
        await bus.restore("b", records)
    with pytest.raises(SessionNotFound):
        await bus.info("b")


async def test_entries_that_were_not_understood_are_restored_as_they_were(bus: Bus) -> None:
    """A newer version's entry survives an older one's import."""
    opened = Record(1, 0, "open", 1, decode(encode(SessionOpened())))
    odd = Record(2, 0, "x", 2, Unknown("song", b'{"kind":"song","v":7,"notes":[1,2]}'))
    await bus.restore("a", [opened, odd])
    assert (await everything(bus, "a"))[1] == odd


async def test_a_session_reopened_by_name_is_another(bus: Bus) -> None:
    """Its incarnation tells them apart."""
    await talk(bus, "a", 1)
    before = (await bus.info("a")).incarnation
    await bus.remove("a")
    await talk(bus, "a", 1)
    assert (await bus.info("a")).incarnation != before


async def test_many_sessions_are_read_in_one_round_trip(bus: Bus) -> None:
    """Each with the state of its log; None for one that is gone."""
    await talk(bus, "a", 3)
    await talk(bus, "b", 2)
    await folded(bus, "b")
    a, gone, b = await bus.read_many([("a", 1), ("c", 0), ("b", 0)])
    assert gone is None
    assert a is not None
    assert b is not None
    assert [record.id for record in a.records] == ["m1", "m2", "m3"]
    assert (a.head, a.n, a.folded, a.status, a.skips) == (4, 3, 0, "open", ())
    assert (b.folded, len(b.records)) == (3, 3)


async def test_reading_has_bounds(bus: Bus) -> None:
    """After, to, count; and the tail, oldest first."""
    await talk(bus, "a", 9)
    assert [r.seq for r in await bus.read("a", 3, to=6)] == [4, 5, 6]
    assert [r.seq for r in await bus.read("a", 3, count=2)] == [4, 5]
    assert await bus.read("a", 10) == []
    assert [r.seq for r in await bus.tail("a", 3)] == [8, 9, 10]
    message = (await bus.read("a", 1, count=1))[0].entry
    assert encode(Message(participant="ana", content="thought 1")) == encode(message)  # type: ignore[arg-type]  # a decoded entry
