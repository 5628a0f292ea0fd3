"""Files, folders and archives as sources, held to a size that a machine can take."""

from __future__ import annotations

import io
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from parley.server.basics.errors import Failure
from parley.server.transcripts.sources.source import Source

# A transcript is talk: this is a thousand books, and JSON of it still fits into memory.
MAX_BYTES: Final = 512 * 1024 * 1024
_MAX_FILES: Final = 50_000  # days of all channels of a workspace
_ZIP: Final = b"PK\x03\x04"
_TAKEN: Final = (".json",)  # of a folder or an archive; the rest is pictures and the like


def open_source(path: Path) -> Source:
    """What stands at `path` (`-`: stdin). Raises `Failure` where it cannot be read."""
    try:
        if str(path) == "-":
            return _source(sys.stdin.buffer.read(MAX_BYTES + 1), "")
        if path.is_dir():
            return Source(b"", path.name, dict(_folder(path)))
        with path.open("rb") as file:
            return _source(file.read(MAX_BYTES + 1), path.name)
    except OSError as error:
        raise Failure(f"cannot read {str(path)!r}: {error.strerror}") from None


def _source(data: bytes, name: str) -> Source:
    _check(len(data))
    return unpack(data, name) if data.startswith(_ZIP) else Source(data, name)


def _check(size: int) -> None:
    if size > MAX_BYTES:
        raise Failure(
            f"more than {MAX_BYTES // 1024 // 1024} MiB: no transcript is that large; cut it"
        )


def _folder(path: Path) -> Iterator[tuple[str, bytes]]:
    """The JSON files of a folder and of those in it; of a channel's folder, its workspace's too."""
    paths = [*path.glob("*.json"), *path.glob("*/*.json")]
    if not (path / "users.json").exists():
        paths += [path.parent / name for name in ("users.json",)]
    size = 0
    for file in sorted(file for file in paths[:_MAX_FILES] if file.is_file()):
        inside = file.is_relative_to(path)
        size += file.stat().st_size
        _check(size)
        yield str(file.relative_to(path) if inside else Path(file.name)), file.read_bytes()


def unpack(data: bytes, name: str = "") -> Source:
    """The source in a zip archive: its one file, or its JSON files. Raises `Failure`."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _members(archive, name)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError,
            OSError, ValueError, UnicodeError) as error:  # fmt: skip
        raise Failure(f"the archive cannot be unpacked: {error}") from None


def _members(archive: zipfile.ZipFile, name: str) -> Source:
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > _MAX_FILES:
        raise Failure(f"the archive holds {len(members)} files, more than {_MAX_FILES}")
    if len(members) == 1:
        return Source(_member(archive, members[0], MAX_BYTES), members[0].filename)
    files: dict[str, bytes] = {}
    size = 0
    for member in members:
        if member.filename.endswith(_TAKEN):
            files[member.filename] = _member(archive, member, MAX_BYTES - size)
            size += len(files[member.filename])
    return Source(b"", name, files)


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, room: int) -> bytes:
    """The bytes of one file. What the archive says of its size is not believed."""
    with archive.open(member) as file:
        data = file.read(room + 1)
    if len(data) > room:
        _check(MAX_BYTES + 1)
    return data
