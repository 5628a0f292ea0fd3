"""LangChain and LangGraph: messages as they are dumped, in any of three forms.

`{"type": "human", "data": {…}}`, `{"lc": 1, "id": […, "HumanMessage"], "kwargs": {…}}`,
and the flat `{"type": "human", "content": …}` of LangGraph's API.
"""

from __future__ import annotations

from typing import Any, Final

from parley.server.transcripts.formats.model_chats import (
    CALL,
    CALLS,
    FRAMES,
    RESULT,
    SILENT,
    join_parts,
)
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

Row = dict[str, Any]
_UNDER: Final = ("values", "channel_values", "messages", "chat_history", "history")
_ROW: Final = known_fields("type data lc id kwargs")
_FIELDS: Final = known_fields(
    "type id content name role tool_calls",
    additional_kwargs=known_fields("tool_calls function_call"),
)
_ROLES: Final = frozenset(
    {"human", "ai", "system", "tool", "function", "chat", "developer", "remove", "user",
     "assistant"}
)  # fmt: skip
_FRAME: Final = frozenset({"system", "developer"})


def _tell(source: Source) -> int:
    rows = _rows(source)
    return SURE if rows and any(message_parts(row) is not None for row in rows[:50]) else NO


def _rows(source: Source) -> list[Any] | None:
    tree = source.tree
    for name in _UNDER:
        if isinstance(tree, dict) and isinstance(tree.get(name), (dict, list)):
            tree = tree[name]
    return tree if isinstance(tree, list) else None


def message_parts(row: Any) -> tuple[str, Row] | None:
    """The role and the fields of a message; None where it is none."""
    if not isinstance(row, dict):
        return None
    names, kwargs, data = row.get("id"), row.get("kwargs"), row.get("data")
    if isinstance(kwargs, dict) and isinstance(names, list) and names:
        return _role(names[-1]), kwargs
    kind = row.get("type")
    if not isinstance(kind, str):
        return None
    role = _role(kind)
    if isinstance(data, dict) and role in _ROLES:
        return role, data
    flat = "content" in row and "role" not in row and "source" not in row
    return (role, row) if flat and role in _ROLES else None


def _role(name: Any) -> str:
    """`human` of `human`, `HumanMessage` and `HumanMessageChunk`."""
    text = name if isinstance(name, str) else ""
    return text.removesuffix("Chunk").removesuffix("Message").lower()


def _read(source: Source, taking: EntryCollector) -> None:
    for number, row in enumerate(_rows(source) or []):
        place = f"message {number}"
        parts = message_parts(row)
        if parts is None:
            taking.refuse(place, "not a message of LangChain: it has no 'type' with 'content'")
        else:
            if parts[1] is not row:
                taking.leave_fields(place, row, _ROW)
            _message(place, *parts, taking)


def _message(place: str, role: str, fields: Row, taking: EntryCollector) -> None:
    if role in _FRAME:
        taking.skip(FRAMES, place)
    elif role in ("tool", "function"):
        taking.skip(RESULT, place)
    elif role == "remove":
        taking.skip("removals of earlier messages", place)
    else:
        _say(place, role, fields, taking)


def _say(place: str, role: str, fields: Row, taking: EntryCollector) -> None:
    text, others = join_parts(fields.get("content"), taking, place)
    extra = fields.get("additional_kwargs")
    calls = fields.get("tool_calls") or (
        (extra.get("tool_calls") or extra.get("function_call")) if isinstance(extra, dict) else None
    )
    if text is not None and not isinstance(text, str):
        taking.refuse(place, "field 'content' is neither text nor a list")
    elif text is None or not text.strip():
        if not others:
            taking.skip(CALL if calls else SILENT, place)
    else:
        taking.leave_fields(place, fields, _FIELDS)
        taking.skip(CALLS, place, len(calls) if isinstance(calls, list) else bool(calls))
        given = fields.get("name") or (fields.get("role") if role == "chat" else None)
        taking.say(place, given if isinstance(given, str) else role, text)


LANGCHAIN: Final = Format(
    "langchain", "LangChain or LangGraph: messages as dumped, lc constructors", ("json",),
    _tell, _read,
)  # fmt: skip
