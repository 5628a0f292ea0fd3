"""The minutes of a session as files, made once for whoever asks."""

from __future__ import annotations

import zlib
from functools import partial
from typing import Literal

from anyio import to_thread

from parley.bus.entries import Record
from parley.memory.state.memory import Memory
from parley.server.http.state.dependencies import Dependencies
from parley.server.queries.log_queries import read_primary_entries
from parley.server.queries.memory_queries import check_moment

Form = Literal["json", "md", "html", "text"]


async def render_minutes(deps: Dependencies, session: str, at: int | None, format: Form) -> bytes:
    """The minutes as a file. Raises `SessionNotFound`, `NotYet`.

    Kept until the log moves, and a few are made at once: they take seconds of a long session.
    """
    info = await deps.backend.bus.info(session)
    check_moment(info, at)
    n = info.n if at is None else at
    upto = ("head", info.head) if n == info.n else ("n", n)  # entries without an n may still come
    key = ("minutes", session, info.incarnation, len(info.skips), upto, format)
    if (kept := deps.answer_cache.get(key)) is None:
        async with deps.minutes_slots:
            if (kept := deps.answer_cache.get(key)) is None:
                made = await _made(deps, session, n, format)
                kept = await to_thread.run_sync(zlib.compress, made, 1, abandon_on_cancel=True)
                deps.answer_cache.put(key, kept)
    return await to_thread.run_sync(zlib.decompress, kept, abandon_on_cancel=True)


async def _made(deps: Dependencies, session: str, n: int, format: Form) -> bytes:
    memory = await deps.moments.at(session, n)  # its own copy: it is read in a thread
    records = await read_primary_entries(deps.backend.bus, session, memory.seq)
    rendering = partial(_rendered, memory, records, session, format)
    return await to_thread.run_sync(rendering, abandon_on_cancel=True)


def _rendered(memory: Memory, records: list[Record], session: str, format: Form) -> bytes:
    from parley.server.minutes.minutes_report import build_report
    from parley.server.render.minutes.minutes_forms import render

    return render(build_report(memory, records, session), format)
