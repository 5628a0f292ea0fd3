"""Transcripts: recorded talk in files, read and checked before a word is published.

Two shapes are told apart by their content: JSON Lines (an optional first line
about the whole, then one message a line with `index`, `agent_id`, `content`
and optionally `timestamp`, `act`, `re`, `topic`, `to`, `id`; or, with a `kind`,
whatever else participants publish: votes, results, tools, episodes, steps), and
the message lists of OpenAI-style APIs (`[{"role": …, "content": …}]`, bare or under
`"messages"`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from bus.drafts import Draft, is_handle
from bus.entries import Entry
from server.errors import BadTranscript, Failure
from server.rows import Wrong, admit, entry_of, id_of, is_message, object_in, short

BOM: Final = b"\xef\xbb\xbf"
# Roles that frame a conversation rather than take part in it.
FRAME: Final = frozenset({"system", "developer", "tool", "function"})

OnBad = Callable[[BadTranscript], None]


@dataclass(frozen=True, slots=True)
class Said:
    """One entry of a file: `index` is the file's own number for it."""

    index: int
    id: str
    entry: Entry


@dataclass(slots=True)
class Transcript:
    """A whole file, in its order; `meta` is its first line about itself."""

    meta: dict[str, Any] = field(default_factory=dict)
    said: list[Said] = field(default_factory=list)
    skipped: int = 0  # messages that frame the talk, or say nothing: left out, not wrong


def read_transcript(path: Path, on_bad: OnBad | None = None) -> Transcript:
    """The messages of the file at `path`.

    The path `-` is stdin. The first message that is wrong raises `BadTranscript`, naming its line;
    with `on_bad` each is handed there and left out instead. A file that is
    not a transcript at all raises `Failure` either way.
    """
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise Failure(f"cannot read {str(path)!r}: {error.strerror}") from None
    return parse_transcript(data.removeprefix(BOM), on_bad)


def parse_transcript(data: bytes, on_bad: OnBad | None = None) -> Transcript:
    """As `read_transcript`, from the bytes of a file."""
    rows = _listed(data)
    if rows is None:
        reader = _Reader(on_bad)
        for number, line in _lines(data):
            reader.line(f"line {number}", line)
    else:
        reader = _Reader(on_bad)
        for number, row in enumerate(rows):
            reader.listed(number, row)
    if not reader.found.said and not reader.bad:
        raise Failure("the file holds no messages; see docs/cli.md for the shapes it may have")
    return reader.found


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield number, line.strip()


def _listed(data: bytes) -> list[Any] | None:
    """The rows of a message list; None where the file is JSON Lines."""
    start = data.lstrip()
    if start[:1] == b"[":
        rows = _whole(data)
    elif start[:1] == b"{" and not _is_row(start.partition(b"\n")[0]):
        try:
            tree = orjson.loads(data)
        except orjson.JSONDecodeError:
            return None
        rows = tree.get("messages") if isinstance(tree, dict) else None
    else:
        return None
    return rows if isinstance(rows, list) else None


def _is_row(line: bytes) -> bool:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return isinstance(row, dict) and "messages" not in row


def _whole(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise Failure(f"the file starts like a JSON list and is not one: {error}") from None


class _Reader:
    """Collects messages one by one, and refuses those that cannot be."""

    def __init__(self, on_bad: OnBad | None) -> None:
        self.found = Transcript()
        self.bad = 0
        self._on_bad = on_bad
        self._first = True
        self._id_of: dict[int, str] = {}  # by the file's index
        self._ids: set[str] = set()

    def line(self, place: str, line: bytes) -> None:
        first, self._first = self._first, False
        try:
            row = object_in(line)
            if first and not row.keys() & {"index", "content", "agent_id", "kind"}:
                self.found.meta = row
                return
            wanted = ("index", "agent_id", "content") if is_message(row) else ("index",)
            for name in wanted:
                if name not in row:
                    raise Wrong(f"field {name!r} is missing")
            self._add(row)
        except Wrong as wrong:
            self._refuse(place, str(wrong))

    def listed(self, number: int, row: Any) -> None:
        try:
            if not isinstance(row, dict):
                raise Wrong("not a JSON object")
            role = row.get("role")
            if not isinstance(role, str):
                raise Wrong("field 'role' is missing")
            calls = row.get("tool_calls") or row.get("function_call")
            if "content" not in row and role not in FRAME and not calls:
                raise Wrong("field 'content' is missing")
            if role in FRAME or row.get("content") is None:
                self.found.skipped += 1
                return
            name = row.get("name") or role
            content = _joined(row["content"])
            self._add({**row, "index": number, "agent_id": name, "content": content})
        except Wrong as wrong:
            self._refuse(f"message {number}", str(wrong))

    def _add(self, row: dict[str, Any]) -> None:
        index = row["index"]
        if type(index) is not int or index < 0:
            raise Wrong(f"index {index!r} is not a whole number from 0")
        if index in self._id_of:
            raise Wrong(f"index {index} is there twice")
        own = id_of(row, f"line:{index}")
        if own in self._ids:
            raise Wrong(f"id {own!r} is there twice")
        entry = entry_of(row, self._target(row.get("re")))
        admit(Draft(own, entry))
        self._id_of[index] = own
        self._ids.add(own)
        self.found.said.append(Said(index, own, entry))

    def _target(self, re: Any) -> Any:
        """What `re` names, as a handle or an id: the number it will have is the log's to give."""
        if isinstance(re, str) and not is_handle(re) and re not in self._ids:
            raise Wrong(f"'re' {short(re)} is neither a handle (P3, D2) nor an earlier id")
        if type(re) is not int:
            return re
        target = self._id_of.get(re)
        if target is None:
            raise Wrong(f"'re' names index {re}, which is no earlier message of this file")
        if is_handle(target):
            raise Wrong(f"'re' names index {re}, whose id {target!r} reads as a handle")
        return target

    def _refuse(self, place: str, reason: str) -> None:
        error = BadTranscript(place, reason)
        if self._on_bad is None:
            raise error
        self.bad += 1
        self._on_bad(error)


def _joined(content: Any) -> Any:
    """The text of a message list's content, which may come in parts."""
    if not isinstance(content, list):
        return content
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n\n".join(part for part in parts if isinstance(part, str))
