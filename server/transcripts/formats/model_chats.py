"""Message lists of model APIs: OpenAI's and Anthropic's, bare or under `messages`.

Both are `{"role": …, "content": …}`, the content a text or a list of parts.
Text is taken; calls of tools, their results, thinking and pictures are counted.
"""

from __future__ import annotations

from typing import Any, Final

from parley.server.basics.entry_json import InvalidField
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import LIKELY, NO, PERHAPS, SURE, Format

# Roles that frame a conversation rather than take part in it.
FRAME: Final = frozenset({"system", "developer"})
_TOOLS: Final = frozenset({"tool", "function"})
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_BLOCKS: Final = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document"}
)
_KEPT: Final = ("id", "timestamp", "act", "re", "topic", "to")  # as in a row of JSON Lines
_FILE: Final = known_fields("messages system")
_ROW: Final = known_fields(
    "role name content type status tool_calls function_call " + " ".join(_KEPT)
)
_PART: Final = known_fields("type text")
FRAMES: Final = "frames the talk (system, developer)"
RESULT: Final = "a tool's result"
CALLS: Final = "a tool's call"
CALL: Final = "calls a tool without words"
SILENT: Final = "says nothing"

Row = dict[str, Any]


def find_rows(source: Source, *wrappers: str) -> list[Any] | None:
    """The file's list of messages, bare or under one of the names; None where there is none."""
    tree = source.tree
    for name in wrappers:
        if isinstance(tree, dict) and isinstance(tree.get(name), list):
            tree = tree[name]
    return tree if isinstance(tree, list) else None


def join_parts(content: Any, taking: EntryCollector, place: str) -> tuple[Any, bool]:
    """The text of a content that may come in parts, and whether parts of it are no text.

    Each part that is no text is counted by its type.
    """
    if not isinstance(content, list):
        return content, False
    texts, others = [], False
    for part in content:
        fields = part if isinstance(part, dict) else {"text": part}
        text = fields.get("text")
        kind = fields.get("type", "text" if isinstance(text, str) else None)
        if isinstance(text, str) and isinstance(kind, str) and kind in _TEXTS:
            texts.append(text)
            taking.leave_fields(place, part, _PART)
        else:
            others = True
            taking.skip(name_part(kind), place)
    is_cut = any(isinstance(part, str) for part in content)  # one text, cut where its markup is
    return ("" if is_cut else "\n\n").join(texts), others


def name_part(kind: Any) -> str:
    if isinstance(kind, str) and kind.endswith(("tool_use", "_call")):
        return CALLS
    if isinstance(kind, str) and kind.endswith(("tool_result", "_call_output")):
        return RESULT
    known = isinstance(kind, str) and kind.isascii() and kind.isprintable() and len(kind) <= 40
    return f"a part that is no text ({kind})" if known else "a part that is no text"


def _tell_anthropic(source: Source) -> int:
    rows = _chat_rows(source)
    if rows is None:
        return NO
    kinds = {
        part.get("type")
        for row in rows
        for part in (row["content"] if isinstance(row.get("content"), list) else ())
        if isinstance(part, dict) and isinstance(part.get("type"), str)
    }
    if kinds & _BLOCKS or (isinstance(source.tree, dict) and "system" in source.tree):
        return SURE
    return PERHAPS


def _tell_openai(source: Source) -> int:
    rows = _chat_rows(source)
    return NO if rows is None else LIKELY


def _chat_rows(source: Source) -> list[Row] | None:
    """The rows that look like messages of a chat, where any does."""
    rows = find_rows(source, "messages")
    if rows is None:
        return None
    turns = [row for row in rows if isinstance(row, dict) and isinstance(row.get("role"), str)]
    return turns or None


def _read(source: Source, taking: EntryCollector) -> None:
    rows = find_rows(source, "messages")
    if rows is None:
        return
    taking.leave_fields("the file", source.tree, _FILE)
    if isinstance(source.tree, dict) and source.tree.get("system"):
        taking.skip(FRAMES, "field 'system'")
    read_rows(rows, taking)


def read_rows(rows: list[Any], taking: EntryCollector) -> None:
    """Takes every message of a chat; its index is its place in the list."""
    for number, row in enumerate(rows):
        place = f"message {number}"
        try:
            _listed(number, row, place, taking)
        except InvalidField as wrong:
            taking.refuse(place, str(wrong))


def _listed(number: int, row: Any, place: str, taking: EntryCollector) -> None:
    if not isinstance(row, dict):
        raise InvalidField("not a JSON object")
    role = row.get("role")
    if not isinstance(role, str):
        if isinstance(kind := row.get("type"), str) and kind != "message":
            taking.skip(name_part(kind), place)  # an item of the Responses API beside the messages
            return
        raise InvalidField("field 'role' is missing")
    if role in FRAME or role in _TOOLS:
        taking.skip(FRAMES if role in FRAME else RESULT, place)
        return
    calls = row.get("tool_calls") or row.get("function_call")
    if "content" not in row and not calls:
        raise InvalidField("field 'content' is missing")
    content, others = join_parts(row.get("content"), taking, place)
    if content is None or (not content and (calls or others)):
        if not others:
            taking.skip(CALL if calls else SILENT, place)
        return
    taking.leave_fields(place, row, _ROW)
    taking.skip(CALLS, place, len(calls) if isinstance(calls, list) else bool(calls))
    name = row.get("name") or role
    given = {field: row[field] for field in _KEPT if field in row}
    taking.add({**given, "index": number, "agent_id": name, "content": content})


OPENAI: Final = Format(
    "openai", "message list of the OpenAI API: role, name, content", ("json",), _tell_openai, _read
)
ANTHROPIC: Final = Format(
    "anthropic", "message list of the Anthropic API: role, content blocks", ("json",),
    _tell_anthropic, _read,
)  # fmt: skip
