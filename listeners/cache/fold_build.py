"""Which build folds: the fold version, and a hash of everything that the fold is made of.

The fold version rises with releases; between two of them the hash tells that code, a table or
a pack has changed. A snapshot is used by the build that made it and by no other.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Final

from parley.memory.state.memory import FOLD

PACKAGE: Final = str(Path(__file__).parents[2])
READING: Final = "bus/contract/wire.py"  # makes entries of the log's bytes
_FOLDERS: Final = ("memory", "bus/entries")
_SUFFIXES: Final = (".json", ".py")


def fold_build() -> str:
    """The fold version and 16 hex digits of the hash: "1-0123456789abcdef".

    The same in a checkout, an editable install and a wheel, on every version of Python. The
    sources are read once a process, in some 4 ms. Raises `RuntimeError` if they are not there.
    """
    return f"{FOLD}-{hash_sources(PACKAGE)}"


@functools.cache
def hash_sources(package: str) -> str:
    """The BLAKE2b-64 of the names and bytes of the fold's sources in the folder `package`."""
    checksum = blake2b(digest_size=8)
    names = sorted([*list_sources(package), READING])
    if len(names) == 1:
        raise RuntimeError(f"the sources of parley are not in {package}; install its wheel anew")
    for name in names:
        with open(f"{package}/{name}", "rb", 0) as file:
            data = file.read()
        checksum.update(b"%s %d\n" % (name.encode(), len(data)))
        checksum.update(data)
    return checksum.hexdigest()


def list_sources(package: str) -> Iterator[str]:
    """The files of the folders that the hash is of, by name within `package`, in no order."""
    for folder in _FOLDERS:
        for below, _, files in os.walk(f"{package}/{folder}"):
            inside = below[len(package) + 1 :].replace(os.sep, "/")
            yield from (f"{inside}/{file}" for file in files if file.endswith(_SUFFIXES))
