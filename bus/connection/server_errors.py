"""What goes wrong between a process and its Redis, and what each of that means to a caller."""

from __future__ import annotations

import re
from typing import Final

from parley.bus.contract.errors import BusError, OutOfOrder, Unavailable, WrongType


class RedisError(Exception):
    """What a Redis answered instead of a result, or that it did not answer."""


class ReplyError(RedisError):
    """The server refused one command; the connection is as good as before."""


class ConnectionLost(RedisError):
    """No more replies come on this connection; another may have better luck."""


class LoginRefused(ConnectionLost):
    """The server does not take this name or password, nor will it the next time."""


def read_error(text: str) -> RedisError:
    """The error that the reply `text` stands for."""
    is_passing = text.startswith("LOADING") or "max number of clients" in text
    return ConnectionLost(text) if is_passing else ReplyError(text)


_NAMED_KEY: Final = re.compile(r"PARLEYKEY\(([^|]*)\|([^)]*)\)")  # as scripts/keys.lua names one


def translate_errors(error: Exception, address: str, key: str = "") -> BusError:
    """What `error` means to the caller: the address, the cause and the cure.

    `key` is the one that was asked for.
    """
    text = str(error)
    if named := _NAMED_KEY.search(text):
        return WrongType(named[1], named[2])
    if isinstance(error, RedisError):
        for words, cause in _CURES:
            if any(word in text for word in words):
                return Unavailable(f"Redis at {address} {cause}")
    if isinstance(error, (ConnectionLost, OSError)):
        return Unavailable(
            f"Redis at {address} does not answer ({text or type(error).__name__}); "
            "start it, or set PARLEY_REDIS to one that runs"
        )
    if "wrong kind of value" in text:
        return WrongType(key, "holds another type of value than Parley puts there")
    if "equal or smaller than" in text:
        return OutOfOrder(f"Redis at {address} refused an entry that is not the last of its log")
    return BusError(f"Redis at {address} refused a command of Parley: {text}")


# Matched in this order, on words that 6.2, 7.0 and fakeredis share, wherever in a reply:
# 6.2 puts what a script ran into in the middle of its own words.
_CURES: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("LOADING",), "is still loading its data; try again in a moment"),
    (
        ("WRONGPASS", "invalid username-password", "invalid password", "without any password"),
        "refuses this password; correct the one in PARLEY_REDIS (redis://:password@host)",
    ),
    (
        ("NOAUTH", "Authentication required"),
        "needs a password; put it into PARLEY_REDIS (redis://:password@host)",
    ),
    (
        ("NOPERM",),
        "denies this user a command or a key; 'parley doctor' says what to grant",
    ),
    (
        ("READONLY", "read only replica"),
        "is a read-only replica; point PARLEY_REDIS at its primary",
    ),
    (
        ("OOM", "maxmemory"),
        "is full (maxmemory); give it more memory or archive and remove old sessions",
    ),
    (
        ("MISCONF",),
        "cannot write to its disk and refuses writes; free space, then see its log",
    ),
    (("TRYAGAIN",), "is moving a slot to another node, which takes its time; try again"),
    (
        ("CLUSTERDOWN",),
        "has slots that no node serves; 'parley doctor' says which and what to do",
    ),
    (
        ("NOREPLICAS",),
        "refuses writes while too few replicas follow it; start them, or lower "
        "min-replicas-to-write",
    ),
)
