"""What a cursor is checked against: that its log is the one it was read from, its facts kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from parley.bus.contract.cursor import Cursor
from parley.bus.contract.errors import FactsExpired, Fenced
from parley.bus.entries import Record


@dataclass(frozen=True, slots=True)
class LogPlace:
    """A cursor with what proves that the log still is the one it was read from.

    `incarnation` and `identity` are empty where nothing was read yet.
    """

    cursor: Cursor
    incarnation: str = ""
    identity: str = ""


def check_continuity(
    session: str, place: LogPlace, incarnation: str, records: list[Record]
) -> list[Record]:
    """`records`, which begin at the place; raises `Fenced` where the log is another, or cut."""
    seq = place.cursor.seq
    if place.incarnation not in ("", incarnation):
        raise Fenced(session, "the session was restored, redacted or opened anew")
    if not records or (seq > 0 and records[0].seq != seq):
        raise Fenced(session, f"the log went back: entry {max(seq, 1)} is gone")
    if seq > 0 and place.identity not in ("", records[0].identity):
        raise Fenced(session, f"the log went back: entry {seq} is another one")
    if seq > 0 and place.cursor.mark not in ("", records[0].mark):
        raise Fenced(session, f"the log went back: entry {seq} is not the one of the cursor")
    return records


def check_facts(session: str, at: Cursor, facts_from: Any) -> None:
    """Raises `FactsExpired`, with the cursor to go on from, where facts after `at` were cut off."""
    seq, _, k = facts_from.decode().partition("-")
    oldest = (int(seq), int(k))
    if at.fact < (oldest[0], oldest[1] - 1):
        resumed = replace(at, fact=(oldest[0], oldest[1] - 1))
        raise FactsExpired(session, str(resumed))
