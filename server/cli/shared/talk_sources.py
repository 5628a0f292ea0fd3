"""How a command reads what it is given: a session, or a file of that name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from parley.bus.contract.errors import SessionNotFound
from parley.server.basics.errors import Failure
from parley.server.records.minutes_sources import is_file

Answer = TypeVar("Answer")


def read_source(
    source: str, of_file: Callable[[], Answer], of_session: Callable[[], Answer], *, file: bool
) -> Answer:
    """What `of_file` comes to where `source` names a file, or is one by `file`; else `of_session`.

    Raises as they do; `Failure` for a session that is not there while a file of its name is.
    """
    if file or is_file(source):
        return of_file()
    try:
        return of_session()
    except SessionNotFound as missing:
        if Path(source).exists():
            raise Failure(f"{missing}; './{source}' is the file of that name") from None
        raise
