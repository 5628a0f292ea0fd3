"""The Brief of a session as a route, or a tool, gives it."""

from __future__ import annotations

from functools import partial
from typing import Any

from anyio import to_thread

from parley.server.http.state.dependencies import Dependencies
from parley.server.minutes.brief_report import build_brief, wanted_entries
from parley.server.queries.memory_queries import check_moment


async def read_brief(
    deps: Dependencies, session: str, at: int | None = None, reader: str = ""
) -> dict[str, Any]:
    """What was decided, what is open, who does what, and what waits for `reader`.

    Raises `SessionNotFound`, `NotYet`.
    """
    info = await deps.backend.bus.info(session)
    check_moment(info, at)
    memory = await deps.moments.at(session, info.n if at is None else at)  # a copy of its own
    records = await deps.moments.records(session, wanted_entries(memory))
    brief = partial(build_brief, memory, records, session, reader)
    return await to_thread.run_sync(brief, abandon_on_cancel=True)
