"""One JSON object taken in as one entry: checked, with the field at fault named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar, cast

import orjson
from pydantic import BaseModel, ValidationError

from parley.bus.contract.drafts import Draft, check_draft_id, seal
from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries import KINDS, MAX_CONTENT_BYTES, PRIMARY, Entry, Message
from parley.bus.entries.fields import describe_fault
from parley.memory.text.plain_text import clip
from parley.memory.voice import describe_forgery

# What a file may hold: a participant's entries. Rules and results are the server's to write.
_PUBLISHED: Final = sorted(kind for kind in KINDS if kind in PRIMARY)
LEFT_OUT: Final[tuple[Any, ...]] = (None, "", [])  # said as well by not saying it
_ASIDE: Final = frozenset({"index", "id", "agent_id", "timestamp"})  # not fields of an entry

Fields = dict[str, Any]

_Kind = TypeVar("_Kind", bound=BaseModel)


class InvalidField(Exception):
    """A row that is no entry; the text says which field, and why; `field` is its name if known.

    `error` is what the model found, where one did.
    """

    def __init__(self, text: str, field: str = "", error: Mapping[str, Any] | None = None) -> None:
        super().__init__(text)
        self.field, self.error = field, error


def parse_object(line: bytes) -> dict[str, Any]:
    """The JSON object in `line`. Raises `InvalidField`."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        try:
            line.decode()
        except UnicodeDecodeError as bad:
            raise InvalidField(f"not UTF-8: byte {line[bad.start]:#04x} at {bad.start}") from None
        raise InvalidField(f"not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(row, dict):
        raise InvalidField("not a JSON object")
    return row


def is_message(row: dict[str, Any]) -> bool:
    return row.get("kind") in (None, "message")


def parse_entry(row: dict[str, Any], re: Any) -> Entry:
    """The entry that `row` describes, with `re` as what it refers to. Raises `InvalidField`.

    `agent_id` and `timestamp` are other names of `participant` and `at`.
    """
    return _message(row, re) if is_message(row) else _other(row, re)


def read_id(row: dict[str, Any], default: str) -> str:
    """The row's own id, else `default`. Raises `InvalidField`."""
    own = row.get("id")
    if own is None:
        return default
    if not isinstance(own, str) or not own.isprintable() or " " in own or not 1 <= len(own) <= 128:
        raise InvalidField(
            f"id {abbreviate(own)} is not 1 to 128 printable characters without spaces", "id"
        )
    return own


def check_draft(draft: Draft) -> None:
    """What the log would refuse is refused here, before anything is published."""
    try:
        check_draft_id(draft)
        seal(draft.id, draft.entry)
    except InvalidEntry as refused:
        raise InvalidField(str(refused)) from None
    if forgery := describe_forgery(draft.entry):
        raise InvalidField(f"entry {draft.id!r}: {forgery}")


def abbreviate(value: object) -> str:
    return repr(clip(value, 60) if isinstance(value, str) else value)[:200]


def _message(row: dict[str, Any], re: Any) -> Message:
    content = row.get("content")
    if isinstance(content, str):
        if not content.strip():
            raise InvalidField("content is empty", "content")
        size = len(content.encode("utf-8", "surrogatepass"))
        if size > MAX_CONTENT_BYTES:
            over = f"content of {size} bytes is above the limit of {MAX_CONTENT_BYTES}"
            raise InvalidField(over, "content")
    optional = {name: row.get(name) for name in ("act", "topic", "to", "form")}
    given = {name: value for name, value in optional.items() if value not in LEFT_OUT}
    return _valid(Message, {"content": content, "re": re, **_who_and_when(row), **given})


def _other(row: dict[str, Any], re: Any) -> Entry:
    kind = row["kind"]
    if not isinstance(kind, str) or kind not in _PUBLISHED:
        raise InvalidField(f"kind {abbreviate(kind)} is none of {', '.join(_PUBLISHED)}", "kind")
    given = {name: value for name, value in row.items() if name not in _ASIDE}
    if re is not None:
        given["re"] = re
    entry: Any = _valid(KINDS[kind], {**given, **_who_and_when(row)})
    return cast("Entry", entry)


def _who_and_when(row: dict[str, Any]) -> dict[str, Any]:
    at = row.get("timestamp", row.get("at"))
    if isinstance(at, dict | list | bool):
        raise InvalidField("field 'at': a time is text, or a number", "at")
    fields = {"participant": row.get("agent_id", row.get("participant"))}
    fields["at"] = None if at is None else str(at)
    if row.get("kind") == "item.corrected":
        del fields["participant"]  # its author is `by`
    return fields


def _valid(model: type[_Kind], fields: Fields) -> _Kind:
    try:
        return model.model_validate(fields)
    except ValidationError as refused:
        first = refused.errors(include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "entry"
        words = _fault(model, name, first["type"], describe_fault(first), fields)
        raise InvalidField(words, name, cast("Mapping[str, Any]", first)) from None


def _fault(model: type[BaseModel], name: str, fault: str, words: str, fields: Fields) -> str:
    """What is wrong with the field `name`, and what its kind takes where that helps."""
    taken = sorted(model.model_fields.keys() - {"kind", "v", "at_text"})
    has = f"{model.model_fields['kind'].default} has {', '.join(taken)}"
    if fault == "extra_forbidden":
        return f"no field is called {name!r}; {has}"
    either = f"{name!r} (or 'agent_id')" if name == "participant" else repr(name)
    if fields.get(name) is None:
        return f"field {either} is missing; {has}"
    return f"field {either}: {words}"
