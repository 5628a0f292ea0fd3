"""Logs of AutoGen 0.2 and AG2: what `runtime_logging` writes into a file, a line an event."""

from __future__ import annotations

from typing import Any, Final

import orjson

from parley.server.transcripts.sources.entry_collector import EntryCollector, read_word
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format
from parley.server.transcripts.traces.model_items import ItemReader

Row = dict[str, Any]
_EVENT: Final = known_fields("source_id source_name event_name json_state timestamp")
_STATE: Final = known_fields("message sender valid")
_USE: Final = known_fields("source_id source_name timestamp input_args returns")
_LOOKED_AT: Final = 20  # lines
_RELAYED: Final = "messages that a group's manager passes on"
_CALLS: Final = "calls of models, whose answers come as messages"
_SETTINGS: Final = "agents, clients and settings"
_EVENTS: Final = "events that are no message"


def _row(line: str) -> Row | None:
    try:
        row = orjson.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _tell(source: Source) -> int:
    rows = [_row(line) or {} for line in source.head_lines[:_LOOKED_AT]]
    return SURE + 1 if any(
        {"source_name", "event_name", "json_state"} <= row.keys()
        or {"agent_name", "agent_type", "session_id", "wrapper_id"} <= row.keys()
        for row in rows
    ) else NO  # fmt: skip


def _read(source: Source, taking: EntryCollector) -> None:
    reader = _Reader(taking)
    for number, line in source.lines():
        if not line.strip():
            continue
        place, row = f"line {number}", _row(line)
        if row is not None:
            reader.line(place, row)
        elif line.lstrip().startswith("{"):
            taking.refuse(place, "the line is cut or damaged: it is no object of JSON")
        else:
            taking.skip("lines about the log", place)


class _Reader:
    def __init__(self, taking: EntryCollector) -> None:
        self._taking = taking
        self._items = ItemReader(taking)
        self._said: dict[tuple[str, str], None] = {}

    def line(self, place: str, row: Row) -> None:
        taking = self._taking
        if "input_args" in row and "returns" in row:
            taking.leave_fields(place, row, _USE)
            self._items.returned(
                place, read_word(row.get("source_name")), "function", place,
                row["input_args"], row["returns"], timestamp=row.get("timestamp"),
            )  # fmt: skip
        elif row.get("event_name") == "received_message":
            self._received(place, row)
        elif "event_name" in row:
            taking.skip(_EVENTS, place)
        else:
            taking.skip(_CALLS if "invocation_id" in row else _SETTINGS, place)

    def _received(self, place: str, row: Row) -> None:
        taking = self._taking
        state = _row(read_word(row.get("json_state"))) or {}
        message = state.get("message")
        fields = message if isinstance(message, dict) else {"content": message}
        sender = read_word(state.get("sender"))
        who, text = read_word(fields.get("name")) or sender, fields.get("content")
        if not who or not (isinstance(text, str) or text is None or isinstance(text, list)):
            taking.refuse(place, "no message of AutoGen: it has no 'sender' or no text")
            return
        if who != sender and (who, str(text)) in self._said:
            taking.skip(_RELAYED, place)
            return
        self._said[who, str(text)] = None
        taking.leave_fields(place, row, _EVENT)
        taking.leave_fields(place, state, _STATE)
        to = read_word(row.get("source_name"))
        self._items.item(
            place, {**fields, "role": "user", "name": who}, timestamp=row.get("timestamp"),
            to=(to,) if to and who == sender else None,
        )  # fmt: skip


AUTOGEN_LOG: Final = Format(
    "autogen-log", "AutoGen 0.2 and AG2: the file of runtime_logging", ("log", "jsonl"),
    _tell, _read,
)  # fmt: skip
