"""What the users of a Redis may do, one for each part that Parley plays. Pure.

deploy/redis/users.acl has them as `acl_lines` writes them, without passwords. A script runs
with the rights of whoever calls it, and may be given only keys that they may read and write.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

READING: Final = frozenset({
    "EXISTS", "GET", "HEXISTS", "HGET", "HKEYS", "HLEN", "HMGET", "TYPE", "XLEN", "XRANGE",
    "XREVRANGE", "ZCARD", "ZMSCORE", "ZRANGE", "ZRANGEBYSCORE", "ZREVRANGEBYSCORE", "ZSCORE",
})  # fmt: skip
CONNECTING: Final = frozenset({
    "ASKING", "AUTH", "CLIENT|SETNAME", "CLUSTER|INFO", "CLUSTER|SLOTS", "INFO", "PING", "SELECT",
    "SUBSCRIBE", "TIME", "UNSUBSCRIBE",
})  # fmt: skip
APPENDING: Final = frozenset({"EVAL", "EVALSHA", "HDEL", "HSET", "PUBLISH", "XADD", "ZADD"})

_READ: Final = "%R~parley:*"
_LOG: Final = tuple(f"~parley:{{*}}:s:*:{part}" for part in ("log", "meta", "ids"))
_USE: Final = "~parley:use:*"  # of tenants
_WORK: Final = "~parley:{*}:"
_CACHES: Final = (
    "~parley:{*}:s:*:facts", "~parley:{*}:s:*:memory:*", f"{_WORK}claims:*", f"{_WORK}taken:*",
)  # fmt: skip


class Role(Struct, frozen=True):
    """Commands, and the patterns of keys as ACL SETUSER takes them.

    The commands `on_caches`, which take away what a key holds, are for the keys `caches` alone: a
    selector of Redis 7 has them.
    """

    commands: frozenset[str]
    keys: tuple[str, ...]
    on_caches: frozenset[str] = frozenset()
    caches: tuple[str, ...] = ()

    def acl_rules(self) -> str:
        """In the words of ACL SETUSER."""
        words = f"resetkeys {' '.join(self.keys)} -@all {_allow(self.commands)}"
        if not self.caches:
            return words
        return f"{words} ({' '.join(self.caches)} -@all {_allow(self.on_caches)})"


def _allow(commands: frozenset[str]) -> str:
    return " ".join(f"+{command.lower()}" for command in sorted(commands))


ROLES: Final = {
    # reads logs and memories, and follows them
    "reader": Role(READING | CONNECTING, (_READ,)),
    # opens sessions and publishes, with the library or `parley say`
    "publisher": Role(
        READING | CONNECTING | APPENDING,
        (
            _READ, *_LOG, _USE, "~parley:{*}:s:*:gone", f"{_WORK}due:fold", f"{_WORK}claims:fold",
            f"{_WORK}sessions",
        ),
    ),
    # `parley worker`: folds, answers effects, mends what is due
    "worker": Role(
        READING | CONNECTING | APPENDING
        | {"HINCRBY", "HSETNX", "ZREM"},
        (
            _READ, "~parley:meta", "~parley:workers", _USE, *_LOG, *_CACHES, f"{_WORK}due:*",
            f"{_WORK}sessions", f"{_WORK}dead",
        ),
        frozenset({"DEL", "SET", "XTRIM"}),
        (*_CACHES, f"{_WORK}due:fold", "~parley:workers"),
    ),
    # `parley serve --no-worker`: also removes, redacts and imports sessions for an operator
    "gateway": Role(
        READING | CONNECTING | APPENDING
        | {"EXPIRE", "HSETNX", "PERSIST", "RENAME", "SET", "UNLINK", "ZREM"},
        ("~parley:*",),
    ),
}  # fmt: skip


def acl_lines() -> tuple[str, ...]:
    """The lines of an ACL file: nobody without a name, each role, and an operator of all.

    None has a password, so that nobody can log in before one is added.
    """
    roles = (
        f"user {name} on resetchannels &parley:* {role.acl_rules()}" for name, role in ROLES.items()
    )
    # `default` is off, not denied: Redis 7.0 replays its append-only file as that user, and drops
    # every transaction in it that the user may not run.
    return (
        "user default off allchannels allkeys +@all",
        *roles,
        "user operator on allchannels allkeys +@all",
    )
