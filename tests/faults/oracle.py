"""What must be true of a Redis after whatever was done to it.

Reads Redis with a plain client and folds with `memory` alone, so that a fault
of the bus cannot hide behind the bus. Every finding is one line that names the
session and the broken promise.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import redis

from parley.bus import Draft
from parley.bus.contract.keys import Keys
from parley.bus.contract.wire import decode, fingerprint
from parley.bus.entries import PRIMARY, Record
from parley.bus.log.local_log import LocalLog
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.offline.local_effects import settle_log
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import checksum, dump, load
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import list_due_summaries
from tests.faults.language import PACKS, opened

Row = tuple[bytes, dict[bytes, bytes]]
ALONE = Keys(1)


@dataclass(slots=True)
class Expected:
    """What publishers were told of one session.

    `drafts` in the order in which they were published, by however many
    publishers; `receipts` what was acknowledged. `moved`: the log went back at
    some time, so that an entry may stand elsewhere than its receipt says.
    `ordered`: one publisher at a time, so the log keeps the order of `drafts`.
    `closed`: somebody closed it after all were acknowledged.
    """

    drafts: Sequence[Draft]
    receipts: dict[str, int] = field(default_factory=dict)
    moved: bool = False
    ordered: bool = True
    closed: bool = False


@dataclass(slots=True)
class Verdict:
    findings: list[str] = field(default_factory=list)
    entries: int = 0
    facts: int = 0
    set_aside: int = 0


def judge(
    client: redis.Redis | redis.RedisCluster,
    expected: Mapping[str, Expected],
    damaged: Collection[str] = (),
    keys: Keys = ALONE,
    *,
    waking: bool = False,
) -> Verdict:
    """Every broken promise there is in the sessions `expected`; of those `damaged`, none is made.

    What was set aside counts, wherever it is none of the damaged ones'. With `waking` the
    janitor may have made sessions due.
    """
    verdict = Verdict()
    for session, published in expected.items():
        rows = Rows(client, session, keys)
        verdict.entries += len(rows.records)
        verdict.facts += len(rows.facts)
        for finding in _findings(rows, published):
            verdict.findings.append(f"{session}: {finding}")
    ask: Any = client
    verdict.set_aside = sum(
        fields.get(b"session", b"").decode() not in damaged
        for bucket in keys.buckets
        for _, fields in ask.xrange(bucket.dead)
    )
    verdict.findings += _of_the_lanes(client, damaged, keys, waking=waking)
    return verdict


class Rows:
    """One session as Redis has it."""

    def __init__(
        self, client: redis.Redis | redis.RedisCluster, session: str, keys: Keys = ALONE
    ) -> None:
        own = keys.of(session)
        ask: Any = client  # redis-py types its replies for every client setting at once
        self.raw: list[Row] = ask.xrange(own.log)
        self.facts: list[Row] = ask.xrange(own.facts)
        self.meta: dict[bytes, bytes] = ask.hgetall(own.meta)
        self.ids: dict[bytes, bytes] = ask.hgetall(own.ids)
        self.snapshot: dict[bytes, bytes] = ask.hgetall(own.memory(fold_build()))
        self.records = [_record(row) for row in self.raw]

    def number(self, name: bytes) -> int:
        return int(self.meta.get(name, b"-1"))


def _record(row: Row) -> Record:
    place, fields = row
    seq, n = place.split(b"-")
    return Record(
        int(seq), int(n), fields[b"id"].decode(), int(fields[b"t"]), decode(fields[b"entry"])
    )


def _findings(rows: Rows, published: Expected) -> Iterator[str]:
    yield from _of_the_numbers(rows)
    yield from _of_the_ids(rows)
    yield from _of_the_publishers(rows, published)
    yield from _of_the_memory(rows, published)


def _of_the_numbers(rows: Rows) -> Iterator[str]:
    """Law 15: dense sequence numbers, and n counts primary entries."""
    n = 0
    for seq, record in enumerate(rows.records, 1):
        n += record.entry.kind in PRIMARY
        if (record.seq, record.n) != (seq, n):
            yield f"entry {record.seq}-{record.n} stands where {seq}-{n} belongs"
            return
    counters = rows.number(b"head"), rows.number(b"n")
    if counters != (len(rows.records), n):
        yield f"meta says head and n are {counters}; the log says {len(rows.records)}, {n}"
    if rows.number(b"folded") != rows.number(b"head"):
        yield f"folded is {rows.number(b'folded')} of {rows.number(b'head')}"


def _of_the_ids(rows: Rows) -> Iterator[str]:
    """Every id once, and the index agrees with the log."""
    seen: dict[str, int] = {}
    for record, (_, fields) in zip(rows.records, rows.raw, strict=True):
        if record.id in seen:
            yield f"id {record.id!r} is at {seen[record.id]} and at {record.seq}"
        seen[record.id] = record.seq
        place = f"{record.seq}-{record.n} {fingerprint(fields[b'entry'])}".encode()
        indexed = rows.ids.get(record.id.encode())
        if indexed != place:
            yield f"the index has {indexed!r} for {record.id!r}, not {place!r}"
    if len(rows.ids) != len(seen):
        yield f"the index has {len(rows.ids)} ids, the log {len(seen)}"


def _of_the_publishers(rows: Rows, published: Expected) -> Iterator[str]:
    """Nothing acknowledged is lost or moved, and the order of publishing is kept."""
    at = {record.id: record.seq for record in rows.records}
    if published.closed and rows.meta.get(b"status") != b"closed":
        yield "its closing, which was acknowledged, is lost"
    for name, seq in published.receipts.items():
        if name not in at:
            yield f"{name!r}, acknowledged as entry {seq}, is lost"
        elif at[name] != seq and not published.moved:
            yield f"{name!r}, acknowledged as entry {seq}, stands at {at[name]}"
    wanted = [draft.id for draft in published.drafts if draft.id in at]
    known = set(wanted)
    if published.ordered and wanted != [record.id for record in rows.records if record.id in known]:
        yield "the order of publishing was not kept"
    strangers = [
        record.id for record in rows.records
        if record.id not in known and record.id != "open" and record.entry.kind in PRIMARY
    ]  # fmt: skip
    if strangers:
        yield f"nobody published {strangers[:3]}"


def _of_the_memory(rows: Rows, published: Expected) -> Iterator[str]:
    """The stored memory and the facts are those of a replay; so is the transcript's memory."""
    memory = Memory(PACKS)
    facts = _replayed(rows, memory)
    owed = [effect.id for effect in list_due_summaries(memory)]
    if owed:
        yield f"{len(owed)} effects are due and nobody will run them: {owed[:3]}"
    replayed = dump(memory)
    yield from _of_the_snapshot(rows, replayed)
    if b"facts_from" in rows.meta and rows.facts:  # the oldest were cut off
        facts = {
            place: fact for place, fact in facts.items() if _key(place) >= _key(rows.facts[0][0])
        }
    stored = {place: orjson.loads(fields[b"fact"]) for place, fields in rows.facts}
    if stored != facts:
        yield _difference(stored, facts)
    whole = len(published.receipts) == len(published.drafts)
    if whole and published.ordered and not published.closed and replayed != alone(published.drafts):
        yield "memory is not what the transcript alone gives"


