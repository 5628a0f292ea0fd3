"""Session files: a whole log as one JSON object, one entry a line, and nothing else.

The format is that of docs/session-file.md. Entries are kept byte for byte,
so that export, import, export gives the same file; the checksum covers every
byte before it, and the rest of the file is fixed, so that no single byte can
change unnoticed.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Annotated, Final, TypeVar

import msgspec
import orjson
from msgspec import Struct

from parley.bus.contract.errors import BadSessionFile
from parley.bus.contract.wire import is_writable_json
from parley.bus.sessions.stored_rows import StoredRow

VERSION: Final = 1
_ENTRIES: Final = b',"entries":[\n'
_BETWEEN: Final = b",\n"
_LAST: Final = b"\n]"
_OTHER: Final = "the bytes are not those this format writes; export it again"
_TRAILER: Final = b',"checksum":"blake2b:'
_END: Final = b'"}\n'
_SHOWN: Final = 5  # stretches of missing entries that a refusal names
_HEX: Final = frozenset(b"0123456789abcdef")


class SessionFile(Struct, frozen=True):
    """A session as a file has it: its log, and the state of the session when it was written.

    `of` is the head and n of the session if the file lacks some of its entries.
    """

    session: str
    status: str
    rows: tuple[StoredRow, ...]
    of: tuple[int, int] | None = None

    @property
    def head(self) -> int:
        if self.of is not None:
            return self.of[0]
        return self.rows[-1].seq if self.rows else 0

    @property
    def n(self) -> int:
        if self.of is not None:
            return self.of[1]
        return self.rows[-1].n if self.rows else 0

    @property
    def missing(self) -> list[tuple[int, int]]:
        """The first and last seq of each stretch that a partial file lacks; none of a whole one."""
        if self.of is None:
            return []
        edges = [0, *(row.seq for row in self.rows), self.head + 1]
        return [(a + 1, b - 1) for a, b in pairwise(edges) if b - a > 1]


def describe_ranges(ranges: Sequence[tuple[int, int]]) -> str:
    """`1-32, 40` of ((1, 32), (40, 40)); the first few of many."""
    shown = [str(a) if a == b else f"{a}-{b}" for a, b in ranges[:_SHOWN]]
    more = len(ranges) - len(shown)
    return ", ".join(shown) + (f" and {more} more stretches" if more else "")


def describe_lost(ranges: Sequence[tuple[int, int]], head: int) -> str:
    """`entry 3 of 5 is missing`, `entries 1-4, 6 of 8 are missing`."""
    is_one = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    noun, verb = ("entry", "is") if is_one else ("entries", "are")
    return f"{noun} {describe_ranges(ranges)} of {head:,} {verb} missing"


_Number = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]  # what Redis' scripts count exactly


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    seq: _Number
    n: _Number
    id: str
    t: _Number
    entry: msgspec.Raw = msgspec.Raw()
    raw: str | None = None


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    parley: str
    version: int
    session: str
    status: str
    head: _Number
    n: _Number
    missing: list[tuple[_Number, _Number]] = []


class _Version(msgspec.Struct):
    parley: str
    version: int


_Read = TypeVar("_Read")
_LINE, _HEADER = msgspec.json.Decoder(_Line), msgspec.json.Decoder(_Header)
_VERSION = msgspec.json.Decoder(_Version)


def encode_file(file: SessionFile) -> bytes:
    """The bytes of a session file; the same file gives the same bytes."""
    body = bytearray(_header(file))
    for place, row in enumerate(file.rows):
        body += _BETWEEN * (place > 0)
        body += _line(row)
    body += _LAST
    return with_checksum(body)


def _header(file: SessionFile) -> bytes:
    missing = {"missing": file.missing} if file.of is not None else {}
    header = orjson.dumps({
        "parley": "session", "version": VERSION, "session": file.session,
        "status": file.status, "head": file.head, "n": file.n, **missing,
    })  # fmt: skip
    return header[:-1] + _ENTRIES


def with_checksum(body: bytes | bytearray) -> bytes:
    """A JSON object without its closing brace, ended with the checksum of its bytes."""
    return b"".join((body, _TRAILER, _digest(body), _END))


def decode_file(data: bytes, *, partial: bool = False) -> SessionFile:
    """The session in `data`. Raises `BadSessionFile`, naming what is wrong with it.

    One that lacks entries, and is marked so, is refused unless `partial`.

    Line by line: beside `data` no more is held than what comes of it.
    """
    head, end = _headed(data), _signed_to(data)
    header = _read(_HEADER, head, "not a session file")
    rows: list[StoredRow] = []
    for line in _lines(data, end):
        row = _row(_read(_LINE, line, f"not a session file: entry {len(rows) + 1}"))
        if _line(row) != line:
            raise BadSessionFile(_OTHER)
        rows.append(row)
    of = (header.head, header.n) if header.missing else None
    file = SessionFile(header.session, header.status, tuple(rows), of)
    if header.missing:
        _check_partial(file, allowed=partial)
    if (header.head, header.n) != (file.head, file.n):
        raise BadSessionFile(
            f"the header says head {header.head} and n {header.n}, "
            f"the entries end at {file.head} and {file.n}"
        )
    if not data.startswith(_header(file)):
        raise BadSessionFile(_OTHER)
    return file


def _check_partial(file: SessionFile, *, allowed: bool) -> None:
    if not allowed:
        raise BadSessionFile(
            f"a partial file: {describe_lost(file.missing, file.head)}; "
            "'parley session import FILE --partial' restores the others"
        )
    seqs = [0, *(row.seq for row in file.rows), file.head + 1]
    if not file.rows or any(a >= b for a, b in pairwise(seqs)):
        raise BadSessionFile("a partial file whose entries are not in order")


def _lines(data: bytes, end: int) -> Iterator[bytes]:
    """The lines of the entries, without what stands between them."""
    at, end = data.find(_ENTRIES) + len(_ENTRIES), end - len(_LAST)
    if at > end or data[end : end + len(_LAST)] != _LAST:
        raise BadSessionFile(_OTHER)
    while at < end:
        cut = data.find(_BETWEEN, at, end)
        yield data[at : cut if cut >= 0 else end]
        at = cut + len(_BETWEEN) if cut >= 0 else end
        if cut >= 0 and at == end:
            raise BadSessionFile(_OTHER)


def _headed(data: bytes) -> bytes:
    """The header as an object of its own, of a file of this version."""
    if not data.startswith(b'{"parley":"session",'):
        raise BadSessionFile("not a session file: it does not begin as one")
    place = data.find(_ENTRIES.rstrip(b"[\n"))
    head = data[: place if place >= 0 else len(data)] + b"}"
    version = _read(_VERSION, head, "the header cannot be read").version
    if version != VERSION:
        raise BadSessionFile(
            f"version {version}; this parley reads version {VERSION}: use the one that wrote it"
        )
    return head


def _read(decoder: msgspec.json.Decoder[_Read], data: bytes, place: str) -> _Read:
    try:
        return decoder.decode(data)
    except UnicodeDecodeError:  # of msgspec 0.22, which quotes a name that it does not know
        raise BadSessionFile(f"{place}: it is not UTF-8") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadSessionFile(f"{place}: {error}") from None


def check_checksum(data: bytes) -> bytes:
    """What `with_checksum` was given. Raises `BadSessionFile` where a byte has changed since."""
    return data[: _signed_to(data)]


def _signed_to(data: bytes) -> int:
    """How many of the bytes the checksum covers, once it is found right."""
    end = data.rfind(_TRAILER)
    digest = data[end + len(_TRAILER) :]
    if end <= 0 or not digest.endswith(_END):
        raise BadSessionFile("cut short or altered at its end: the checksum is not whole")
    digest = digest[: -len(_END)]
    if len(digest) != 32 or not _HEX.issuperset(digest):
        raise BadSessionFile("altered: the checksum is not 32 hex digits")
    if digest != _digest(memoryview(data)[:end]):
        raise BadSessionFile("altered: its bytes do not have the checksum it ends with")
    return end


def _digest(body: bytes | bytearray | memoryview) -> bytes:
    return blake2b(body, digest_size=16).hexdigest().encode()


def _line(row: StoredRow) -> bytes:
    envelope = orjson.dumps({"seq": row.seq, "n": row.n, "id": row.id, "t": row.received_ms})
    if _inline(row.body):
        return envelope[:-1] + b',"entry":' + row.body + b"}"
    return envelope[:-1] + b',"raw":"' + base64.b64encode(row.body) + b'"}'


def _inline(body: bytes) -> bool:
    """Whether an entry can stand in the file as it is: JSON on one line."""
    if body[:1] != b"{" or body[-1:] != b"}" or b"\n" in body:
        return False
    return is_writable_json(body)


def _row(line: _Line) -> StoredRow:
    if line.raw is None:
        return StoredRow(line.seq, line.n, line.id, line.t, bytes(line.entry))
    try:
        body = base64.b64decode(line.raw, validate=True)
    except ValueError:
        raise BadSessionFile(f"entry {line.seq}: 'raw' is not base64") from None
    return StoredRow(line.seq, line.n, line.id, line.t, body)
