"""Version, durability and eviction of the Redis server, with warnings about them."""

from __future__ import annotations

import contextlib
from typing import Final, Literal

import anyio
from msgspec import Struct

from parley.bus.connection.connections import Connections
from parley.bus.contract.errors import BusError, Unavailable

Durability = Literal["none", "everysec", "always", "unknown"]
OLDEST: Final = (6, 2)
FULL: Final = 0.98  # of maxmemory
_BY_RISK: Final[tuple[Durability, ...]] = ("none", "unknown", "everysec", "always")
_KEEPS: Final = ("noeviction", "unknown")
_LOADING_SECONDS: Final = 30.0  # an AOF of some GB is read in this time


class ServerInfo(Struct, frozen=True):
    """The facts of a Redis server that decide whether it can hold logs.

    `durability`: `always` means an acknowledgement is on disk; `everysec` that a
    power cut may lose a second; `none` that a restart loses everything; `unknown`
    that there is a file, and the server does not say when it is written (CONFIG denied).
    `warnings` are whole sentences.
    """

    version: str
    durability: Durability
    eviction: str
    cluster: bool
    warnings: tuple[str, ...]


async def examine_server(connections: Connections) -> ServerInfo:
    """The server's facts; of a cluster, the worst of its primaries'.

    Raises `Unavailable` where it is down, locked or too old.
    """
    nodes = await _facts(connections)
    versions = sorted({facts["redis_version"] for facts in nodes if facts.get("redis_version")},
                      key=_numbers)  # fmt: skip
    if versions and _numbers(versions[0]) < OLDEST:
        raise Unavailable(
            f"Redis at {connections.address} is version {versions[0]}; Parley needs 6.2 or newer"
        )
    configs = await _configs(connections)
    known = [*map(_durability, configs), *map(_most_by_info, nodes)]
    durability = min(known, key=_BY_RISK.index)
    evictions = [config.get("maxmemory-policy", "unknown") for config in configs]
    policies = [facts["maxmemory_policy"] for facts in nodes if "maxmemory_policy" in facts]
    eviction = next((each for each in evictions if each not in _KEEPS), evictions[0])
    if eviction == "unknown" and policies:
        eviction = policies[0]
    return ServerInfo(
        versions[0] if versions else "unknown",
        durability,
        eviction,
        any(facts.get("redis_mode") == "cluster" for facts in nodes),
        (
            *_warnings(durability, eviction),
            *dict.fromkeys(each for facts in nodes for each in _fullness(facts)),
        ),
    )


async def _facts(connections: Connections) -> list[dict[str, str]]:
    """What INFO says, of each node."""
    await _wait_while_loading(connections)
    try:
        replies = await connections.on_each("INFO")
    except Unavailable:
        raise
    except BusError:
        return [{}]  # fakeredis has no INFO
    return [_read_facts(reply) for reply in replies]


def _read_facts(reply: object) -> dict[str, str]:
    text = reply.decode(errors="replace") if isinstance(reply, bytes) else ""
    pairs = (line.partition(":") for line in text.splitlines())
    return {key: value for key, colon, value in pairs if colon}


async def _wait_while_loading(connections: Connections) -> None:
    """Waits for a server that is loading; any other error is raised at once."""
    deadline = anyio.current_time() + _LOADING_SECONDS
    while True:
        try:
            await connections.once("PING")
        except Unavailable as error:
            if "loading" not in str(error) or anyio.current_time() > deadline:
                raise
            await anyio.sleep(0.1)
        else:
            return


async def _configs(connections: Connections) -> list[dict[str, str]]:
    """The settings that matter, of each node; managed servers deny CONFIG."""
    configs: list[dict[str, str]] = []
    for name in ("appendonly", "appendfsync", "maxmemory-policy"):
        with contextlib.suppress(BusError):
            replies = await connections.on_each("CONFIG", "GET", name)
            configs += [{} for _ in range(len(replies) - len(configs))]
            for config, flat in zip(configs, replies, strict=False):
                if flat and len(flat) == 2:
                    config[name] = bytes(flat[1]).decode()
    return configs or [{}]


def _durability(config: dict[str, str]) -> Durability:
    if "appendonly" not in config:
        return "unknown"
    if config["appendonly"] != "yes":
        return "none"
    fsync = config.get("appendfsync")
    if fsync == "always":
        return "always"
    return "everysec" if fsync == "everysec" else "none"


def _most_by_info(facts: dict[str, str]) -> Durability:
    """The most that INFO leaves possible: it tells who may not ask for settings that none is."""
    return "none" if facts.get("aof_enabled") == "0" else "always"


def _warnings(durability: Durability, eviction: str) -> list[str]:
    warnings = []
    if durability == "none":
        warnings.append("a restart of this Redis loses sessions; set appendonly yes")
    if durability == "unknown":
        warnings.append(
            "this user may not ask when Redis writes its append-only file (CONFIG GET appendfsync)"
        )
    if eviction not in _KEEPS:
        warnings.append(
            f"this Redis may evict sessions ({eviction}); set maxmemory-policy noeviction"
        )
    return warnings


def _fullness(facts: dict[str, str]) -> list[str]:
    """What to do where hardly any memory is left."""
    used, most = int(facts.get("used_memory", 0)), int(facts.get("maxmemory", 0))
    if not most or used < most * FULL:
        return []
    return [
        f"this Redis is full ({used >> 20} of {most >> 20} MB): nothing more can be published; "
        "give it more memory (maxmemory), or archive and remove old sessions"
    ]


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".")[:2]
    return tuple(int(part) for part in parts if part.isdigit())
