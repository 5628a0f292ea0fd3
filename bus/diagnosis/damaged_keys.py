"""Keys of sessions and lanes that hold what Parley never put there, each with its cure.

What a key should be is what the scripts declare of it (`parley.bus.scripts.lua`). Nothing is
written, and keys are looked at in pages: others wait for one page at most.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final, Literal

from msgspec import Struct

from parley.bus.connection.connections import Connections
from parley.bus.connection.server_connection import Argument
from parley.bus.contract.errors import BusError, cure_of
from parley.bus.contract.keys import LANES, SESSION_ID, WORKERS, BucketKeys, Keys, SessionKeys
from parley.bus.scripts.lua import key_types

_PAGE: Final = 500  # sessions, or leases, that are looked at at once
_NUMBERS: Final = ("head", "n", "folded", "epoch", "backlog")
_NUMBER: Final = re.compile(rb"\d{1,15}\Z")
_LEASE: Final = re.compile(rb"\S+ \S+ \d{1,15}\Z")
_SHOWN: Final = 40  # bytes of what a key holds


class DamagedKey(Struct, frozen=True):
    """A key, what it `holds` and `should` hold, and the command that mends it.

    `warn`: Parley mends it by itself, or passes over it.
    """

    key: str
    state: Literal["warn", "fail"]
    holds: str
    should: str
    cure: str
    session: str = ""


async def find_damaged_keys(connections: Connections, keys: Keys) -> AsyncIterator[DamagedKey]:
    """Every key that is damaged: those that sessions share first. Raises `Unavailable`."""
    for bucket in keys.buckets:
        async for found in _of_bucket(connections, bucket):
            yield found
    (beats,) = await connections.attempts([("TYPE", WORKERS)])
    for held in _other(beats, key_types("beat")[0]):
        yield DamagedKey(
            WORKERS, "warn", held, "a hash", f"a worker puts it right; or {_delete(WORKERS)}"
        )
    for bucket in keys.buckets:
        names = await _sessions_of(connections, bucket)
        for first in range(0, len(names), _PAGE):
            page = names[first : first + _PAGE]
            for found in await _of_sessions(connections, keys, page):
                yield found


async def _sessions_of(connections: Connections, bucket: BucketKeys) -> list[str]:
    """The sessions that are listed, or due."""
    names: dict[str, None] = {}
    for key in (bucket.sessions, bucket.due("fold")):
        first, page = 0, [b""]
        while page:
            (reply,) = await connections.attempts([("ZRANGE", key, first, first + _PAGE - 1)])
            page = [] if isinstance(reply, BusError) else reply
            names |= dict.fromkeys(str(name, "utf-8", "replace") for name in page)
            first += _PAGE
    return [name for name in names if SESSION_ID.match(name)]


async def _of_bucket(connections: Connections, bucket: BucketKeys) -> AsyncIterator[DamagedKey]:
    due, claims = key_types("take")[:2]
    types = {bucket.sessions: key_types("publish")[5], bucket.dead: key_types("set_aside")[6]}
    for lane in LANES:
        types |= {bucket.due(lane): due, bucket.claims(lane): claims}
    replies = await connections.attempts([("TYPE", key) for key in types])
    for (key, kind), reply in zip(types.items(), replies, strict=True):
        for held in _other(reply, kind):
            is_cache = kind.endswith("?")
            cure = f"a worker takes it away; or {_delete(key)}" if is_cache else cure_of(key)
            yield DamagedKey(key, "warn" if is_cache else "fail", held, _a(kind), cure)
    for lane in LANES:
        async for found in _of_leases(connections, bucket.claims(lane)):
            yield found


async def _of_leases(connections: Connections, claims: str) -> AsyncIterator[DamagedKey]:
    (members,) = await connections.attempts([("HKEYS", claims)])
    if isinstance(members, BusError):
        return  # of another type: said already
    for first in range(0, len(members), _PAGE):
        page = members[first : first + _PAGE]
        for member, lease in zip(
            page, await connections.command("HMGET", claims, *page), strict=True
        ):
            if lease is not None and not _LEASE.match(lease):
                name = _shown(member)
                yield DamagedKey(
                    claims, "warn", f"has {_shown(lease)!r} for the lease of {name!r}",
                    "nonce, owner and tries",
                    f"the next take writes it anew; or 'redis-cli HDEL {claims} \"{name}\"'",
                    name.partition(" ")[0],
                )  # fmt: skip


async def _of_sessions(
    connections: Connections, keys: Keys, sessions: Sequence[str]
) -> list[DamagedKey]:
    commands: list[tuple[Argument, ...]] = []
    for session in sessions:
        own = keys.of(session)
        commands += [("TYPE", key) for key in (own.log, own.meta, own.ids, own.facts)]
        commands += [
            ("XLEN", own.log), ("HLEN", own.ids),
            ("HMGET", own.meta, "incarnation", "builds", *_NUMBERS),
        ]  # fmt: skip
    replies = iter(await connections.attempts(commands))
    found: list[DamagedKey] = []
    snapshots: list[tuple[str, str]] = []
    for session in sessions:
        own = keys.of(session)
        kinds, (entries, ids, state) = _some(replies, 4), _some(replies, 3)
        found += _of_session(session, own, kinds, entries, ids, state)
        if not isinstance(state, BusError) and state[1]:
            snapshots += [
                (session, own.memory(b)) for b in str(state[1], "utf-8", "replace").split()
            ]
    memory = key_types("commit")[10]
    replies = iter(await connections.attempts([("TYPE", key) for _, key in snapshots]))
    for session, key in snapshots:
        for held in _other(next(replies), memory):
            cure = f"the next snapshot replaces it; or {_delete(key)}"
            found.append(DamagedKey(key, "warn", held, _a(memory), cure, session))
    return found


def _of_session(
    session: str, own: SessionKeys, kinds: Sequence[Any], entries: Any, ids: Any, state: Any
) -> Iterator[DamagedKey]:
    """What is wrong with one session by the types of its keys, their lengths and its state."""
    restore = f"'parley session import FILE --as {session} --replace'"
    exported = f"'parley session export {session}'"
    refold = f"{exported} and 'parley session import {session}.json --replace'"
    cures = {
        own.log: restore,
        own.meta: restore,
        own.ids: f"{_delete(own.ids)}: the next entry has it made anew from the log",
        own.facts: f"{_delete(own.facts)}, then {refold} fold it anew",
    }
    declared = (*key_types("publish")[:3], key_types("commit")[6])
    for (key, cure), kind, reply in zip(cures.items(), declared, kinds, strict=True):
        for held in _other(reply, kind):
            yield DamagedKey(key, "fail", held, _a(kind), cure, session)
    if isinstance(state, BusError):
        return
    if state[0] is None:
        if kinds[0] == b"stream":
            lacks = "is not there" if kinds[1] == b"none" else "has no incarnation"
            yield DamagedKey(own.meta, "fail", lacks, "a hash with its state", restore, session)
        return
    wrong = [
        (name, value) for name, value in zip(_NUMBERS, state[2:], strict=True)
        if not _NUMBER.match(value or b"")
    ]  # fmt: skip
    for name, value in wrong:
        held = f"has {_shown(value or b'')!r} for {name}"
        cure = f"'redis-cli HSET {own.meta} {name} NUMBER' with the right one, or {restore}"
        yield DamagedKey(own.meta, "fail", held, "a whole number", cure, session)
    if wrong:
        return
    head = int(state[2])
    if isinstance(entries, int) and entries < head:
        partly = f"{exported[:-1]} --partial' and {refold.rpartition(' and ')[2][:-1]} --partial'"
        cure = f"{restore} with a saved file" + (f", or {partly}" if entries else "")
        held = f"has {entries:,} of {head:,} entries"
        yield DamagedKey(own.log, "fail", held, "every entry up to its head", cure, session)
    elif isinstance(ids, int) and ids < head:
        held, cure = f"has {ids:,} of {head:,} ids", "the next entry has it made anew from the log"
        yield DamagedKey(own.ids, "warn", held, "the id of every entry", cure, session)


def _other(reply: Any, kind: str) -> Iterator[str]:
    """What a key is, where that is another type than `kind`."""
    held = reply.decode() if isinstance(reply, bytes) else ""
    if held not in ("", "none", kind.rstrip("?")):
        yield f"is {_a(held)}"


def _a(kind: str) -> str:
    return f"a {kind.rstrip('?')}".replace("a zset", "a sorted set")


def _delete(key: str) -> str:
    return f"'redis-cli DEL {key}'"


def _some(replies: Iterator[Any], count: int) -> list[Any]:
    return [next(replies) for _ in range(count)]


def _shown(value: bytes) -> str:
    text = str(value[:_SHOWN], "utf-8", "replace")
    return "".join(letter if letter.isprintable() else "?" for letter in text)
