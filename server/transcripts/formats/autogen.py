"""AutoGen: a chat history of 0.2, messages of 0.4 as a list, a result or a saved state."""

from __future__ import annotations

import re
from typing import Any, Final

from parley.server.transcripts.formats.model_chats import (
    FRAMES,
    RESULT,
    find_rows,
    join_parts,
    read_rows,
)
from parley.server.transcripts.sources.entry_collector import EntryCollector, read_word
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

Row = dict[str, Any]
_TYPE: Final = re.compile(r"[A-Z][A-Za-z]{2,60}(?:Message|Event)\Z")
_SPOKEN: Final = frozenset(
    {"TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage", "UserMessage",
     "AssistantMessage"}
)  # fmt: skip
_ROW: Final = known_fields("source content type created_at target")
_FILE: Final = known_fields(
    "chat_history messages message_thread agent_states llm_context llm_messages type version"
)
_RESULTS: Final = frozenset({"ToolCallSummaryMessage", "FunctionExecutionResultMessage"})


def _tell(source: Source) -> int:
    if _history(source) is not None:
        return SURE
    rows = _rows(source)
    return SURE if rows and any(_is_message(row) for row in rows[:50]) else NO


def _is_message(row: Any) -> bool:
    if not isinstance(row, dict) or "content" not in row or "role" in row:
        return False
    kind = row.get("type")
    return isinstance(row.get("source"), str) and (
        "models_usage" in row if kind is None else
        isinstance(kind, str) and _TYPE.match(kind) is not None
    )  # fmt: skip


def _history(source: Source) -> list[Any] | None:
    """0.2's history, of a result as it was dumped."""
    tree = source.tree
    rows = tree.get("chat_history") if isinstance(tree, dict) else None
    if not isinstance(rows, list):
        return None
    known = any(isinstance(row, dict) and isinstance(row.get("role"), str) for row in rows)
    return rows if known else None


def _rows(source: Source) -> list[Any] | None:
    """The messages of a list or result, of a team's thread, or of one agent's memory."""
    tree = source.tree
    if not isinstance(tree, dict):
        return find_rows(source)
    states = tree.get("agent_states")
    for state in [tree, *(states.values() if isinstance(states, dict) else ())]:
        if isinstance(state, dict) and isinstance(state.get("message_thread"), list):
            return list(state["message_thread"])
    context = tree.get("llm_context")
    inner = context.get("messages") if isinstance(context, dict) else None
    for rows in (inner, tree.get("llm_messages"), tree.get("messages")):
        if isinstance(rows, list):
            return rows
    return None


def _read(source: Source, taking: EntryCollector) -> None:
    history = _history(source)
    taking.leave_fields("the file", source.tree, _FILE)
    if history is not None:
        read_rows(history, taking)
        return
    for number, row in enumerate(_rows(source) or []):
        _message(f"message {number}", row, taking)


def _message(place: str, row: Any, taking: EntryCollector) -> None:
    if not isinstance(row, dict):
        taking.refuse(place, "not a JSON object")
        return
    kind = read_word(row.get("type"))
    if kind == "SystemMessage":
        taking.skip(FRAMES, place)
    elif kind in _RESULTS:
        taking.skip(RESULT, place)
    elif kind and kind not in _SPOKEN:
        known = _TYPE.match(kind)
        taking.skip(f"no words of anyone ({kind})" if known else "no words of anyone", place)
    else:
        _say(place, row, taking)


def _say(place: str, row: Row, taking: EntryCollector) -> None:
    source, content = row.get("source"), row.get("content")
    if not isinstance(source, str):
        taking.refuse(place, "field 'source' is missing")
        return
    text, others = join_parts(content, taking, place)
    if not isinstance(text, str):
        taking.refuse(place, "field 'content' is neither text nor a list")
        return
    if not text.strip():
        if not others:
            taking.skip("says nothing", place)
        return
    taking.leave_fields(place, row, _ROW)
    at, to = row.get("created_at"), row.get("target")
    taking.say(
        place, source, text,
        timestamp=at if isinstance(at, str) else None,
        to=(to,) if isinstance(to, str) and to.strip() else None,
    )  # fmt: skip


AUTOGEN: Final = Format(
    "autogen", "AutoGen: chat_history of 0.2, messages or saved state of 0.4", ("json",),
    _tell, _read,
)  # fmt: skip