def replay_of(rows: Rows) -> bytes:
    """The memory that this log comes to."""
    memory = Memory(PACKS)
    _replayed(rows, memory)
    return dump(memory)


def _replayed(rows: Rows, memory: Memory) -> dict[bytes, Any]:
    """Fold the log into `memory`; its facts by their place in the stream."""
    skips = {int(seq) for seq in rows.meta.get(b"skips", b"").split(b",") if seq}
    facts: dict[bytes, Any] = {}
    for record in rows.records:
        for k, fact in enumerate(() if record.seq in skips else apply(memory, record)):
            plain = {"kind": fact.kind, "ref": fact.ref, "n": fact.n, "data": fact.data}
            facts[b"%d-%d" % (record.seq, k)] = orjson.loads(orjson.dumps(plain))
    return facts


def _key(place: bytes) -> tuple[int, int]:
    seq, k = place.split(b"-")
    return int(seq), int(k)


def _of_the_snapshot(rows: Rows, replayed: bytes) -> Iterator[str]:
    stored = rows.snapshot
    if not stored:
        return
    data = zlib.decompress(stored[b"bytes"])
    if checksum(data).encode() != stored[b"checksum"]:
        yield "the snapshot's checksum is wrong"
    upto = int(stored[b"upto"])
    if upto > len(rows.records) or rows.records[upto - 1].identity.encode() != stored[b"identity"]:
        yield f"the snapshot is of {stored[b'identity']!r}, which the log does not have at {upto}"
        return
    memory = load(data, PACKS, upto)
    for record in rows.records[upto:]:
        apply(memory, record)
    if dump(memory) != replayed:
        yield f"the snapshot of {upto} and its tail do not come to what a replay gives"


def _difference(here: dict[bytes, Any], there: dict[bytes, Any]) -> str:
    missing = [place for place in there if place not in here]
    extra = [place for place in here if place not in there]
    other = [place for place in here if place in there and here[place] != there[place]]
    return (
        f"facts: {len(missing)} missing {missing[:3]}, {len(extra)} too many {extra[:3]}, "
        f"{len(other)} different {other[:3]}"
    )


def _of_the_lanes(
    client: redis.Redis | redis.RedisCluster, damaged: Collection[str], keys: Keys, *, waking: bool
) -> Iterator[str]:
    ask: Any = client
    for lane in ("fold", "effects"):
        rows = [member for bucket in keys.buckets for member in ask.zrange(bucket.due(lane), 0, -1)]
        due = [member.decode() for member in rows]
        left = [member for member in due if member.partition("|")[0] not in damaged]
        if left:
            yield f"lane {lane} still owes {left[:5]}"
    repaired = ask.hget("parley:meta", "repaired_total")
    nobody_else = not damaged and not waking  # else what somebody wrote woke nobody
    if repaired and int(repaired) and nobody_else:
        yield f"the janitor had to repair {int(repaired)} wake-ups"


def alone(drafts: Sequence[Draft]) -> bytes:
    """The memory of these messages without a bus: what `analyze` prints."""
    log = LocalLog()
    log.open(opened())
    log.publish(drafts)
    memory = Memory(PACKS)
    settle_log(log, memory)
    return dump(memory)
