"""A rehearsal: a whole scenario in this process, in virtual time, the same every time.

No Redis, no worker, no waiting: the log is in memory, extracts are made as they
fall due, and the clock jumps. What is rehearsed is the real thing otherwise: the
agents, the arbiter, the fold and the log's refusals.
"""

from __future__ import annotations

import asyncio
from typing import Final

from bus import wire
from bus.audit import Row
from bus.entries import SessionOpened, Unknown
from bus.local import LocalLog
from bus.tasks import end
from listeners.agents.hosting import host
from listeners.effects.offline import answer, settle
from listeners.models.port import Speaker
from listeners.rooms.doors import LocalDoor
from listeners.rooms.room import Hearer, Room, entered
from listeners.virtual import run_virtual
from memory.state import Memory
from memory.summaries import due
from server.files import SessionFile
from server.packs import Packs
from server.scenarios.casting import Cast
from server.scenarios.gathering import gathering
from server.scenarios.table import beginnings

NONCE: Final = "rehearsal"  # the same for every run: seats are named by it
BEGAN_MS: Final = 1_700_000_000_000  # when every rehearsal begins, by its own clock


def rehearse(
    cast: Cast, entry: SessionOpened, packs: Packs, model: Speaker, session: str, hear: Hearer
) -> LocalLog:
    """The log of `cast` played through; `hear` is called with each entry as it comes.

    Raises `Stalled` where it would wait for somebody who does not come.
    """
    return run_virtual(_rehearse(cast, entry, packs, model, session, hear))


async def _rehearse(
    cast: Cast, entry: SessionOpened, packs: Packs, model: Speaker, session: str, hear: Hearer
) -> LocalLog:
    clock = asyncio.get_running_loop()
    log = LocalLog(session, lambda: BEGAN_MS + round(clock.time() * 1000))
    log.open(entry)
    async with entered(LocalDoor(log, packs.known)) as room:
        room.hear(hear)
        if drafts := beginnings(cast):
            await room.publish(drafts)
        extracts = asyncio.create_task(_extract(room, log), name="extracts")
        try:
            async with gathering(room, [part.name for part in cast.parts], NONCE):
                await host(room, cast.parts, model, nonce=NONCE, prices=cast.prices)
        finally:
            await end(extracts)
    settle(log, Memory(packs.known))  # what fell due with the last words
    return log


async def _extract(room: Room, log: LocalLog) -> None:
    """Publish the extracts that memory is owed, as a worker would."""
    while True:
        seq = room.seq
        if drafts := [answer(log, room.memory, effect) for effect in due(room.memory)]:
            await room.publish(drafts)
        await room.moved(seq)


def file_of(log: LocalLog) -> SessionFile:
    """The session of `log` as a file holds it."""
    info = log.info()
    rows = (
        Row(record.seq, record.n, record.id, record.received_ms, _body(record.entry))
        for record in log.read(count=info.head)
    )
    return SessionFile(info.session, info.status, tuple(rows))


def _body(entry: object) -> bytes:
    return entry.raw if isinstance(entry, Unknown) else wire.encode(entry)  # type: ignore[arg-type] # what decode gave
