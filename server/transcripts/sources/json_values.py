"""The values of a file of JSON: one, one a line, or one after the other over several lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import MENDED, Source, parse_json


def json_values(source: Source, taking: EntryCollector) -> Iterator[tuple[str, Any]]:
    """Each value with its place; a line that is no JSON is refused."""
    for number, line in source.json_rows():
        try:
            value, is_mended = (line, False) if isinstance(line, dict) else parse_json(line)
        except ValueError as wrong:
            taking.refuse(f"line {number}", f"not JSON: {wrong}")
            continue
        if is_mended:
            taking.note(MENDED)
        yield f"line {number}", value


def first_values(source: Source, count: int) -> list[Any]:
    """The first values, at most `count`, for a first look; lines that are no JSON left out."""
    if source.files is not None or not source.data[:64].lstrip().startswith((b"{", b"[")):
        return []
    if source.tree is not None:
        return [source.tree]
    found = []
    for line in source.head_lines[:count]:
        try:
            found.append(parse_json(line)[0])
        except ValueError:
            continue
    if not any(isinstance(value, dict) for value in found):
        found = [value for _, value in islice(source.values, count)]
    return found
