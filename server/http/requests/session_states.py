"""Sessions as rows: where they stand, and what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parley.server.http.requests.memory_reads import read_memory
from parley.server.http.state.dependencies import Dependencies
from parley.server.services import sessions


async def session_state(deps: Dependencies, session: str) -> dict[str, Any]:
    """Raises `SessionNotFound`."""
    state = await sessions.read_session_state(deps.backend.bus, session)
    memory = await read_memory(deps, session)
    known = [*memory.floor.seats, *(name for name in memory.participants
                                    if name not in memory.floor.seats)]  # fmt: skip
    return {
        **state, "title": memory.title, "goal": memory.settings.goal,
        "policy": memory.settings.floor.policy, "participants": known, "closed": memory.closed,
    }  # fmt: skip


async def session_rows(deps: Dependencies, infos: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each with the title and preset that its first entry gives it, in one round trip."""
    wanted = [(info["session"], 0) for info in infos]
    firsts = await deps.backend.bus.read_many(wanted, count=1) if wanted else []
    return [
        {**info, **sessions.opening_row(first.records)}
        for info, first in zip(infos, firsts, strict=True)
        if first is not None
    ]
