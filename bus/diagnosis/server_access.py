"""Who else may use a Redis: whether it asks for a password, and whether that is one."""

from __future__ import annotations

import ipaddress
from dataclasses import replace
from typing import Final, Literal

from msgspec import Struct

from parley.bus.connection.addresses import Address, hide_password, parse_address
from parley.bus.connection.pipeline import Connect
from parley.bus.connection.server_address import server_at
from parley.bus.connection.server_errors import RedisError
from parley.bus.connection.single_node import SingleNode, connect_to, connect_to_primary

_CREDENTIALS: Final = ("username", "password", "password_file")
_KNOWN: Final = frozenset({"change-me", "changeme", "password", "secret", "redis", "parley"})
_CURE: Final = "set requirepass there and put the password into PARLEY_REDIS"


class ServerAccess(Struct, frozen=True):
    """How well a Redis is closed: `open` to whoever reaches it, on this machine or beyond."""

    state: Literal["closed", "local", "open"]
    finding: str  # a whole sentence


async def examine_access(url: str) -> ServerAccess:
    """What somebody without the password of `url` could do. Asks each server of it once."""
    where = parse_address(url)
    address = hide_password(url)
    if not where.hosts:
        return ServerAccess("closed", f"{address} is a socket: its file's mode says who may use it")
    if (where.options.get("password") or "").casefold() in _KNOWN:
        return ServerAccess("open", f"the password of {address} stands in examples; choose another")
    if not any([await _lets_in(connect) for connect in _strangers(where)]):
        return ServerAccess("closed", f"{address} lets nobody in without a password")
    if all(_is_loopback(name) for name, _ in where.hosts):
        why = f"whoever works on this machine can read and change all of {address}"
        return ServerAccess("local", f"{why}; {_CURE}")
    return ServerAccess("open", f"whoever reaches {address} can read and change all of it; {_CURE}")


def _strangers(where: Address) -> list[Connect]:
    """The ways to the servers of an address for somebody without a name."""
    options = {key: value for key, value in where.options.items() if key not in _CREDENTIALS}
    stranger = replace(where, options=options)
    if where.service is not None:
        return [connect_to_primary(stranger)]
    return [connect_to(server_at(stranger, host)) for host in where.hosts]


async def _lets_in(connect: Connect) -> bool:
    """Whether a server answers there."""
    node = SingleNode(connect)
    try:
        await node.once("PING")
    except (RedisError, OSError):
        return False
    finally:
        await node.aclose()
    return True


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
