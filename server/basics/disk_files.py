"""Files on disk: read, and written so that they are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from parley.server.basics.errors import Failure


def read_bytes(path: Path) -> bytes:
    """What the file at `path` holds."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"cannot read {str(path)!r}: {error.strerror}") from None


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
