"""Asking for the floor, and how it stands for whoever asks: what is in the way, until when."""

from __future__ import annotations

from typing import Any, Final

import anyio

from parley.bus.entries import Intent
from parley.listeners.rooms.room import Room
from parley.listeners.sessions.session import Session
from parley.memory.arbitration.obstacles import find_obstacle
from parley.memory.arbitration.steps import ElapsedTimes
from parley.memory.state.memory import Memory
from parley.server.http.problems.floor_obstacles import describe_obstacle, end_time
from parley.server.http.requests.memory_reads import read_memory
from parley.server.http.state.dependencies import Dependencies
from parley.server.rows.floor_rows import floor_row, seat_rows

_GRANT_SECONDS: Final = 0.5  # in which a floor that nobody else wants is granted, by rights
_STANDING: Final = ("vote", "paused", "muted", "budget", "holder")  # whether one asked or not


async def bid_for_floor(
    deps: Dependencies, session: str, seat: Session, *, urgency: int, intent: Intent,
    re: int | str | None, novelty: str,
) -> None:  # fmt: skip
    """Have the seat ask for the floor; where nothing is in its way, return once it is granted.

    Waits half a second at most: others may be asked first.
    """
    await seat.bid(urgency, intent, re=re, novelty=novelty)
    deps.channels.nudge(session)
    room = deps.channels.current(session)
    with anyio.move_on_after(_GRANT_SECONDS):
        while room is not None and _is_next(room, seat.name):
            await room.wait_past(room.seq)


def _is_next(room: Room, name: str) -> bool:
    """Whether the bid of `name` stands, and nothing is in its way."""
    floor, own = room.memory.floor, room.memory.named(name)
    if own not in floor.bids or floor.holder or room.memory.closed is not None:
        return False
    return find_obstacle(room.memory, name, room.waited()).kind == "nobody"


async def read_floor_row(deps: Dependencies, session: str, name: str) -> dict[str, Any]:
    """The floor with its seats; `because` and `until` are for `name`."""
    memory = await read_memory(deps, session)
    room = deps.channels.current(session)
    waited = None if room is None else room.waited()
    because, until = explain_floor(memory, name, waited)
    return {**floor_row(memory), "because": because, "until": until, "seats": seat_rows(memory)}


def explain_floor(
    memory: Memory, name: str, waited: ElapsedTimes | None
) -> tuple[str | None, str | None]:
    """What is in the way of `name` and until when, or until when it has the floor itself.

    None where nothing is, and for times while nobody here follows the session (`waited`).
    """
    floor = memory.floor
    obstacle = find_obstacle(memory, name, waited or ElapsedTimes(0, None, 0, 0))
    if obstacle.kind in _STANDING:
        until = end_time(None if waited is None else obstacle.left)
        return describe_obstacle(obstacle, until), until
    if floor.holder and floor.holder == memory.named(name):
        until = end_time(None if waited is None else max(0, floor.lease_ms - waited.epoch))
        end = "" if until is None else f" until {until}"
        return f"you have the floor{end}: say it, or pass", until
    return None, None
