"""Who else may use a Redis: whether it asks for a password, and whether that is one."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit, urlunsplit

import redis.asyncio as redis
from redis import exceptions

from parley.bus.connection.connections import hide_password

_SECONDS: Final = 5.0
_KNOWN: Final = frozenset({"change-me", "changeme", "password", "secret", "redis", "parley"})
_CURE: Final = "set requirepass there and put the password into PARLEY_REDIS"


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """How well a Redis is closed: `open` to whoever reaches it, on this machine or beyond."""

    state: Literal["closed", "local", "open"]
    finding: str  # a whole sentence


async def examine_access(url: str) -> ServerAccess:
    """What somebody without the password of `url` could do. Asks the server once."""
    parts = urlsplit(url)
    address = hide_password(url)
    if parts.scheme == "unix":
        return ServerAccess("closed", f"{address} is a socket: its file's mode says who may use it")
    if (parts.password or "").casefold() in _KNOWN:
        return ServerAccess("open", f"the password of {address} stands in examples; choose another")
    if not await _lets_in(urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))):
        return ServerAccess("closed", f"{address} lets nobody in without a password")
    if _is_loopback(parts.hostname or "localhost"):
        why = f"whoever works on this machine can read and change all of {address}"
        return ServerAccess("local", f"{why}; {_CURE}")
    return ServerAccess("open", f"whoever reaches {address} can read and change all of it; {_CURE}")


async def _lets_in(url: str) -> bool:
    """Whether the server answers to somebody without a name."""
    client = redis.Redis.from_url(url, socket_timeout=_SECONDS, socket_connect_timeout=_SECONDS)
    try:
        await client.ping()
    except (exceptions.RedisError, OSError, TimeoutError):
        return False
    finally:
        await client.aclose()
    return True


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
