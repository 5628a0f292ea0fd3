"""A rehearsal: a whole scenario in this process, in virtual time, the same every time.

No Redis, no worker, no waiting: the log is in memory, extracts are made as they
fall due, and the clock jumps. What is rehearsed is the real thing otherwise: the
agents, the arbiter, the fold and the log's refusals.
"""

from __future__ import annotations

from typing import Final

import anyio

from parley.bus.connection.task_groups import run_beside
from parley.bus.contract import wire
from parley.bus.entries import SessionOpened, Unknown
from parley.bus.log.local_log import LocalLog
from parley.bus.sessions.copies import copy_log
from parley.bus.sessions.session_file import SessionFile
from parley.bus.sessions.stored_rows import StoredRow
from parley.listeners.agents.host import host_agents
from parley.listeners.models.model_port import StreamingModel
from parley.listeners.offline.local_effects import extract_draft, settle_log
from parley.listeners.offline.virtual_loop import run_virtual
from parley.listeners.rooms.log_port import LocalLogPort
from parley.listeners.rooms.room import Hearer, Room, enter_room
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import list_due_summaries
from parley.server.plays.arrivals import pause_until_all_here
from parley.server.runtime.packs import Packs
from parley.server.scenarios.cast import Cast
from parley.server.scenarios.session_setup import opening_drafts

_NONCE: Final = "rehearsal"  # the same for every run: seats are named by it
_BEGAN_MS: Final = 1_700_000_000_000  # when every rehearsal begins, by its own clock


def rehearse(
    cast: Cast,
    entry: SessionOpened,
    packs: Packs,
    model: StreamingModel,
    session: str,
    hear: Hearer,
) -> LocalLog:
    """The log of `cast` played through; `hear` is called with each entry as it comes.

    Raises `Stalled` where it would wait for somebody who does not come.
    """
    return run_virtual(_rehearse(cast, entry, packs, model, session, hear))


async def _rehearse(
    cast: Cast,
    entry: SessionOpened,
    packs: Packs,
    model: StreamingModel,
    session: str,
    hear: Hearer,
) -> LocalLog:
    log = LocalLog(session, lambda: _BEGAN_MS + round(anyio.current_time() * 1000))
    log.open(entry)
    async with enter_room(LocalLogPort(log, packs.known)) as room:
        room.add_listener(hear)
        if drafts := opening_drafts(cast):
            await room.publish(drafts)
        async with (
            run_beside(_extract, room, log),
            pause_until_all_here(room, [part.name for part in cast.parts], _NONCE),
        ):
            await host_agents(room, cast.parts, model, nonce=_NONCE, prices=cast.prices)
    settle_log(log, Memory(packs.known))  # what fell due with the last words
    return log


async def _extract(room: Room, log: LocalLog) -> None:
    """Publish the extracts that memory is owed, as a worker would."""
    while True:
        seq = room.seq
        if drafts := [
            extract_draft(log, room.memory, effect) for effect in list_due_summaries(room.memory)
        ]:
            await room.publish(drafts)
        await room.wait_past(seq)


def session_file(log: LocalLog) -> SessionFile:
    """The session of `log` as a file holds it."""
    info = log.info()
    rows = (
        StoredRow(record.seq, record.n, record.id, record.received_ms, _body(record.entry))
        for record in log.read(count=info.head)
    )
    return copy_log(info.session, info.status, tuple(rows), info.head, info.n, partial=False)


def _body(entry: object) -> bytes:
    return entry.raw if isinstance(entry, Unknown) else wire.encode(entry)  # type: ignore[arg-type] # what decode gave
