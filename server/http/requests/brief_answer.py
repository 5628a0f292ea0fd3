"""The Brief of a session as a route, or a tool, gives it."""

from __future__ import annotations

from typing import Any

from parley.server.http.state.dependencies import Dependencies
from parley.server.minutes.brief_report import NEWEST, build_brief, wanted_entries
from parley.server.queries.memory_queries import check_moment
from parley.server.queries.vote_ends import add_ends


async def read_brief(
    deps: Dependencies, session: str, at: int | None = None, reader: str = ""
) -> dict[str, Any]:
    """What was decided, what is open, who does what, and what waits for `reader`.

    Raises `SessionNotFound`, `NotYet`.
    """
    if at is None:
        recent = await deps.backend.reader.recent(session, NEWEST)
        memory = await deps.backend.reader.current(session)  # read before the next await
        row = build_brief(memory, {record.n: record for record in recent}, session, reader)
        await add_ends(deps.backend.bus, session, memory, row["votes"])
        return row
    check_moment(await deps.backend.bus.info(session), at)
    memory = await deps.moments.at(session, at)
    records = await deps.moments.records(session, wanted_entries(memory))
    return build_brief(memory, records, session, reader)
