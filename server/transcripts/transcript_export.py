"""A transcript written down again: as Parley's JSON Lines, and what became of the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from parley.server.transcripts.sources.transcript import LeftOut, Transcript, TranscriptEntry

_FIELDS_SHOWN = 20  # names of fields on one line; `--json` has all


def to_json_lines(transcript: Transcript) -> Iterator[bytes]:
    """The lines of a file that reads as `transcript` does, the first about the whole."""
    meta = {key: value for key, value in transcript.meta.items() if key not in _OURS}
    yield orjson.dumps({"format": transcript.format, **meta}) + b"\n"
    index_of: dict[str, int] = {}
    for entry in transcript.entries:
        index_of[entry.id] = entry.index
        yield orjson.dumps(_row(entry, index_of)) + b"\n"


# In a first line these would make it an entry.
_OURS = frozenset({"index", "content", "agent_id", "kind"})


def _row(entry: TranscriptEntry, index_of: dict[str, int]) -> dict[str, Any]:
    fields = entry.entry.model_dump(mode="json", exclude_defaults=True, exclude={"v"})
    row: dict[str, Any] = {"index": entry.index}
    if entry.id != f"line:{entry.index}":
        row["id"] = entry.id
    if "participant" in fields:
        row["agent_id"] = fields.pop("participant")
    if at := fields.pop("at", None) or fields.pop("at_text", None):
        row["timestamp"] = at
    if entry.entry.kind != "message":
        row["kind"] = entry.entry.kind
    re = fields.pop("re", None)
    if re is not None:
        row["re"] = index_of.get(re, re) if isinstance(re, str) else re
    return {**row, **fields}


def _most_first(left: dict[str, LeftOut]) -> list[tuple[str, LeftOut]]:
    return sorted(left.items(), key=lambda item: -item[1].count)


def summary_row(transcript: Transcript) -> dict[str, Any]:
    """What was taken of a file and what was left, for a person or a program to read."""
    return {
        "format": transcript.format,
        "entries": len(transcript.entries),
        "messages": sum(entry.entry.kind == "message" for entry in transcript.entries),
        "speakers": transcript.speakers,
        "left_out": [
            {"reason": reason, "count": each.count, "first": each.first}
            for reason, each in _most_first(transcript.left)
        ],
        "fields_left_out": {name: each.count for name, each in _most_first(transcript.fields)},
        "bad": transcript.bad,
        "notes": transcript.notes,
        "meta": transcript.meta,
    }


def summary_lines(transcript: Transcript) -> Iterator[str]:
    """The lines of the same, for a person: what was left out and what else to know."""
    for row in summary_row(transcript)["left_out"]:
        yield f"left out {row['count']}: {row['reason']} (first: {row['first']})"
    if transcript.fields:
        counted = _most_first(transcript.fields)
        named = [f"{each.count} {name}" for name, each in counted[:_FIELDS_SHOWN]]
        if more := sum(each.count for _, each in counted[_FIELDS_SHOWN:]):
            named.append(f"{more} in {len(counted) - _FIELDS_SHOWN} others")
        yield f"left out fields: {', '.join(named)} (first: {counted[0][1].first})"
    yield from (f"note: {note}" for note in transcript.notes)
