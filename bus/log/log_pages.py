"""One page of a session for whoever follows it: entries, facts, and the fence."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from parley.bus.connection.connections import Connections
from parley.bus.connection.server_connection import Argument
from parley.bus.contract.cursor import Cursor
from parley.bus.contract.errors import Fenced, SessionNotFound
from parley.bus.contract.keys import SessionKeys
from parley.bus.entries import Record
from parley.bus.log.cursor_checks import LogPlace, check_continuity, check_facts
from parley.bus.log.replies import FactRecord, id_after_fact, parse_facts, parse_records
from parley.bus.log.wholeness import check_length, read_head

PAGE: Final = 250  # entries, and facts, read at once: a burst fits a subscriber's buffer


class LogPage(Struct, frozen=True):
    """What came after a place, oldest first; facts never run ahead of their entry."""

    items: tuple[Record | FactRecord, ...]
    place: LogPlace  # after the last of them
    more: bool


async def newest_place(connections: Connections, session: str, keys: SessionKeys) -> LogPlace:
    """The place from which only what is still to come is heard."""
    (incarnation, head), length, last, fact = await connections.commands(
        [
            ("HMGET", keys.meta, "incarnation", "head"),
            ("XLEN", keys.log),
            ("XREVRANGE", keys.log, "+", "-", "COUNT", 1),
            ("XREVRANGE", keys.facts, "+", "-", "COUNT", 1),
        ]
    )
    if incarnation is None:
        raise SessionNotFound(session)
    check_length(session, read_head(session, head), length)
    facts = [(row.seq, row.k) for row in parse_facts(fact)] or [(0, -1)]
    if not last:
        raise Fenced(session, "its log is empty")
    (record,) = parse_records(last)
    return LogPlace(Cursor(record.seq, facts[0]), incarnation.decode(), record.identity)


async def read_page(
    connections: Connections, session: str, keys: SessionKeys, place: LogPlace, *, with_facts: bool
) -> LogPage:
    """What comes after `place`.

    The entry at the place is read again: raises `Fenced` where it is gone or is
    another, `SessionDamaged` where entries are missing, `SessionNotFound`, and `FactsExpired`
    where facts were cut off.
    """
    at = place.cursor
    commands: list[tuple[Argument, ...]] = [
        ("HMGET", keys.meta, "incarnation", "facts_from", "head"),
        ("XRANGE", keys.log, max(at.seq, 1), "+", "COUNT", PAGE + 1),
        ("XLEN", keys.log),
    ]
    if with_facts:
        commands.append(("XRANGE", keys.facts, id_after_fact(at.fact), "+", "COUNT", PAGE))
    replies = await connections.commands(commands)
    incarnation, facts_from, head = replies[0]
    if incarnation is None:
        raise SessionNotFound(session)
    check_length(session, read_head(session, head), replies[2])
    records = check_continuity(session, place, incarnation.decode(), parse_records(replies[1]))
    rows = parse_facts(replies[3]) if with_facts else []
    if with_facts and facts_from is not None:
        check_facts(session, at, facts_from)
    return _page(place, incarnation.decode(), records, rows)


def _page(
    place: LogPlace, incarnation: str, records: list[Record], rows: list[FactRecord]
) -> LogPage:
    last = records[-1]
    fresh = records[1:] if last.seq > place.cursor.seq > 0 else records
    fresh = [record for record in fresh if record.seq > place.cursor.seq]
    facts = [row for row in rows if row.seq <= last.seq]
    fact = (facts[-1].seq, facts[-1].k) if facts else place.cursor.fact
    after = LogPlace(Cursor(last.seq, fact), incarnation, last.identity)
    more = len(records) > PAGE or len(rows) == PAGE or len(facts) < len(rows)
    return LogPage((*fresh, *facts), after, more)
