"""What Redis' replies about a log say: records, facts, places, refusals. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import orjson
from msgspec import Struct

from parley.bus.contract import errors, wire
from parley.bus.contract.drafts import Receipt, SealedDraft
from parley.bus.contract.errors import BusError, InvalidEntry, SessionDamaged, SessionNotFound
from parley.bus.entries import Record

_BUSY_SECONDS: Final = 1.0  # a worker folds some 50,000 entries in that time

_LONGEST_TIME: Final = 15  # digits: what more has is later than any calendar knows

# The fields of meta that `parse_stretch` reads
STATE: Final = ("incarnation", "head", "n", "folded", "status", "skips")


class FactRecord(Struct, frozen=True):
    """The k-th fact (from 0) that the fold found in entry `seq`."""

    seq: int
    k: int
    fact: dict[str, Any]


class LogStretch(Struct, frozen=True):
    """Some records of a session, and the state of its log at the same moment."""

    session: str
    incarnation: str
    head: int
    n: int
    folded: int
    status: str
    skips: tuple[int, ...]
    records: list[Record]


def parse_stretch(session: str, state: list[bytes | None], reply: list[Any]) -> LogStretch | None:
    """The `STATE` of a session and a reply of XRANGE as one; None where it has no state.

    Raises `SessionDamaged` where the state is not one that Parley wrote.
    """
    if state[0] is None:
        return None
    try:
        incarnation, head, n, folded, status, skips = ((value or b"").decode() for value in state)
        return LogStretch(
            session, incarnation, int(head), int(n), int(folded), status, parse_skips(skips),
            parse_records(reply),
        )  # fmt: skip
    except ValueError as error:
        raise SessionDamaged(session, str(error)) from None


def parse_skips(text: str) -> tuple[int, ...]:
    """The sequence numbers in meta's `skips`."""
    return tuple(int(skip) for skip in text.split(",") if skip)


def parse_records(reply: list[Any]) -> list[Record]:
    """The records in a reply of XRANGE. The fields may come in any order.

    What a stranger added is a record all the same: its receive time is 0 where it is none.
    """
    decode = wire.decode
    records = []
    for stream_id, fields in reply:
        seq, _, n = stream_id.partition(b"-")
        if len(fields) == 6 and fields[0] == b"id" and fields[2] == b"t":
            name, received, body = fields[1], fields[3], fields[5]
        else:
            row = dict(zip(fields[::2], fields[1::2], strict=True))
            name, received, body = (row.get(key, b"") for key in (b"id", b"t", b"entry"))
        records.append(
            Record(
                int(seq),
                int(n),
                str(name, "utf-8", "replace"),
                _milliseconds(received),
                decode(body),
            )
        )
    return records


def _milliseconds(received: bytes) -> int:
    return int(received) if received.isdigit() and len(received) <= _LONGEST_TIME else 0


def parse_facts(reply: list[Any]) -> list[FactRecord]:
    """The facts in a reply of XRANGE."""
    facts = []
    for stream_id, fields in reply:
        seq, _, k = stream_id.partition(b"-")
        facts.append(FactRecord(int(seq), int(k), orjson.loads(fields[1])))
    return facts


def id_after_fact(after: tuple[int, int]) -> str:
    """The smallest stream id beyond fact `after`."""
    return f"{after[0]}-{after[1] + 1}"


def parse_place(value: bytes) -> tuple[int, int]:
    """The seq and n in a value of the index of ids."""
    seq, _, n = value.split(b" ", 1)[0].partition(b"-")
    return int(seq), int(n)


def parse_receipts(reply: list[Any], seals: Sequence[SealedDraft]) -> list[Receipt]:
    """Where each of `seals` stands, by the reply of publish."""
    head, n = int(reply[2]), int(reply[3])
    there = {int(reply[i]): (int(reply[i + 1]), int(reply[i + 2])) for i in range(4, len(reply), 3)}
    receipts = []
    for k, seal in enumerate(seals, 1):
        if k in there:
            receipts.append(Receipt(*there[k], duplicate=True))
            continue
        head += 1
        n += seal.kind == "p"
        receipts.append(Receipt(head, n, duplicate=False))
    return receipts


def refusal_of(
    session: str, reply: list[Any], seals: Sequence[SealedDraft], epoch: int | None
) -> BusError:
    """The error that a reply of publish other than ok stands for."""
    match reply[0]:
        case b"missing":
            return SessionNotFound(session)
        case b"closed":
            return errors.SessionClosed(session)
        case b"fenced":
            return errors.Fenced(session, reply[1].decode())
        case b"conflict":
            return errors.Conflict(session, seals[int(reply[1]) - 1].id, int(reply[2]))
        case b"stale":
            expected = int(reply[2]) if len(reply) > 2 else epoch or 0
            return errors.StaleEpoch(session, expected, int(reply[1]))
        case b"busy":
            backlog = int(reply[1])
            return errors.Busy(session, _BUSY_SECONDS, f"{backlog:,} entries wait to be folded")
    return InvalidEntry(f"{session!r}: the log answered {reply[0]!r}")
