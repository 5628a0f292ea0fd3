"""Sessions for tests of the bus alone: what is said does not matter here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, cast

import redis

from parley.bus import Bus, Claim, Commit, Draft, FactRecord, Receipt, Scripts, Snapshot
from parley.bus.entries import EPOCHS, Message, Record, SessionOpened, SummaryMade

LEASE_MS = 60_000


def message_draft(k: int, **fields: object) -> Draft:
    """Message `m<k>`."""
    content = fields.pop("content", f"thought {k}")
    return Draft(
        f"m{k}", Message.model_validate({"participant": "ana", "content": content, **fields})
    )


async def talk(bus: Bus, session: str, count: int, first: int = 1) -> list[Receipt]:
    """`session` with messages m<first>…, opened where `first` is 1."""
    if first == 1:
        await bus.open(session, SessionOpened())
    return await bus.publish(session, [message_draft(k) for k in range(first, first + count)])


async def everything(bus: Bus, session: str) -> list[Record]:
    records: list[Record] = []
    while page := await bus.read(session, records[-1].seq if records else 0):
        records += page
    return records


async def claim_of(bus: Bus, session: str, owner: str = "w", lease_ms: int = LEASE_MS) -> Claim:
    """The claim on `session`, which is due."""
    taken = await bus.take("fold", owner, lease_ms=lease_ms)
    (claim,) = [claim for claim in taken.claims if claim.member == session]
    return claim


def fact(seq: int, k: int = 0) -> FactRecord:
    return FactRecord(seq, k, {"kind": "proposal.made", "ref": f"P{seq}", "n": seq, "data": {}})


def commit_of(record: Record, session: str, **fields: object) -> Commit:
    """A commit up to `record` that honours no skip and found nothing."""
    return Commit(
        **{"session": session, "to": record.seq, "identity": record.identity, "skips": 0, **fields}  # type: ignore[arg-type]  # a test's shorthand
    )


def snapshot_of(record: Record, data: bytes = b"{}", skips: int = 0) -> Snapshot:
    checksum = blake2b(data, digest_size=16).hexdigest()
    return Snapshot(record.seq, record.n, skips, record.identity, data, checksum, "1")


def summary(first: int = 1, last: int = 12, text: str = "short") -> Draft:
    made = SummaryMade(level=0, first=first, last=last, how="extract", text=text)
    return Draft(f"summary:0:{first}:{last}:extract", made)


async def folded(bus: Bus, session: str, effects: Sequence[int] = ()) -> list[Record]:
    """Folds all of `session`; `effects` are the firsts of ranges of 12 that fall due."""
    records = await everything(bus, session)
    due = [
        ("effects", f"summary:0:{k}:{k + 11}", (f"summary:0:{k}:{k + 11}:extract",))
        for k in effects
    ]
    claim = await claim_of(bus, session)
    await bus.commit(claim, commit_of(records[-1], session, effects=due), done=True)
    return records


async def without(url: str, fence: str, line: str = "") -> Bus:
    """A bus that lacks one rule, or has `line` in its place; it keeps no outbox."""
    return await Bus.connect(url, outbox_seconds=0, scripts=Scripts({fence: line}))


def rows(raw: redis.Redis, key: str) -> list[tuple[str, dict[bytes, bytes]]]:
    """A stream as it is stored."""
    stored = cast("list[tuple[bytes, dict[bytes, bytes]]]", raw.xrange(key))
    return [(row.decode(), fields) for row, fields in stored]


def swap_last(raw: redis.Redis, session: str, seq: int, n: int) -> None:
    """Another entry stands in the place of the last, as after a lost suffix."""
    forget_after(raw, session, seq - 1, n - 1)
    prefix = f"parley:{{0}}:s:{session}"
    raw.xadd(f"{prefix}:log", {"id": "other", "t": 1, "entry": '{"kind":"x"}'}, id=f"{seq}-{n}")
    raw.hset(f"{prefix}:ids", "other", f"{seq}-{n} 0000000000000000")
    raw.hset(f"{prefix}:meta", mapping={"head": seq, "n": n})


def forget_after(raw: redis.Redis, session: str, seq: int, n: int) -> None:
    """The log of `session` ends at `seq`, as after a restart that lost its tail."""
    prefix = f"parley:{{0}}:s:{session}"
    stored = rows(raw, f"{prefix}:log")
    with raw.pipeline() as step:
        step.delete(f"{prefix}:log")
        for row, fields in stored:
            if int(row.partition("-")[0]) <= seq:
                step.xadd(f"{prefix}:log", cast("dict[Any, Any]", fields), id=row)
            else:
                step.hdel(f"{prefix}:ids", fields[b"id"].decode())
        kept = [
            json.loads(fields[b"entry"])
            for row, fields in stored
            if int(row.partition("-")[0]) <= seq
        ]
        epoch = max((entry.get("epoch", 0) for entry in kept if entry["kind"] in EPOCHS), default=0)
        step.hset(f"{prefix}:meta", mapping={"head": seq, "n": n, "epoch": epoch})
        step.execute()
