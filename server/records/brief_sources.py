"""The Brief of a session, a session file or any record of talk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parley.server.minutes.brief_report import build_brief, wanted_entries
from parley.server.queries.log_queries import read_entries
from parley.server.queries.memory_queries import read_memory
from parley.server.queries.vote_ends import add_ends
from parley.server.records.minutes_sources import fold_file
from parley.server.runtime.backend import Backend
from parley.server.settings import Settings


async def brief_session(
    backend: Backend, session: str, at: int | None = None, reader: str = ""
) -> dict[str, Any]:
    """Of a session, now or as of the `at`-th primary entry. Raises `NotYet`."""
    memory = await read_memory(backend, session, at)
    records = await read_entries(backend.bus, session, wanted_entries(memory))
    if at is None:  # reading was an await: the copy may have been folded on
        memory = await backend.reader.current(session)
    row = build_brief(memory, records, session, reader)
    if at is None:
        await add_ends(backend.bus, session, memory, row["votes"])
    return row


def brief_file(
    settings: Settings,
    source: str,
    at: int | None = None,
    format: str | None = None,
    speakers: Sequence[str] = (),
) -> dict[str, Any]:
    """Of a saved session or a record of talk, or of what standard input has, for `-`."""
    talk = fold_file(settings, source, at, format, speakers)
    records = {record.n: record for record in talk.records}
    return build_brief(talk.memory, records, talk.session)
