"""Version, durability and eviction of the Redis server, with warnings about them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Final, Literal

import anyio

from parley.bus.connection.connections import Connections
from parley.bus.contract.errors import BusError, Unavailable

Durability = Literal["none", "everysec", "always", "unknown"]
OLDEST: Final = (6, 2)
_FULL: Final = 0.98  # of maxmemory
_LOADING_SECONDS: Final = 30.0  # an AOF of some GB is read in this time


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """The facts of a Redis server that decide whether it can hold logs.

    `durability`: `always` means an acknowledgement is on disk; `everysec` that a
    power cut may lose a second; `none` that a restart loses everything; `unknown`
    that the server does not say (CONFIG denied). `warnings` are whole sentences.
    """

    version: str
    durability: Durability
    eviction: str
    cluster: bool
    warnings: tuple[str, ...]


async def examine_server(connections: Connections) -> ServerInfo:
    """The server's facts. Raises `Unavailable` where it is down, locked or too old."""
    facts = await _facts(connections)
    version = facts.get("redis_version", "")
    if version and _numbers(version) < OLDEST:
        raise Unavailable(
            f"Redis at {connections.address} is version {version}; Parley needs 6.2 or newer"
        )
    config = await _config(connections)
    durability = _durability(config)
    eviction = config.get("maxmemory-policy") or facts.get("maxmemory_policy") or "unknown"
    return ServerInfo(
        version or "unknown",
        durability,
        eviction,
        facts.get("redis_mode") == "cluster",
        (*_warnings(durability, eviction), *_fullness(facts)),
    )


async def _facts(connections: Connections) -> dict[str, str]:
    await _wait_while_loading(connections)
    try:
        reply = await connections.once("INFO")
    except Unavailable:
        raise
    except BusError:
        return {}  # fakeredis has no INFO
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


async def _config(connections: Connections) -> dict[str, str]:
    config: dict[str, str] = {}
    for name in ("appendonly", "appendfsync", "maxmemory-policy"):
        with contextlib.suppress(BusError):  # managed servers deny CONFIG
            reply = await connections.once("CONFIG", "GET", name)
            flat = next(iter(reply.items())) if isinstance(reply, dict) and reply else reply
            if flat and len(flat) == 2:
                config[name] = bytes(flat[1]).decode()
    return config


def _durability(config: dict[str, str]) -> Durability:
    if "appendonly" not in config:
        return "unknown"
    if config["appendonly"] != "yes":
        return "none"
    fsync = config.get("appendfsync")
    if fsync == "always":
        return "always"
    return "everysec" if fsync == "everysec" else "none"


def _warnings(durability: Durability, eviction: str) -> list[str]:
    warnings = []
    if durability == "none":
        warnings.append("a restart of this Redis loses sessions; set appendonly yes")
    if durability == "unknown":
        warnings.append("this Redis does not say whether it writes an append-only file")
    if eviction not in ("noeviction", "unknown"):
        warnings.append(
            f"this Redis may evict sessions ({eviction}); set maxmemory-policy noeviction"
        )
    return warnings


def _fullness(facts: dict[str, str]) -> list[str]:
    """What to do where hardly any memory is left."""
    used, most = int(facts.get("used_memory", 0)), int(facts.get("maxmemory", 0))
    if not most or used < most * _FULL:
        return []
    return [
        f"this Redis is full ({used >> 20} of {most >> 20} MB): nothing more can be published; "
        "give it more memory (maxmemory), or archive and remove old sessions"
    ]


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".")[:2]
    return tuple(int(part) for part in parts if part.isdigit())
