"""What others do to a Redis that Parley uses: to sessions that are there for it, or to all."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any, Final

import redis

from parley.listeners.cache.fold_build import fold_build
from tests.support.servers.servers import RedisServer

STRAYS: Final = ("stray-1", "stray-2", "stray-3")  # sessions that others write into, or damage
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
    """A key of a stray session is of another type."""
    key = chance.choice(("facts", "ids", f"memory:{fold_build()}", "meta", "log"))
    name = f"parley:{{0}}:s:{chance.choice(STRAYS)}:{key}"
    with suppress(redis.RedisError), server.client() as client:
        client.delete(name)
        client.set(name, "not what it was")


async def trim(server: RedisServer, chance: random.Random) -> None:
    """The oldest entries of a stray session are gone."""
    with suppress(redis.RedisError), server.client() as client:
        client.xtrim(f"parley:{{0}}:s:{chance.choice(STRAYS)}:log", maxlen=2, approximate=False)


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
