"""Session files: a whole log as one JSON object, one entry a line, and nothing else.

The format is that of docs/session-file.md. Entries are kept byte for byte,
so that export, import, export gives the same file; the checksum covers every
byte before it, and the rest of the file is fixed, so that no single byte can
change unnoticed.
"""

from __future__ import annotations

import base64
import os
import tempfile
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Final

import msgspec
import orjson

from bus.audit import Row
from bus.wire import is_json
from server.errors import BadSessionFile, Failure

VERSION: Final = 1
_TRAILER: Final = b',"checksum":"blake2b:'
_END: Final = b'"}\n'
_HEX: Final = frozenset(b"0123456789abcdef")


@dataclass(frozen=True, slots=True)
class SessionFile:
    """What a file holds: a log, and what was said of it when it was written."""

    session: str
    status: str
    rows: tuple[Row, ...]

    @property
    def head(self) -> int:
        return self.rows[-1].seq if self.rows else 0

    @property
    def n(self) -> int:
        return self.rows[-1].n if self.rows else 0


_Number = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]  # what Redis' scripts count exactly


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    seq: _Number
    n: _Number
    id: str
    t: _Number
    entry: msgspec.Raw = msgspec.Raw()
    raw: str | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    parley: str
    version: int
    session: str
    status: str
    head: _Number
    n: _Number
    entries: list[_Line]
    checksum: str


class _Version(msgspec.Struct):
    parley: str
    version: int


_FILE, _HEADER = msgspec.json.Decoder(_File), msgspec.json.Decoder(_Version)


def encode_file(file: SessionFile) -> bytes:
    """The bytes of a session file; the same file gives the same bytes."""
    header = orjson.dumps({
        "parley": "session", "version": VERSION, "session": file.session,
        "status": file.status, "head": file.head, "n": file.n,
    })  # fmt: skip
    return signed(header[:-1] + b',"entries":[\n' + b",\n".join(map(_line, file.rows)) + b"\n]")


def signed(body: bytes) -> bytes:
    """A JSON object without its closing brace, ended with the checksum of its bytes."""
    return body + _TRAILER + _digest(body) + _END


def decode_file(data: bytes) -> SessionFile:
    """The session in `data`. Raises `BadSessionFile`, naming what is wrong with it."""
    body = _checked(data)
    try:
        found = _FILE.decode(data)
    except RecursionError:
        raise BadSessionFile("not a session file: it is nested too deeply") from None
    except msgspec.DecodeError as error:
        raise BadSessionFile(f"not a session file: {error}") from None
    rows = tuple(_row(line) for line in found.entries)
    file = SessionFile(found.session, found.status, rows)
    if (found.head, found.n) != (file.head, file.n):
        raise BadSessionFile(
            f"the header says head {found.head} and n {found.n}, "
            f"the entries end at {file.head} and {file.n}"
        )
    if not encode_file(file).startswith(body):
        raise BadSessionFile("the bytes are not those this format writes; export it again")
    return file


def read_file(path: Path) -> SessionFile:
    """The session in the file at `path`; see `decode_file`."""
    data = read_bytes(path)
    try:
        return decode_file(data)
    except BadSessionFile as error:
        raise BadSessionFile(f"{path}: {error}") from None


def read_bytes(path: Path) -> bytes:
    """What the file at `path` holds."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"cannot read {str(path)!r}: {error.strerror}") from None


def write_file(path: Path, file: SessionFile) -> None:
    """Puts the file in place whole, or leaves what was there untouched."""
    write_bytes(path, encode_file(file))


def write_bytes(path: Path, data: bytes) -> None:
    """Puts a file of `data` in place whole, or leaves what was there untouched."""
    folder = path.absolute().parent
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=folder)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _sync(folder)
    except OSError as error:
        raise Failure(f"cannot write {str(path)!r}: {error.strerror}") from None


def _sync(folder: Path) -> None:
    """Makes the new name itself survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _checked(data: bytes) -> bytes:
    """The bytes that the checksum covers, once it is found right."""
    if not data.startswith(b'{"parley":"session",'):
        raise BadSessionFile("not a session file: it does not begin as one")
    try:
        version = _HEADER.decode(data.partition(b',"entries":')[0] + b"}")
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadSessionFile(f"the header cannot be read: {error}") from None
    if version.version != VERSION:
        raise BadSessionFile(
            f"version {version.version}; this parley reads version {VERSION}: use the one "
            "that wrote it"
        )
    return unsigned(data)


def unsigned(data: bytes) -> bytes:
    """What `signed` was given. Raises `BadSessionFile` where a byte has changed since."""
    body, _, digest = data.rpartition(_TRAILER)
    if not body or not digest.endswith(_END):
        raise BadSessionFile("cut short or altered at its end: the checksum is not whole")
    digest = digest[: -len(_END)]
    if len(digest) != 32 or not _HEX.issuperset(digest):
        raise BadSessionFile("altered: the checksum is not 32 hex digits")
    if digest != _digest(body):
        raise BadSessionFile("altered: its bytes do not have the checksum it ends with")
    return body


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).hexdigest().encode()


def _line(row: Row) -> bytes:
    envelope = orjson.dumps({"seq": row.seq, "n": row.n, "id": row.id, "t": row.received_ms})
    if _inline(row.body):
        return envelope[:-1] + b',"entry":' + row.body + b"}"
    return envelope[:-1] + b',"raw":"' + base64.b64encode(row.body) + b'"}'


def _inline(body: bytes) -> bool:
    """Whether an entry can stand in the file as it is: JSON on one line."""
    if body[:1] != b"{" or body[-1:] != b"}" or b"\n" in body:
        return False
    return is_json(body)


def _row(line: _Line) -> Row:
    if line.raw is None:
        return Row(line.seq, line.n, line.id, line.t, bytes(line.entry))
    try:
        body = base64.b64decode(line.raw, validate=True)
    except ValueError:
        raise BadSessionFile(f"entry {line.seq}: 'raw' is not base64") from None
    return Row(line.seq, line.n, line.id, line.t, body)
