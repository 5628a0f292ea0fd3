"""Memory as a route reads it: live where it is watched, else caught up, or as it was."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from memory.state import Memory
from server.gateway.doors import MOST, Doors
from server.questions import memory_in

At = Annotated[int | None, Query(ge=0, le=MOST, description="number of a past primary entry")]


async def memory_of(doors: Doors, session: str, at: int | None = None) -> Memory:
    """Memory now or after primary entry `at`: read it before the next await.

    Raises `SessionNotFound`, and `NotYet` for a moment that has not come.
    """
    return await memory_in(doors.held, session, at, doors.moments)
