"""What a file is that no format fits, as a refusal says it."""

from __future__ import annotations

from typing import Any, Final

from parley.server.transcripts.sources.source import Source

SQLITE: Final = b"SQLite format 3\0"
_BEGINNINGS: Final = {
    SQLITE: "an SQLite database",
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "an empty zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\0": "an xz archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"%PDF-": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}
_SHOWN: Final = 4  # names of fields or files


def name_content(source: Source) -> str:
    """What the file is by its first bytes or its shape, such as "a gzip archive"; "" for text."""
    if source.files is not None:
        shown = ", ".join(sorted(source.files)[:_SHOWN])
        if not shown:
            return "a folder or an archive without files in JSON: give one of the files in it"
        return f"a folder or an archive with {len(source.files)} files in JSON ({shown})"
    for beginning, name in _BEGINNINGS.items():
        if source.data.startswith(beginning):
            return name
    values = source.values
    if len(values) == 1:
        return f"valid JSON: {_shape(values[0][1])}"
    return f"valid JSON: {len(values)} values, the first {_shape(values[0][1])}" if values else ""


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object with {_names(value)}"
    if isinstance(value, list):
        first = value[0] if value else None
        inner = f"objects with {_names(first)}" if isinstance(first, dict) else "other values"
        return f"a list of {len(value)} {inner}" if value else "an empty list"
    return "a text" if isinstance(value, str) else "a single value"


def _names(value: dict[str, Any]) -> str:
    shown = ", ".join(repr(name[:40]) for name in list(value)[:_SHOWN])
    return f"{shown}{', ...' if len(value) > _SHOWN else ''}" if value else "no fields"
