"""OpenAI's Agents SDK and Responses API: sessions in SQLite, lists of items, responses."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

from parley.server.basics.errors import Failure
from parley.server.transcripts.formats.model_chats import FRAMES, find_rows
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.refusals import SQLITE
from parley.server.transcripts.sources.source import MENDED, Source, parse_json
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format
from parley.server.transcripts.traces.model_items import ItemReader, find_messages

Row = dict[str, Any]
_ITEMS: Final = frozenset({"function_call", "function_call_output", "reasoning"})
_RESPONSE: Final = known_fields("id object created_at status output input instructions output_text")
_LOOKED_AT: Final = 50  # items
_WAL: Final = slice(18, 20)  # bytes of a database's head: 2 if it is written through a log
_STEP: Final = 1_000_000  # operations of SQLite between two looks at the clock
_STEPS: Final = 2_000  # looks before a database is refused: a minute
_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table'"
_MESSAGES: Final = "SELECT id, session_id, message_data, created_at FROM agent_messages ORDER BY id"


def _tell(source: Source) -> int:
    if source.data.startswith(SQLITE):
        return SURE if "agent_messages" in _tables(source.data) else NO
    if _responses(source):
        return SURE
    rows = find_rows(source, "items", "data")
    for row in (rows or [])[:_LOOKED_AT]:
        if isinstance(row, dict) and (row.get("type") in _ITEMS if _is_text(row) else False):
            return SURE
    return SURE if rows and any(map(_is_output, rows[:_LOOKED_AT])) else NO


def _is_text(row: Row) -> bool:
    return isinstance(row.get("type"), str)


def _is_output(row: Any) -> bool:
    """Whether it is a message as the Responses API writes it."""
    content = row.get("content") if isinstance(row, dict) and row.get("type") == "message" else None
    parts = content if isinstance(content, list) else []
    return any(isinstance(p, dict) and p.get("type") == "output_text" for p in parts)


def _responses(source: Source) -> list[Row]:
    tree = source.tree
    return [
        each
        for each in (tree if isinstance(tree, list) else [tree])
        if isinstance(each, dict) and isinstance(each.get("output"), list)
        and each.get("object") == "response"
    ]  # fmt: skip


def _read(source: Source, taking: EntryCollector) -> None:
    reader = ItemReader(taking)
    responses = _responses(source)
    if source.data.startswith(SQLITE):
        _read_sessions(source, taking)
    elif responses:
        for number, response in enumerate(responses):
            _response(f"response {number}", response, reader, taking)
    else:
        for number, row in enumerate(find_rows(source, "items", "data") or []):
            reader.item(f"item {number}", row)
    reader.end()


def _response(place: str, row: Row, reader: ItemReader, taking: EntryCollector) -> None:
    taking.leave_fields(place, row, _RESPONSE)
    at = row.get("created_at")
    if row.get("instructions"):
        taking.skip(FRAMES, place)
    for number, item in enumerate(find_messages(row.get("input"), "user")):
        reader.item(f"{place}, input {number}", item)
    for number, item in enumerate(row["output"]):
        reader.item(f"{place}, item {number}", item, timestamp=at)


# -- sessions in SQLite ----------------------------------------------------------------


def _read_sessions(source: Source, taking: EntryCollector) -> None:
    if source.data[_WAL] == b"\2\2":
        taking.note("messages that are in the database's -wal file alone are not read")
    sessions: dict[Any, list[tuple[Any, Any, Any]]] = {}
    for key, session, data, at in _stored(source.data):
        sessions.setdefault(session, []).append((key, data, at))
    if len(sessions) > 1:
        taking.note(f"{len(sessions)} sessions: each message's topic is its session")
    for session, rows in sessions.items():
        reader = ItemReader(taking)
        topic = str(session) if len(sessions) > 1 else None
        for key, data, at in rows:
            _stored_item(f"row {key}", data, at, topic, reader, taking)
        reader.end()


def _stored_item(
    place: str, data: Any, at: Any, topic: str | None, reader: ItemReader, taking: EntryCollector
) -> None:
    try:
        item, is_mended = parse_json(data) if isinstance(data, (str, bytes)) else (None, False)
    except ValueError as wrong:
        taking.refuse(place, f"its message is not JSON: {wrong}")
        return
    if is_mended:
        taking.note(MENDED)
    moment = f"{at.replace(' ', 'T')}Z" if isinstance(at, str) and len(at) == 19 else None
    reader.item(place, item, timestamp=moment, topic=topic)


def _tables(data: bytes) -> set[str]:
    try:
        return {str(name) for (name,) in _query(data, _TABLES)}
    except Failure:
        return set()


def _stored(data: bytes) -> Iterator[tuple[Any, Any, Any, Any]]:
    if "agent_messages" not in _tables(data):
        raise Failure("the SQLite database has no table agent_messages of the Agents SDK")
    yield from _query(data, _MESSAGES)


def _query(data: bytes, query: str) -> list[Any]:
    """The rows of a database, read in memory. Raises `Failure` where it is damaged or endless."""
    if data[_WAL] == b"\2\2":  # a copy in memory has no log beside it
        data = data[: _WAL.start] + b"\1\1" + data[_WAL.stop :]
    steps = iter(range(_STEPS))
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(data)
            database.set_progress_handler(lambda: next(steps, None) is None, _STEP)
            return database.execute(query).fetchall()
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise Failure(f"the SQLite database cannot be read: {error}") from None


OPENAI_AGENTS: Final = Format(
    "openai-agents", "OpenAI's Agents SDK (SQLite sessions, lists of items), Responses objects",
    ("db", "sqlite", "sqlite3", "json"), _tell, _read,
)  # fmt: skip
