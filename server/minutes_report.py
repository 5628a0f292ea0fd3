"""The minutes to hand on: also who moved, what is to do and what is still asked. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from bus.entries import Record
from memory.state import Memory
from memory.text import clip
from server.minutes import cited, minutes
from server.minutes_actions import actions
from server.minutes_decided import Decided
from server.minutes_names import Names
from server.minutes_page import linked, sections
from server.minutes_questions import questions
from server.minutes_voices import voices

EVIDENCE: Final = 1200  # characters of a message, in the appendix

Row = dict[str, Any]


def report(memory: Memory, records: Iterable[Record], session: str = "") -> Row:
    """The whole of it as plain data. `records` are the log's primary entries up to `memory.n`;
    others among them do no harm, and of what they lack nothing is quoted."""
    said: dict[int, Record] = {}
    for record in records:
        if 0 < record.n <= memory.n:
            said.setdefault(record.n, record)
    wanted = cited(memory)
    found = minutes(memory, {n: said[n] for n in sorted(wanted & said.keys())})
    talk = _talk(memory, said)
    heard, decided = voices(memory, talk), Decided(memory)
    to_do, older_actions = actions(memory, talk, heard, decided)
    asked, older_questions = questions(memory, talk, heard, decided)
    whole = {
        "session": session,
        "n": memory.n,
        **found,
        "moved": moved(found),
        "actions": to_do,
        "questions": asked,
        "left_out": {"actions": older_actions, "questions": older_questions},
    }
    return {**whole, "evidence": _evidence(said, linked(sections(whole)))}


def moved(found: Row) -> list[Row]:
    """Everyone who changed sides: from what to what, after whose words, in order."""
    named = {row["handle"]: row for kind in ("decisions", "open", "settled") for row in found[kind]}
    rows = [
        {
            "participant": person["participant"],
            "on": position["on"],
            "topic": named.get(position["on"], {}).get("topic", ""),
            "from": position["was"],
            "from_n": position["was_n"],
            "to": position["stance"],
            "n": position["n"],
            "text": position["text"],
            "after": position["moved_by"],
            "after_n": position["moved_n"],
        }
        for person in found["positions"]
        for position in person["positions"]
        if position["was"] and position["stance"] not in ("neutral", position["was"])
    ]
    return sorted(rows, key=lambda row: (row["n"], row["participant"], row["on"]))


def _talk(memory: Memory, said: dict[int, Record]) -> Sequence[Record]:
    """What people and agents said, without bots and without what is gone."""
    names = Names(memory)
    return [
        record
        for record in said.values()
        if record.entry.kind == "message"
        and not names.is_bot(str(getattr(record.entry, "participant", "")))
        and not memory.is_redacted(record.n)
    ]


def _evidence(said: dict[int, Record], wanted: Iterable[int]) -> list[Row]:
    rows = []
    for n in sorted(set(wanted) & said.keys()):
        entry: Any = said[n].entry
        content = getattr(entry, "content", "") or ""
        rows.append({
            "n": n,
            "kind": entry.kind,
            "participant": getattr(entry, "participant", None),
            "at": getattr(entry, "at", None),
            "text": clip(content, EVIDENCE),
            "clipped": len(content) > EVIDENCE,
        })  # fmt: skip
    return rows
