"""Drafts of entries, their ids, and what makes one invalid. Pure."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

import orjson
from msgspec import Struct

from parley.bus.contract import wire
from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries.kind_groups import DERIVED, EPOCHS, PRIMARY
from parley.bus.entries.record import Unknown

if TYPE_CHECKING:
    from pydantic import BaseModel

    from parley.bus.entries import Entry

LEVELS: Final = 500  # of lists and objects: the default limit
OPENING: Final = "open"  # the id of entry 1
CLOSING: Final = "close"
_SET_ASIDE: Final = "set-aside:"
_REDACTED: Final = "redacted:"
_DERIVED: Final = ("summary:", "condense:", "extract:", "note:", "lesson:", "similarity:")
_RESULT: Final = "result:"
_ENVELOPE: Final = 65_536  # what the fields around a content may take
_ID: Final = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,128}\Z")
_HANDLE: Final = re.compile(r"[PDEV][1-9][0-9]{0,8}\Z")
_DOORS: Final = {
    "session.opened": "open",
    "session.closed": "close",
    "entry.set_aside": "set_aside",
    "entry.redacted": "redact",
}

Made = TypeVar("Made", bound="BaseModel")


class Draft(Struct, frozen=True):
    """An entry and the id its publisher gives it: resending both is harmless."""

    id: str
    entry: Entry


class Receipt(Struct, frozen=True):
    """The place of a published entry in the log. `duplicate`: it was there before this call."""

    seq: int
    n: int
    duplicate: bool


class SealedDraft(Struct, frozen=True):
    """A draft ready for the log: its class, canonical bytes and fingerprint."""

    id: str
    kind: str  # p primary, k control, d derived, x closing, e<epoch> the floor's next epoch
    body: bytes
    fingerprint: str


def new_id() -> str:
    """An id of 26 hex digits that nobody else gives: 104 bits of chance."""
    return os.urandom(13).hex()


def set_aside_id(seq: int) -> str:
    """The id of the entry that sets entry `seq` aside: the same whoever writes it."""
    return f"{_SET_ASIDE}{seq}"


def redacted_id(seq: int) -> str:
    """The id of the tombstone of entry `seq`."""
    return f"{_REDACTED}{seq}"


def result_id(vote: int, heard: int) -> str:
    """What the result of the vote that entry `vote` initiated is called.

    `heard` is the last ballot that it counts: who counted the same says the same, and it
    lands once; who counted before another ballot came is not in the way of who counts it.
    """
    return f"{_RESULT}{vote}:{heard}"


def is_handle(re: str) -> bool:
    """True for P3, D2, E1 or V1: resolved by the fold, never by the log."""
    return _HANDLE.match(re) is not None


def is_entry_id(text: str) -> bool:
    """True for what an entry may be called: 1 to 128 printable characters without spaces."""
    return _ID.match(text) is not None


def check_draft_id(draft: Draft) -> None:
    """Raises `InvalidEntry` for an id or a kind that may not be published."""
    name, kind = draft.id, draft.entry.kind
    if not is_entry_id(name):
        raise InvalidEntry(
            f"{name!r} is no id of an entry; use 1 to 128 printable characters without spaces"
        )
    if kind in _DOORS:
        raise InvalidEntry(f"a {kind!r} entry is not published; use bus.{_DOORS[kind]}")
    if (
        name in (OPENING, CLOSING)
        or name.startswith((_SET_ASIDE, _REDACTED))
        or (name.startswith(_DERIVED) and kind not in DERIVED)
        or (name.startswith(_RESULT) and kind != "ballot.completed")
    ):
        raise InvalidEntry(f"id {name!r} is reserved for Parley's own entries; choose another")


def replace_lone_surrogates(value: Any, levels: int = LEVELS) -> Any:
    """Text, or data as JSON has it, with each half of a character as U+FFFD; pairs are joined.

    Whoever writes token by token may send an emoji in two halves. Raises `RecursionError` for data
    of more than `levels` levels.
    """
    if levels < 0:
        raise RecursionError
    match value:
        case str():
            if value.isascii():
                return value
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list():
            return [replace_lone_surrogates(each, levels - 1) for each in value]
        case dict():
            return {
                replace_lone_surrogates(key): replace_lone_surrogates(each, levels - 1)
                for key, each in value.items()
            }
        case _:
            return value


def validate_entry(kind: type[Made], **fields: Any) -> Made:
    """The entry of those fields; halves of characters in their texts are mended.

    Raises `InvalidEntry`, naming the field that is wrong.
    """
    from pydantic import ValidationError

    from parley.bus.entries.fields import describe_fault

    try:
        return kind(**{
            name: replace_lone_surrogates(value) if isinstance(value, str) else value
            for name, value in fields.items()
        })  # fmt: skip
    except ValidationError as refused:
        first = refused.errors(include_url=False)[0]
        words = describe_fault(first)
        raise InvalidEntry(f"{'.'.join(map(str, first['loc']))}: {words}") from None


def seal(id: str, entry: Entry) -> SealedDraft:
    """`entry` in its canonical bytes. Raises `InvalidEntry` for what no log can hold."""
    try:
        body = wire.encode(entry)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidEntry(f"entry {id!r} cannot be written as UTF-8 JSON: {error}") from None
    if len(body) > _ENVELOPE:
        _check_size(id, entry, body)
    if _has_numbers(entry) and isinstance(wire.decode(body), Unknown):  # 64 bits, 246 levels
        why = "its numbers are too large, or it is nested too deep"
        raise InvalidEntry(f"entry {id!r} could not be read back; {why}")
    return SealedDraft(id, _class(entry), body, wire.fingerprint(body))


def _has_numbers(entry: Entry) -> bool:
    """False for a message that names no number: all but few, and reading back costs a third."""
    return entry.kind != "message" or isinstance(entry.re, int)


def _check_size(id: str, entry: Entry, body: bytes) -> None:
    from parley.bus.entries.fields import MAX_CONTENT_BYTES

    content = getattr(entry, "content", "")
    size = len(content.encode())
    if size > MAX_CONTENT_BYTES:
        raise InvalidEntry(
            f"entry {id!r} has {size:,} bytes, and {MAX_CONTENT_BYTES:,} is the limit; "
            "publish the gist and a link"
        )
    rest = len(body) - len(orjson.dumps(content))  # escapes in it do not count against it
    limit = _ENVELOPE if content else MAX_CONTENT_BYTES + _ENVELOPE
    if rest > limit:
        around = " around its content" if content else ""
        raise InvalidEntry(f"entry {id!r} has {rest:,} bytes{around}, and {limit:,} is the limit")


def epoch_of(entry: Entry | Unknown) -> int | None:
    """The epoch that `entry` begins; None where it leaves the floor's epoch as it is."""
    if isinstance(entry, Unknown) or entry.kind not in EPOCHS:
        return None
    return int(getattr(entry, "epoch", 0))


def _class(entry: Entry) -> str:
    kind = entry.kind
    if kind in PRIMARY:
        return "p"
    if kind in DERIVED:
        return "d"
    if kind in EPOCHS:
        return f"e{epoch_of(entry)}"
    return "x" if kind == "session.closed" else "k"
