"""Session files on disk, refused as the command line refuses."""

from __future__ import annotations

from pathlib import Path

from parley.bus.contract.errors import BadSessionFile
from parley.bus.sessions.session_file import SessionFile, decode_file, encode_file
from parley.server.basics.disk_files import read_bytes, write_bytes


def read_file(path: Path) -> SessionFile:
    """The session in the file at `path`; see `decode_file`."""
    data = read_bytes(path)
    try:
        return decode_file(data)
    except BadSessionFile as error:
        raise BadSessionFile(f"{path}: {error}") from None


def write_file(path: Path, file: SessionFile) -> None:
    """Puts the file in place whole, or leaves what was there untouched."""
    write_bytes(path, encode_file(file))
