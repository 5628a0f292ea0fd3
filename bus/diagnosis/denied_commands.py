"""Which commands of Parley a Redis denies its user: each is tried where it changes nothing."""

from __future__ import annotations

from typing import Final

from parley.bus.connection.connections import Connections
from parley.bus.connection.server_connection import Argument
from parley.bus.contract.errors import BusError
from parley.bus.diagnosis.roles import ROLES

_KEY: Final = "parley:{0}:s:-:log"  # no session has such a name; whoever writes may write logs
_CACHE: Final = "parley:{0}:s:-:facts"
_TRIED: Final[tuple[tuple[Argument, ...], ...]] = (
    ("EVALSHA", "0" * 40, 1, _KEY),
    ("EVAL", "return 1", 1, _KEY),
    ("HDEL", _KEY, "-"),
    ("HEXISTS", _KEY, "-"),
    ("HGET", _KEY, "-"),
    ("HKEYS", _KEY),
    ("HMGET", _KEY, "-"),
    ("HLEN", _KEY),
    ("DEL", _KEY),
    ("EXISTS", _KEY),
    ("EXPIRE", _KEY, 1),
    ("PERSIST", _KEY),
    ("GET", _KEY),
    ("SET", _KEY, "-", "XX"),
    ("UNLINK", _KEY),
    ("TYPE", _KEY),
    ("XADD", _KEY, "NOMKSTREAM", "*", "-", "-"),
    ("XLEN", _KEY),
    ("XRANGE", _KEY, "-", "+"),
    ("XREVRANGE", _KEY, "+", "-"),
    ("XTRIM", _KEY, "MAXLEN", 1),
    ("ZADD", _KEY, "XX", 0, "-"),
    ("ZCARD", _KEY),
    ("ZMSCORE", _KEY, "-"),
    ("ZRANGE", _KEY, 0, 0),
    ("ZRANGEBYSCORE", _KEY, 0, 0),
    ("ZREM", _KEY, "-"),
    ("ZREVRANGEBYSCORE", _KEY, 0, 0),
    ("ZSCORE", _KEY, "-"),
)
# These cannot be tried in vain.
_UNTRIED: Final = ("HINCRBY", "HSET", "HSETNX", "PUBLISH", "RENAME", "SUBSCRIBE", "UNSUBSCRIBE")
_OF_A_CONNECTION: Final = (
    "ASKING", "AUTH", "CLIENT|SETNAME", "CLUSTER|INFO", "CLUSTER|SLOTS", "CONFIG|GET", "INFO",
    "PING", "SELECT", "TIME",
)  # fmt: skip

# What a user of Parley is allowed, in the words of ACL SETUSER, but for its password.
ALLOWED: Final = " ".join(
    (
        "on", "resetchannels", "&parley:*", "resetkeys", "~parley:*", "-@all",
        *sorted(
            f"+{name.lower()}"
            for name in {str(words[0]) for words in _TRIED} | {*_UNTRIED, *_OF_A_CONNECTION}
        ),
    )
)  # fmt: skip


async def find_denied(connections: Connections) -> tuple[str, ...]:
    """The commands that this user may not use on Parley's keys. Raises `Unavailable`.

    Of a user who is called as a role is, only those that this role needs.
    """
    denied = []
    role = ROLES.get(connections.user)
    for words in _TRIED:
        tried: tuple[Argument, ...] = words
        if role is not None and words[0] in role.on_caches:
            tried = tuple(_CACHE if word == _KEY else word for word in words)
        elif role is not None and words[0] not in role.commands:
            continue
        try:
            await connections.once(*tried)
        except BusError as error:
            if "denies this user" in str(error):
                denied.append(str(words[0]))
            elif "does not answer" in str(error):
                raise
    return tuple(denied)
