"""Collecting the entries of a file one by one, and refusing those that cannot be.

Every reader of a format hands what it finds to a `EntryCollector`: `say` for a message,
`skip` for what is no message (with the reason), `leave_fields` for what a row holds beside
what is known, `note` for what holds of the whole file. Nothing that a file holds is dropped
without one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

from parley.bus.contract.drafts import Draft, is_handle
from parley.server.basics.entry_json import (
    InvalidField,
    abbreviate,
    check_draft,
    parse_entry,
    read_id,
)
from parley.server.basics.errors import BadTranscript
from parley.server.transcripts.sources.known_fields import KnownFields
from parley.server.transcripts.sources.transcript import LeftOut, OnBad, Transcript, TranscriptEntry

_BLANK: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\ufeff]+")
_LONGEST_NAME: Final = 128
_EARLIEST: Final = 300_000_000  # seconds: of 1979; smaller numbers count from somewhere else
_LATEST: Final = 4_102_444_800  # seconds: of 2100; larger numbers count smaller parts
_PARTS: Final = 3  # milliseconds, microseconds, nanoseconds
_SINCE_1970: Final = re.compile(r"[0-9]{9,10}(?:\.[0-9]{1,9})?|[0-9]{13}|[0-9]{16}|[0-9]{19}")
_MOST_FIELDS: Final = 1_000  # names of unknown fields that are kept apart; ids as names have no end
OTHER_FIELDS: Final = "other fields"


class EntryCollector:
    """What is collected of one file, read as one format."""

    def __init__(self, format: str, on_bad: OnBad | None) -> None:
        self.transcript = Transcript(format=format)
        self.guessed: dict[str, None] = {}  # names that only look as if somebody spoke
        self._on_bad = on_bad
        self._id_of: dict[int, str] = {}  # by the file's index
        self._ids: set[str] = set()
        self._next = 0

    def say(self, place: str, who: str, content: str, **fields: Any) -> int | None:
        """Takes a message; its index, or None where it was wrong and reported.

        `fields` are those of a row of JSON Lines; `re` is the index of an earlier
        message. What is None is left out.
        """
        index = self._next
        row = {"index": index, "agent_id": read_name(who), "content": content.strip()}
        given = {name: value for name, value in fields.items() if value is not None}
        return index if self.take(place, {**row, **given}) else None

    def take_result(self, place: str, who: str, **fields: Any) -> None:
        """Takes a tool's result; `fields` are those of `tool.returned`, None those left out."""
        named = {name: read_name(fields.pop(name)) for name in ("tool", "call_id")}
        given = {name: value for name, value in fields.items() if value is not None}
        row = {"index": self._next, "kind": "tool.returned", "agent_id": read_name(who)}
        self.take(place, {**row, **named, **given})

    def alias(self, alias: str, of: str) -> None:
        """Keeps that `alias` is another name of `of`, for the whole file."""
        known = self.transcript.meta.setdefault("aliases", {})
        known[read_name(alias)] = known.get(read_name(of), read_name(of))

    def take(self, place: str, row: dict[str, Any]) -> bool:
        """Takes the entry that `row` describes; False where it was wrong and reported."""
        try:
            self.add(row)
        except InvalidField as wrong:
            self.refuse(place, str(wrong))
            return False
        return True

    def add(self, row: dict[str, Any]) -> None:
        """As `take`. Raises `InvalidField`."""
        index = row["index"]
        if type(index) is not int or index < 0:
            raise InvalidField(f"index {index!r} is not a whole number from 0")
        if index in self._id_of:
            raise InvalidField(f"index {index} is there twice")
        row = {**row, "timestamp": read_time(row["timestamp"])} if "timestamp" in row else row
        own = read_id(row, f"line:{index}")
        if own in self._ids:
            raise InvalidField(f"id {own!r} is there twice")
        entry = parse_entry(row, self._target(row.get("re")))
        check_draft(Draft(own, entry))
        self._id_of[index] = own
        self._ids.add(own)
        self._next = max(self._next, index + 1)
        self.transcript.entries.append(TranscriptEntry(index, own, entry))

    def skip(self, reason: str, place: str, count: int = 1) -> None:
        """Counts what is no message, by its reason; `place` is kept of the first."""
        if count > 0:
            self.transcript.left.setdefault(reason, LeftOut(place)).count += count

    def leave_fields(self, place: str, row: Any, known: KnownFields) -> None:
        """Counts each field of `row` that is not `known` and holds something, by its name."""
        if not isinstance(row, dict):
            return
        fields = self.transcript.fields
        for name in known.unknown(row):
            kept = name if name in fields or len(fields) < _MOST_FIELDS else OTHER_FIELDS
            fields.setdefault(kept, LeftOut(place)).count += 1

    def note(self, text: str) -> None:
        """Keeps a remark on the whole file, once."""
        if text not in self.transcript.notes:
            self.transcript.notes.append(text)

    def guess(self, names: Iterable[str | None]) -> None:
        """Keeps the names that nothing declares: they were read from how the text looks."""
        self.guessed.update((read_name(name), None) for name in names if name)

    def refuse(self, place: str, reason: str) -> None:
        """Reports what is wrong. Raises `BadTranscript` where nobody listens."""
        error = BadTranscript(place, reason)
        if self._on_bad is None:
            raise error
        self.transcript.bad += 1
        self._on_bad(error)

    def _target(self, re: Any) -> Any:
        """What `re` names, as a handle or an id: the number it will have is the log's to give."""
        if isinstance(re, str) and not is_handle(re) and re not in self._ids:
            raise InvalidField(
                f"'re' {abbreviate(re)} is neither a handle (P3, D2) nor an earlier id"
            )
        if type(re) is not int:
            return re
        target = self._id_of.get(re)
        if target is None:
            raise InvalidField(f"'re' names index {re}, which is no earlier message of this file")
        if is_handle(target):
            raise InvalidField(f"'re' names index {re}, whose id {target!r} reads as a handle")
        return target


def read_word(value: Any) -> str:
    """A value of JSON that should be a text, where it is one; else ""."""
    return value if isinstance(value, str) else ""


def read_time(value: Any) -> Any:
    """Seconds since 1970, or thousandths of them and smaller parts, as ISO 8601; else as it is."""
    number = float(value) if isinstance(value, str) and _SINCE_1970.fullmatch(value) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return value
    seconds: float = number
    for _ in range(_PARTS):
        if abs(seconds) >= _LATEST:
            seconds /= 1000
    if not _EARLIEST <= seconds < _LATEST:
        return value
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="auto").replace("+00:00", "Z")


def read_name(text: str) -> str:
    """A speaker's name on one line, trimmed, at most 128 characters; "unknown" for none."""
    return _BLANK.sub(" ", text[: 4 * _LONGEST_NAME]).strip()[:_LONGEST_NAME].strip() or "unknown"
