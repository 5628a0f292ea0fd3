"""What others do to a Redis that Parley uses: to sessions that are there for it, or to all."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import redis

from parley.listeners.cache.fold_build import fold_build
from tests.support.servers.servers import RedisServer

STRAYS: Final = ("stray-1", "stray-2", "stray-3")  # sessions that others write into, or damage
GARBAGE: Final = (b"", b"x", b"-1", b"1.5", b"nan", b"9" * 25, b"\xff\x00", b"- - x", b"a b c d")
_PUT: Final[dict[str, Callable[[Any, str], object]]] = {
    "string": lambda ask, key: ask.set(key, "not what it was"),
    "list": lambda ask, key: ask.rpush(key, "x"),
    "set": lambda ask, key: ask.sadd(key, "x"),
    "zset": lambda ask, key: ask.zadd(key, {"x": 1}),
    "hash": lambda ask, key: ask.hset(key, "x", "y"),
    "stream": lambda ask, key: ask.xadd(key, {"x": "y"}, id="5-9"),
}
HOUR: Final = 3_600_000  # ms
_SHIFT: Final = """
local rows = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #rows, 2 do redis.call('ZINCRBY', KEYS[1], ARGV[1], rows[i]) end
"""


async def poison(server: RedisServer, chance: random.Random) -> None:
    """An entry that nobody's library writes, behind the newest of a stray session."""
    prefix = f"parley:{{0}}:s:{chance.choice(STRAYS)}"
    fields = chance.choice((
        {"id": "x", "t": "soon", "entry": "{}"},
        {"id": "x", "t": "1", "entry": '{"kind": "message", "v": 1}'},
        {"nothing": "of all that"},
    ))  # fmt: skip
    with suppress(redis.RedisError), server.client() as client:
        ask: Any = client
        head = int(ask.hget(f"{prefix}:meta", "head") or 0)  # none: it was lost, or damaged
        ask.xadd(f"{prefix}:log", fields, id=f"{head + 1}-{head}")
        ask.hset(f"{prefix}:meta", "head", head + 1)


async def damage(server: RedisServer, chance: random.Random) -> None:
    """A key of a stray session holds what Parley never put there, or is gone, or a part of it."""
    key = chance.choice(("facts", "ids", f"memory:{fold_build()}", "meta", "log"))
    name = f"parley:{{0}}:s:{chance.choice(STRAYS)}:{key}"
    with suppress(redis.RedisError), server.client() as client:
        ask: Any = client
        held = ask.type(name).decode()
        match chance.choice(("type", "part", "gone")):
            case "part" if held == "hash":
                ask.hset(name, chance.choice(ask.hkeys(name)), chance.choice(GARBAGE))
            case "part" if held == "stream":
                ask.xdel(name, chance.choice(ask.xrange(name))[0])
            case "gone":
                ask.delete(name)
            case _:
                kinds = [kind for kind in _PUT if kind != held]
                ask.delete(name)
                _PUT[chance.choice(kinds)](ask, name)


async def trim(server: RedisServer, chance: random.Random) -> None:
    """The oldest entries of a stray session are gone, or all of them."""
    with suppress(redis.RedisError), server.client() as client:
        log = f"parley:{{0}}:s:{chance.choice(STRAYS)}:log"
        client.xtrim(log, maxlen=chance.choice((0, 2)), approximate=False)


async def lose_index(server: RedisServer, chance: random.Random, session: str) -> None:
    """The index of ids of a session is gone, or one id of it: from the log all is put back."""
    ids = f"parley:{{0}}:s:{session}:ids"
    with suppress(redis.RedisError), server.client() as client:
        ask: Any = client
        if chance.random() < 0.5 and (names := ask.hkeys(ids)):
            ask.hdel(ids, chance.choice(names))
        else:
            ask.delete(ids)


async def garble_lease(server: RedisServer, chance: random.Random, session: str) -> None:
    """A lease cannot be read, or all of a lane: each counts as none."""
    claims = f"parley:{{0}}:claims:{chance.choice(('fold', 'fold', 'effects'))}"
    with suppress(redis.RedisError), server.client() as client:
        ask: Any = client
        if chance.random() < 0.7:
            ask.hset(claims, session, chance.choice(GARBAGE))
        else:
            ask.delete(claims)
            ask.set(claims, chance.choice(GARBAGE))


async def flush(server: RedisServer) -> None:
    """Nothing is left; every session is young enough that its publishers have all of it."""
    with suppress(redis.RedisError), server.client() as client:
        client.flushall()


async def step_clock(server: RedisServer, chance: random.Random) -> None:
    """As if Redis' clock went an hour ahead, or back: so much sooner or later all is due.

    A server's clock cannot be set here. What is due, leases among it, is all of what the
    scripts compare with it.
    """
    with suppress(redis.RedisError), server.client() as client:
        ask: Any = client
        for key in ask.keys("parley:{*}:due:*"):
            ask.eval(_SHIFT, 1, key, chance.choice((-HOUR, HOUR)))
