"""The version of the server that wrote a data directory: `server.version` beside the data.

A newer Redis writes files that an older one cannot read, or does not look for, and then starts
empty. So the directory records who wrote it, before the first byte is written, and an older
server refuses it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from parley.bus.contract.errors import Unavailable
from parley.bus.embedded.server_binary import Binary

_FILE: Final = "server.version"

Version = tuple[int, int]  # major and minor


def claim_data(data: Path, binary: Binary) -> None:
    """Record that `binary` writes `data`, if it is new enough.

    Raises `Unavailable`, naming the version needed, if a newer server wrote the directory, and
    if the record cannot be written.
    Call it only while no server runs on `data`.
    """
    written = read_version(data)
    if written is not None and binary.version < written:
        raise too_old(data, binary, written)
    if written != binary.version:
        try:
            _write_version(data, binary.version)
        except OSError as error:
            raise Unavailable(
                f"cannot record in {str(data)!r} which server writes it ({error.strerror}); "
                "free some space there, or use another --data"
            ) from error


def read_version(data: Path) -> Version | None:
    """The version that is recorded in `data`; None if there is no readable record."""
    try:
        major, minor = json.loads((data / _FILE).read_text())["version"]
        return int(major), int(minor)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def too_old(data: Path, binary: Binary, needed: Version) -> Unavailable:
    """The refusal of a server that is older than the data."""
    return Unavailable(
        f"the data in {str(data)!r} was written by Redis {_text(needed)}, and {binary.path!r} is "
        f"{_text(binary.version)}; install Redis {_text(needed)} or newer, or use another --data"
    )


def _text(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def _write_version(data: Path, version: Version) -> None:
    fresh = data / f"{_FILE}.new"
    with fresh.open("w") as file:
        file.write(json.dumps({"version": version}) + "\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(data / _FILE)
