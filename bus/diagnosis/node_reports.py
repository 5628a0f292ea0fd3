"""What each node of a Redis says of itself, asked without a write: a replica answers too."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct

from parley.bus.connection.connections import Connections
from parley.bus.contract.errors import BusError, Unavailable
from parley.bus.contract.keys import META
from parley.bus.diagnosis.denied_commands import find_denied
from parley.bus.scripts.lua import Scripts

_CONFIGURED: Final = frozenset({
    "bind", "cluster-require-full-coverage", "maxclients", "min-replicas-to-write", "port",
    "protected-mode", "save", "stop-writes-on-bgsave-error", "timeout",
})  # fmt: skip


class NodeReport(Struct, frozen=True):
    """One node: what INFO, CONFIG and CLUSTER INFO say, empty where it does not say it."""

    name: str
    facts: Mapping[str, str]
    config: Mapping[str, str]
    cluster: Mapping[str, str]
    clock_ahead_ms: int  # of this machine's; 0 within the time that it took to ask
    lets_in: bool  # whoever has no name and no password
    limits_default: bool  # the user `default`, as which a Redis replays its append-only file


class ServerReport(Struct, frozen=True):
    """The nodes that answered, what they deny this user, and how sessions are spread over them."""

    nodes: tuple[NodeReport, ...]
    denied: tuple[str, ...]
    buckets: int | None  # None: nobody has connected yet, or it may not be read


async def read_reports(url: str) -> ServerReport:
    """What the Redis at `url` says. Raises `BusError` where it does not answer."""
    connections = Connections(url, Scripts())
    try:
        return await _read(connections)
    finally:
        await connections.aclose()


async def _read(connections: Connections) -> ServerReport:
    facts = [_read_lines(reply) for reply in await _ask(connections, "INFO")]
    if any(each.get("redis_mode") == "cluster" for each in facts):
        if not connections.follows_cluster:
            await connections.follow_cluster()
            facts = [_read_lines(reply) for reply in await _ask(connections, "INFO")]
        cluster = [_read_lines(reply) for reply in await _ask(connections, "CLUSTER", "INFO")]
    else:
        cluster = []
    before = time.time_ns() // 1_000_000
    clocks = await connections.on_each("TIME")
    after = time.time_ns() // 1_000_000
    configs = [_read_pairs(reply) for reply in await _ask(connections, "CONFIG", "GET", "*")]
    users = await _ask(connections, "ACL", "GETUSER", "default")
    nodes = tuple(
        NodeReport(
            f"the node at port {facts[at].get('tcp_port')}" if cluster else "this Redis",
            _at(facts, at), _at(configs, at), _at(cluster, at), _ahead(clock, before, after),
            *((_lets_in(users[at]), _is_limited(users[at])) if at < len(users) else (False, False)),
        )
        for at, clock in enumerate(clocks)
    )  # fmt: skip
    if any(each.get("cluster_state") == "fail" for each in cluster):
        return ServerReport(nodes, (), None)  # it refuses every key, after a wait
    return ServerReport(nodes, await find_denied(connections), await _buckets(connections))


async def _ask(connections: Connections, *words: str) -> list[Any]:
    """What each node answers; nothing where that is denied, or not known there."""
    try:
        return await connections.on_each(*words)
    except Unavailable as error:
        if "denies this user" in str(error):
            return []
        raise
    except BusError:
        return []


async def _buckets(connections: Connections) -> int | None:
    with suppress(BusError, ValueError):
        (stored,) = await connections.once("HMGET", META, "buckets")
        return None if stored is None else int(stored)
    return None


def _read_lines(reply: object) -> dict[str, str]:
    text = reply.decode(errors="replace") if isinstance(reply, bytes) else ""
    pairs = (line.partition(":") for line in text.splitlines())
    return {key: value for key, colon, value in pairs if colon}


def _read_pairs(reply: Any) -> dict[str, str]:
    """The settings that matter here: of passwords nothing is kept."""
    words = [bytes(word).decode(errors="replace") for word in reply or ()]
    pairs = zip(words[::2], words[1::2], strict=False)
    return {name: value for name, value in pairs if name in _CONFIGURED}


def _lets_in(user: Any) -> bool:
    """Whether the user `default`, as ACL GETUSER tells it, is on and has no password."""
    flags = next((row for row in user or () if isinstance(row, list)), [])
    return {b"on", b"nopass"} <= set(_hashable(flags))


def _is_limited(user: Any) -> bool:
    """Whether a user, as ACL GETUSER tells it, lacks a command or a key. Keys are a list in 6.2."""
    words = list(user or ())
    rules = {word: words[at + 1] for at, word in enumerate(words[:-1]) if at % 2 == 0}
    commands, keys = rules.get(b"commands", b"+@all"), rules.get(b"keys", b"~*")
    return commands != b"+@all" or keys not in (b"~*", [b"*"])


def _hashable(words: Iterable[Any]) -> Iterable[bytes]:
    return (word for word in words if isinstance(word, bytes))


def _ahead(clock: Any, before: int, after: int) -> int:
    """By how much a clock is outside the time in which it was asked."""
    now = int(clock[0]) * 1000 + int(clock[1]) // 1000
    return now - after if now > after else min(0, now - before)


def _at(rows: list[dict[str, str]], at: int) -> dict[str, str]:
    return rows[at] if at < len(rows) else {}
