"""Messages, calls of tools and their results, in the shapes in which model APIs give them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import orjson

from parley.server.transcripts.formats.langchain import message_parts
from parley.server.transcripts.formats.model_chats import (
    FRAME,
    FRAMES,
    SILENT,
    join_parts,
    name_part,
)
from parley.server.transcripts.sources.entry_collector import EntryCollector, read_word
from parley.server.transcripts.sources.known_fields import known_fields

Row = dict[str, Any]
_MESSAGE: Final = known_fields("role name content type id status tool_calls function_call")
_RESULT: Final = known_fields("role type id status name content output call_id tool_call_id")
_RESULTS: Final = frozenset({"tool", "function"})
_ROLES: Final = {"human": "user", "ai": "assistant", "chat": "assistant"}
# What holds the messages of a call, the most telling first.
_UNDER: Final = ("messages", "choices", "message", "generations", "output", "input", "content",
                 "text", "question", "answer", "result")  # fmt: skip
_DEEP: Final = 8  # wrappers within wrappers
UNANSWERED: Final = "calls of tools without a result"
NO_MESSAGES: Final = "inputs and outputs that are no messages"


def find_messages(value: Any, role: str, deep: int = _DEEP) -> Iterator[Row]:
    """The messages, calls and results in an input or output; bare text is said by `role`."""
    if isinstance(value, str):
        if value.strip():
            yield {"role": role, "content": value}
    elif isinstance(value, list) and deep:
        for each in value:
            yield from find_messages(each, role, deep - 1)
    elif isinstance(value, dict) and deep:
        parts = message_parts(value)
        if parts is not None:
            yield {**parts[1], "role": _ROLES.get(parts[0], parts[0])}
        elif isinstance(value.get("role"), str) or read_word(value.get("type")).startswith(
            ("function_call", "reasoning")
        ):
            yield value
        else:
            held = next((name for name in _UNDER if value.get(name) not in (None, "", [])), None)
            if held is not None:
                yield from find_messages(value[held], role, deep - 1)


class ItemReader:
    """Takes items in their order: words as messages, each result with the call that it answers."""

    def __init__(self, taking: EntryCollector) -> None:
        self._taking = taking
        self._calls: dict[str, tuple[str, str, Any, str]] = {}  # by id: who, tool, arguments, place
        self.agent = "assistant"  # who answers, as far as anything says

    def item(self, place: str, row: Any, **fields: Any) -> None:
        """Takes one item; `fields` are those of an entry, such as `timestamp` and `topic`."""
        if not isinstance(row, dict):
            self._taking.refuse(place, "not a JSON object")
            return
        kind, role = read_word(row.get("type")), read_word(row.get("role"))
        if kind == "function_call":
            self._call(place, row.get("call_id") or row.get("id"), row)
        elif kind == "function_call_output" or role in _RESULTS:
            self._result(place, row, fields)
        elif role in FRAME:
            self._taking.skip(FRAMES, place)
        elif not role:
            self._taking.skip(name_part(kind or None), place)
        else:
            self._say(place, role, row, fields)

    def end(self) -> None:
        """Counts the calls that nothing answered."""
        for _, _, _, place in self._calls.values():
            self._taking.skip(UNANSWERED, place)
        self._calls.clear()

    def _say(self, place: str, role: str, row: Row, fields: Row) -> None:
        taking = self._taking
        text, others = join_parts(row.get("content"), taking, place)
        who = read_word(row.get("name")) or (self.agent if role == "assistant" else role)
        calls = row.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                inner = call.get("function")
                self._call(place, call.get("id"), inner if isinstance(inner, dict) else call, who)
        if isinstance(text, str) and text.strip():
            taking.leave_fields(place, row, _MESSAGE)
            taking.say(place, who, text, **fields)
        elif not calls and not others:
            taking.skip(SILENT, place)

    def _call(self, place: str, key: Any, row: Row, who: str = "") -> None:
        arguments = row.get("arguments", row.get("args"))
        name = read_word(row.get("name"))
        self._calls[str(key or f"{place}")] = who or self.agent, name, arguments, place

    def _result(self, place: str, row: Row, fields: Row) -> None:
        key = str(row.get("call_id") or row.get("tool_call_id") or place)
        who, tool, arguments, _ = self._calls.pop(key, (self.agent, "", None, ""))
        content = row.get("output", row.get("content"))
        self._taking.leave_fields(place, row, _RESULT)
        self.returned(
            place, who, tool or read_word(row.get("name")), key, arguments, content, **fields
        )
        if read_word(tool).startswith("transfer_to_"):
            self.agent = read_word(_parsed(content).get("assistant")) or self.agent

    def returned(
        self, place: str, who: str, tool: str, key: str, arguments: Any, content: Any, **fields: Any
    ) -> None:
        """Takes a tool's result."""
        parsed = _parsed(arguments)
        given = {"input": arguments} if arguments and not parsed else parsed
        text = content if isinstance(content, str) else _dumped(content)
        self._taking.take_result(
            place,
            who,
            tool=tool or "function",
            call_id=key,
            arguments=given,
            content=text,
            **fields,
        )


def _parsed(value: Any) -> Row:
    """An object, as it is or in JSON; {} for anything else."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def _dumped(value: Any) -> str:
    """A result as text: its parts of text joined, else its JSON."""
    parts = value if isinstance(value, list) else []
    texts = [part["text"] for part in parts if isinstance(part, dict) and "text" in part]
    if texts and len(texts) == len(parts) and all(isinstance(text, str) for text in texts):
        return "\n\n".join(texts)
    return "" if value is None else orjson.dumps(value).decode()
