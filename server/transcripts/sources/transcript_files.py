"""Files, folders and archives as sources, held to a size that a machine can take."""

from __future__ import annotations

import io
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Final

from parley.server.basics.errors import Failure
from parley.server.transcripts.sources.source import Source

if TYPE_CHECKING:
    import gzip
    import tarfile

# A transcript is talk: this is a thousand books, and JSON of it still fits into memory.
MAX_BYTES: Final = 512 * 1024 * 1024
_MAX_FILES: Final = 50_000  # days of all channels of a workspace
# Of an archive that can only be read from its start: what is passed over to come to its texts.
_MAX_PASSED: Final = 2 * MAX_BYTES
_ZIP: Final = b"PK\x03\x04"
_GZIP: Final = b"\x1f\x8b\x08"
_TAR: Final = (257, b"ustar")  # where it says so
_TAKEN: Final = (".json",)  # of a folder or an archive; the rest is pictures and the like
_WHOLE: Final = ("conversations.json", "result.json")  # in which an export keeps all of its talk
# An archive without JSON has one of these, such as a chat beside its pictures.
_TEXTS: Final = (
    ".txt",
    ".vtt",
    ".srt",
    ".sbv",
    ".mbox",
    ".md",
    ".log",
    ".jsonl",
    ".ndjson",
    ".ipynb",
)


def open_source(path: Path) -> Source:
    """What stands at `path` (`-`: stdin). Raises `Failure` where it cannot be read."""
    try:
        if str(path) == "-":
            return _source(sys.stdin.buffer.read(MAX_BYTES + 1), "")
        if path.is_dir():
            return _chosen(path.name, dict(_folder(path)), ())
        with path.open("rb") as file:
            return _source(file.read(MAX_BYTES + 1), path.name)
    except OSError as error:
        raise Failure(f"cannot read {str(path)!r}: {error.strerror}") from None


def _source(data: bytes, name: str) -> Source:
    _check(len(data))
    if data.startswith(_ZIP):
        return unpack(data, name)
    if data.startswith(_GZIP) or _is_tar(data):
        return _untar(data, name)
    return Source(data, name)


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
    _check_count(len(members))
    if len(members) == 1:
        return Source(_member(archive, members[0], MAX_BYTES), members[0].filename)
    by_name = {member.filename: member for member in members}
    files: dict[str, bytes] = {}
    size = 0
    for path in _read_of(by_name):
        files[path] = _member(archive, by_name[path], MAX_BYTES - size)
        size += len(files[path])
    return _chosen(name, files, by_name)


def _read_of(paths: Iterable[str]) -> list[str]:
    """The paths whose files are read: JSON, or the one text where there is no JSON."""
    taken = [path for path in paths if path.endswith(_TAKEN)]
    texts = [path for path in paths if path.lower().endswith(_TEXTS)]
    return taken or (texts if len(texts) == 1 else [])


def _chosen(name: str, files: dict[str, bytes], paths: Iterable[str]) -> Source:
    """The one of `files` that holds all the talk, or all of them; `paths` are of the archive."""
    texts = [path for path in files if path.lower().endswith(_TEXTS)]
    whole = texts or [path for path in files if PurePosixPath(path).name in _WHOLE]
    if len(whole) != 1:
        return Source(b"", name, files)
    source = Source(files[whole[0]], PurePosixPath(whole[0]).name)
    others = len({*files, *paths}) - 1
    if others:
        source.notes.append(f"{whole[0]} was read; {others} files beside it were not")
    return source


def _check_count(count: int) -> None:
    if count > _MAX_FILES:
        raise Failure(f"the archive holds {count} files, more than {_MAX_FILES}")


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, room: int) -> bytes:
    """The bytes of one file. What the archive says of its size is not believed."""
    with archive.open(member) as file:
        return _read_within(file, room)


def _read_within(file: IO[bytes] | gzip.GzipFile, room: int) -> bytes:
    data = file.read(room + 1)
    if len(data) > room:
        _check(MAX_BYTES + 1)
    return data


# -- tar -------------------------------------------------------------------------------


def _is_tar(data: bytes) -> bool:
    at, mark = _TAR
    return data[at : at + len(mark)] == mark


class _Passed(io.RawIOBase):
    """A file as it is unpacked, up to `_MAX_PASSED` bytes: an archive may claim any size."""

    def __init__(self, file: gzip.GzipFile | io.BytesIO) -> None:
        self._file, self._passed = file, 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._passed += len(data)
        if self._passed > _MAX_PASSED:
            raise Failure(
                f"the archive unpacks to more than {_MAX_PASSED // 1024 // 1024} MiB; unpack it, "
                "and name the folder"
            )
        return data


def _untar(data: bytes, name: str) -> Source:
    """The source in a tar archive, packed or not, or in one packed file. Raises `Failure`."""
    import tarfile  # few files are packed

    try:
        with _unpacked(data) as file:
            start = file.read(tarfile.BLOCKSIZE)
        with _unpacked(data) as file:
            if not _is_tar(start):
                return Source(_read_within(file, MAX_BYTES), name.removesuffix(".gz"))
            with tarfile.open(fileobj=_Passed(file), mode="r|") as archive:
                files, paths = _tar_files(archive)
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError) as error:
        raise Failure(f"the archive cannot be unpacked: {error}") from None
    if len(paths) == 1 and files:
        return Source(files[paths[0]], PurePosixPath(paths[0]).name)
    return _chosen(name, {path: files[path] for path in _read_of(files)}, paths)


def _unpacked(data: bytes) -> gzip.GzipFile | io.BytesIO:
    if not data.startswith(_GZIP):
        return io.BytesIO(data)
    import gzip

    return gzip.open(io.BytesIO(data))


def _tar_files(archive: tarfile.TarFile) -> tuple[dict[str, bytes], list[str]]:
    """The texts of an archive, and the paths of all its files. Links and devices are none."""
    files: dict[str, bytes] = {}
    paths: list[str] = []
    size = 0
    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]  # it keeps each that it came to
        if not member.isreg():
            continue
        paths.append(member.name)
        _check_count(len(paths))
        if member.name.lower().endswith((*_TAKEN, *_TEXTS)):
            file = archive.extractfile(member)
            files[member.name] = b"" if file is None else _read_within(file, MAX_BYTES - size)
            size += len(files[member.name])
    return files, paths
