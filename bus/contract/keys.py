"""Every Redis key and channel of Parley, in one place. Pure.

A session lives in one bucket; the braces make all keys of a bucket share one
cluster slot, so every script stays atomic on Redis Cluster too.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from parley.bus.contract.errors import InvalidEntry

META: Final = "parley:meta"
WORKERS: Final = "parley:workers"
REVOKED: Final = "parley:revoked"  # ids of tokens, by when each would have expired
USED: Final = "parley:used:"  # and the name of what is good once

SESSION_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
OWED: Final = ("effects", "upgrades", "votes")  # lanes of work that a fold found to be owed
LANES: Final = ("fold", *OWED)


def crc16(data: bytes) -> int:
    """Redis Cluster's checksum (XMODEM): polynomial 0x1021, initial value 0."""
    crc = 0
    for byte in data:
        crc = ((crc << 8) & 0xFFFF) ^ _TABLE[(crc >> 8) ^ byte]
    return crc


def _row(value: int) -> int:
    value <<= 8
    for _ in range(8):
        value = (value << 1) ^ 0x1021 if value & 0x8000 else value << 1
    return value & 0xFFFF


_TABLE: Final = tuple(_row(value) for value in range(256))


def session_of(member: str) -> str:
    """The session of a lane's member: `<session>` or `<session> <effect id>`."""
    return member.partition(" ")[0]


def is_member(lane: str, member: bytes) -> bool:
    """True for a session's id, beside which other lanes than `fold` name an effect."""
    try:
        session, _, effect = member.decode().partition(" ")
    except UnicodeDecodeError:
        return False
    return bool(SESSION_ID.match(session)) and (lane == "fold") == (not effect)


class BucketKeys(Struct, frozen=True):
    """The keys that the sessions of one bucket share."""

    prefix: str  # parley:{b}

    def due(self, lane: str) -> str:
        return f"{self.prefix}:due:{lane}"

    def claims(self, lane: str) -> str:
        return f"{self.prefix}:claims:{lane}"

    def taken(self, lane: str, owner: str) -> str:
        """The last take of `owner`, kept so that a resent take gets the same reply."""
        return f"{self.prefix}:taken:{lane}:{owner}"

    @property
    def sessions(self) -> str:
        return f"{self.prefix}:sessions"

    @property
    def dead(self) -> str:
        return f"{self.prefix}:dead"

    @property
    def wake(self) -> str:
        """Channel: `<lane> <last owner, or ->` when something fell due."""
        return f"{self.prefix}:wake"


class SessionKeys:
    """The keys of one session, and those of its bucket."""

    __slots__ = ("bucket", "facts", "gone", "here", "ids", "log", "meta", "prefix", "wake")

    def __init__(self, bucket: BucketKeys, session: str) -> None:
        self.bucket = bucket
        self.prefix = f"{bucket.prefix}:s:{session}"
        self.log = f"{self.prefix}:log"
        self.meta = f"{self.prefix}:meta"
        self.ids = f"{self.prefix}:ids"
        self.facts = f"{self.prefix}:facts"
        self.gone = f"{self.prefix}:gone"
        self.here = f"{self.prefix}:here"
        self.wake = f"{self.prefix}:wake"

    def memory(self, build: str) -> str:
        """The snapshot by one build of the fold."""
        return f"{self.prefix}:memory:{build}"

    def staged(self, nonce: str) -> tuple[str, str]:
        """The log and the ids of a restore under way."""
        return f"{self.prefix}:staged:{nonce}:log", f"{self.prefix}:staged:{nonce}:ids"

    def appending(self) -> list[str]:
        """What every script that appends an entry declares first."""
        bucket = self.bucket
        return [
            self.log,
            self.meta,
            self.ids,
            bucket.due("fold"),
            bucket.claims("fold"),
            bucket.sessions,
        ]


class Keys:
    """The key layout of a deployment with `buckets` buckets."""

    def __init__(self, buckets: int) -> None:
        self.buckets = tuple(BucketKeys(f"parley:{{{number}}}") for number in range(buckets))

    def bucket(self, session: str) -> BucketKeys:
        return self.buckets[crc16(session.encode()) % len(self.buckets)]

    def of(self, session: str) -> SessionKeys:
        """The keys of `session`. Raises `InvalidEntry` for an id that is none."""
        if not SESSION_ID.match(session):
            raise InvalidEntry(
                f"{session!r} is no session id; use 1 to 64 letters, digits, dots, "
                "hyphens or underscores, beginning with a letter or a digit"
            )
        return SessionKeys(self.bucket(session), session)
