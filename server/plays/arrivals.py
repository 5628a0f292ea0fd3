"""Nobody speaks before everybody is there.

Agents that one process hosts sit down within milliseconds, those of several
processes within a second; whoever comes first would find an empty table, pass,
and end the talk before it began. So the floor is held while a cast gathers.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Final

import anyio

from parley.bus.connection.task_groups import run_beside
from parley.bus.contract.drafts import Draft
from parley.bus.contract.errors import SessionClosed
from parley.bus.entries import FloorPaused, FloorResumed
from parley.listeners.rooms.room import Room

REASON: Final = "gathering"
SECONDS: Final = 60.0  # for processes to start on a busy machine; who is late comes in later


@asynccontextmanager
async def pause_until_all_here(room: Room, names: Iterable[str], nonce: str) -> AsyncIterator[None]:
    """Holds the floor until all of `names` have sat down, or `SECONDS` are over.

    A pause that is a moderator's stays as it is.
    """
    if room.memory.floor.paused not in ("", REASON):
        yield
        return
    await room.publish([Draft(f"gather:{nonce}", FloorPaused(reason=REASON))])
    async with run_beside(_resume, room, tuple(names), nonce):
        yield


async def _resume(room: Room, names: tuple[str, ...], nonce: str) -> None:
    with anyio.move_on_after(SECONDS):
        while not all(_is_seated(room, name) for name in names):
            await room.wait_past(room.seq)
    with contextlib.suppress(SessionClosed):
        if room.memory.floor.paused == REASON:
            await room.publish([Draft(f"gathered:{nonce}", FloorResumed())])


def _is_seated(room: Room, name: str) -> bool:
    seat = room.memory.floor.seats.get(room.memory.named(name))
    return seat is not None and seat.present
