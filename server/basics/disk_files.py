"""Files on disk, refused as the command line refuses."""

from __future__ import annotations

from pathlib import Path

from parley.bus.sessions.whole_file import write_whole
from parley.server.basics.errors import Failure


def read_bytes(path: Path) -> bytes:
    """What the file at `path` holds."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"cannot read {str(path)!r}: {error.strerror}") from None


def write_bytes(path: Path, data: bytes) -> None:
    """Puts a file of `data` in place whole, or leaves what was there untouched."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise Failure(f"cannot write {str(path)!r}: {error.strerror}") from None
