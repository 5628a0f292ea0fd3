"""JSON Lines: Parley's own transcripts, one entry a line.

An optional first line is about the whole; then one message a line with
`index`, `agent_id`, `content` and optionally `timestamp`, `act`, `re`, `topic`,
`to`, `id`; or, with a `kind`, whatever else participants publish: votes,
results, tools, episodes, steps.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from parley.server.basics.entry_json import InvalidField, is_message, parse_object
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import MENDED, Source, parse_json
from parley.server.transcripts.sources.transcript_format import LIKELY, NO, PERHAPS, SURE, Format

_OURS: Final = frozenset({"index", "content", "agent_id", "kind"})
_KNOWN: Final = known_fields(
    "index id kind v agent_id participant content timestamp at act re topic to form"
)
_LOOKED_AT: Final = 5  # lines: one may be about the whole, one may be wrong


def _tell(source: Source) -> int:
    if not source.data[:64].lstrip().startswith(b"{"):
        return NO
    if source.tree is not None and b"\n" in source.data.strip():
        return SURE if _is_ours(source.tree) else NO
    rows = [_object(line) for line in source.head_lines[:_LOOKED_AT]]
    if any("index" in row for row in rows):
        return SURE
    if any("agent_id" in row or "kind" in row for row in rows):
        return LIKELY
    return PERHAPS


def _is_ours(row: Any) -> bool:
    return isinstance(row, dict) and "index" in row and not row.keys().isdisjoint(_OURS)


def _object(line: str) -> dict[str, Any]:
    try:
        row, _ = parse_json(line)
    except orjson.JSONDecodeError:
        return {}
    return row if isinstance(row, dict) else {}


def _read(source: Source, taking: EntryCollector) -> None:
    first = True
    for number, line in source.json_rows():
        try:
            row = line if isinstance(line, dict) else _whole(line, taking)
            if first and not row.keys() & _OURS:
                taking.transcript.meta = row
            else:
                taking.add(_complete(row))
                if is_message(row):  # other kinds refuse what they do not know
                    taking.leave_fields(f"line {number}", row, _KNOWN)
        except InvalidField as wrong:
            taking.refuse(f"line {number}", str(wrong))
        first = False


def _whole(line: bytes, taking: EntryCollector) -> dict[str, Any]:
    """The object in `line`, with halves of characters mended. Raises `InvalidField`."""
    try:
        row, is_mended = parse_json(line)
    except ValueError:
        is_mended = False
    if not is_mended:
        return parse_object(line)
    taking.note(MENDED)
    if not isinstance(row, dict):
        raise InvalidField("not a JSON object")
    return row


def _complete(row: dict[str, Any]) -> dict[str, Any]:
    for name in ("index", "agent_id", "content") if is_message(row) else ("index",):
        if name not in row:
            raise InvalidField(f"field {name!r} is missing")
    return row


JSON_LINES: Final = Format(
    "jsonl", "Parley's own: one JSON object a line", ("jsonl", "ndjson"), _tell, _read
)
