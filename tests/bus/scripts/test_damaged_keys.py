"""Whatever a key holds, a script that fails has changed nothing.

Each script is recorded as the library calls it, with all of Redis as it was then; then each
of its keys in turn is made to hold what Parley never wrote, and the call is made again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import pytest
import redis

from parley.bus import Bus, Scripts
from parley.bus.connection.connections import Connections
from parley.bus.contract.quotas import Quota
from parley.bus.entries import Message
from parley.bus.scripts.lua import NAMES
from tests.support.servers.servers import RedisServer
from tests.support.sessions.talks import (
    LEASE_MS,
    commit_of,
    everything,
    fact,
    folded,
    snapshot_of,
    summary,
    talk,
)

pytestmark = pytest.mark.real_server

Call = tuple[str, tuple[str, ...], tuple[Any, ...], dict[bytes, bytes]]
STRANGE: Final = (
    b"x",
    b"",
    b"-1",
    b"1.5",
    b"inf",
    b"nan",
    b"9" * 25,
    b"\xff\x00",
    b"- - x",
    b"a b c d",
)


def _put_string(raw: Any, key: str) -> None:
    raw.set(key, "x")


def _put_hash(raw: Any, key: str) -> None:
    raw.hset(key, "field", "x")


def _put_list(raw: Any, key: str) -> None:
    raw.rpush(key, "x")


def _put_set(raw: Any, key: str) -> None:
    raw.sadd(key, "x")


def _put_zset(raw: Any, key: str) -> None:
    raw.zadd(key, {"x": 1, "y z": float("inf"), b"\xff": float("-inf")})


def _put_stream(raw: Any, key: str) -> None:
    raw.xadd(key, {"x": "y"}, id="5-9")


def _put_last_stream(raw: Any, key: str) -> None:
    raw.xadd(key, {"x": "y"}, id="18446744073709551615-18446744073709551615")


VALUES: Final = (
    _put_string, _put_hash, _put_list, _put_set, _put_zset, _put_stream, _put_last_stream,
)  # fmt: skip


@pytest.fixture
async def calls(any_server: RedisServer) -> list[Call]:
    """Every call of a script in the life of some sessions, with what Redis held before it."""
    made: list[Call] = []
    with any_server.client() as raw, pytest.MonkeyPatch.context() as patch:
        run = Connections.run

        async def recorded(self: Connections, name: str, keys: Any, args: Any) -> Any:
            made.append((name, tuple(keys), tuple(args), _dumped(raw)))
            return await run(self, name, keys, args)

        patch.setattr(Connections, "run", recorded)
        async with await Bus.connect(any_server.url, outbox_seconds=0) as bus:
            await _live(bus)
    return made


async def _live(bus: Bus) -> None:
    """A life in which every script has its turn."""
    await bus.tenancy.set_quota("acme", Quota(sessions=5, bytes=90_000, rate=500))
    await talk(bus, "acme.b", 3)
    await folded(bus, "acme.b")
    await talk(bus, "a", 14)
    await bus.beat("w", {"lanes": ["fold"]})
    records = await everything(bus, "a")
    (claim,) = (await bus.take("fold", "w", lease_ms=LEASE_MS)).claims
    await bus.renew(claim, LEASE_MS)
    for build, last in (("1", 3), ("2", 4), ("3", 5)):
        part = commit_of(
            records[last], "a", after=last if last > 3 else 0, facts=[fact(last + 1)],
            snapshot=_built(records[last], build),
            effects=[(lane, f"summary:{last}:{lane}", ()) for lane in ("effects", "upgrades")],
        )  # fmt: skip
        await bus.commit(claim, part, done=last == 5)
    (done, moot) = (await bus.take("effects", "w", count=2, lease_ms=LEASE_MS)).claims
    await bus.finish(done, "a", summary(), records[3].identity)
    await bus.drop(moot)
    (claim,) = (await bus.take("fold", "w", lease_ms=LEASE_MS)).claims
    await bus.set_aside("a", 9, "poison")
    await bus.fail(claim, 0)
    await bus._connections.command("HDEL", bus.keys.of("a").ids, "open")
    await bus.close("a", "done")
    await bus.mark("a", "archived")
    await bus.redact("a", 2, blank=_blank, reason="a secret")
    await bus.restore("c", await everything(bus, "acme.b"))
    await bus.restore("c", await everything(bus, "acme.b"), replace=True)
    meta = bus.keys.of("c").meta
    await bus._connections.command("ZREM", bus.keys.of("c").bucket.due("fold"), "c")
    assert await bus.janitor() == 1, meta
    await bus.remove("a")
    await bus.remove("acme.b")


def _built(record: Any, build: str) -> Any:
    return dataclasses.replace(snapshot_of(record), build=build)


def _blank(log: Any, n: int) -> Any:
    return Message(participant="ana", content="redacted")


def _dumped(raw: Any) -> dict[bytes, bytes]:
    return {key: raw.dump(key) for key in raw.keys("*")}


def _restore(raw: Any, state: dict[bytes, bytes]) -> None:
    raw.flushdb()
    for key, value in state.items():
        raw.restore(key, 0, value)


def _damages(raw: Any, key: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """Each wrong value that `key` may hold: by its name, and what puts it there."""
    for put in VALUES:

        def whole(put: Callable[[Any, str], None] = put) -> None:
            raw.delete(key)
            put(raw, key)

        yield put.__name__, whole
    yield from _wrong_parts(raw, key)


def _wrong_parts(raw: Any, key: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """The values of its own type that a key may not hold."""
    held = raw.type(key)
    if held == b"hash":
        for field in raw.hkeys(key):
            yield f"no {field!r}", partial(raw.hdel, key, field)
            for value in STRANGE:
                yield f"{field!r}={value!r}", partial(raw.hset, key, field, value)
    if held == b"zset":
        for member in raw.zrange(key, 0, -1):
            for score in (float("inf"), float("-inf"), 0.5, 1e300):
                yield f"{member!r} at {score}", partial(raw.zadd, key, {member: score})
    if held == b"string":
        for value in (*STRANGE, b"[]", b"[1]", b'{"a":1}', b"null", b"["):
            yield f"{value!r}", partial(raw.set, key, value)
    if held == b"stream":
        yield "trimmed", lambda: raw.xtrim(key, maxlen=1, approximate=False)
        yield "emptied", lambda: raw.xtrim(key, maxlen=0, approximate=False)
        yield "deleted", lambda: raw.delete(key)


@pytest.mark.timeout(300)
async def test_a_script_that_fails_has_changed_nothing(
    calls: list[Call], any_server: RedisServer
) -> None:
    """Every script, every key, every value that it should not have."""
    scripts, tried, failed = Scripts(), 0, set[str]()
    assert {name for name, *_ in calls} == set(NAMES)
    with any_server.client() as raw:
        for name, keys, args, state in _apart(calls):
            for key in dict.fromkeys(keys):
                _restore(raw, state)
                for what, put in list(_damages(raw, key)):
                    _restore(raw, state)
                    put()
                    before = _dumped(raw)
                    tried += 1
                    try:
                        raw.eval(scripts[name].text, len(keys), *keys, *args)
                    except redis.ResponseError as error:
                        after = _dumped(raw)
                        changed = {k for k in {*before, *after} if before.get(k) != after.get(k)}
                        if changed:
                            failed.add(f"{name}: {key}: {what}: changed {changed}: {error}")
    assert not failed, f"{len(failed)} of {tried}:\n" + "\n".join(sorted(failed)[:40])
    assert tried > 1_000


def _apart(calls: list[Call]) -> Iterator[Call]:
    """The longest call of each script, and one of each number of keys."""
    seen: dict[tuple[str, int], Call] = {}
    for call in calls:
        place = call[0], len(call[1])
        if place not in seen or len(seen[place][2]) < len(call[2]):
            seen[place] = call
    yield from seen.values()
