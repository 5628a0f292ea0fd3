"""A transcript through the bus: published, folded by workers, settled, reported."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from parley.bus import Bus
from parley.bus.contract.drafts import Draft
from parley.bus.contract.errors import Busy, Conflict, SessionExists
from parley.memory.summaries.range_summaries import list_due_summaries
from parley.server.basics.errors import Failure
from parley.server.basics.output import stderr
from parley.server.queries.memory_queries import read_digest
from parley.server.records.session_opening import opening_of_transcript, transcript_drafts
from parley.server.runtime.backend import Backend
from parley.server.runtime.connection import open_connection
from parley.server.runtime.packs import Packs, read_packs
from parley.server.runtime.worker_process import has_live_worker, run_worker_process
from parley.server.settings import Settings
from parley.server.transcripts import Transcript

BATCH: Final = 64  # messages a round trip: past this a batch gains little
STALLED_SECONDS: Final = 60  # beyond a call of the model, and no step forward: nobody works
LOOK_SECONDS: Final = 0.05

Advance = Callable[[int], None]


async def replay_transcript(
    settings: Settings, transcript: Transcript, session: str, *, rate: float | None, wait: bool
) -> dict[str, Any] | None:
    """Publishes everything, waits until settled and gives the minutes; None without waiting.

    Where no worker runs, one is started and ended with this call.
    """
    packs = read_packs(settings.packs)
    async with open_connection(settings) as running:
        bus, backend = running.bus, Backend.of(running.bus, packs)
        await open_if_new(bus, session, transcript, settings, packs)
        async with _some_worker(settings, bus, running.url, needed=wait) as check:
            await _publish_shown(bus, session, transcript_drafts(transcript), rate)
            if not wait:
                return None
            await wait_until_settled(backend, session, settings.patience, check)
        return await read_digest(backend, session)


async def open_if_new(
    bus: Bus, session: str, transcript: Transcript, settings: Settings, packs: Packs
) -> None:
    """The session of this transcript is there; one that was begun before goes on."""
    try:
        await bus.open(session, opening_of_transcript(transcript, settings, packs))
    except SessionExists:
        return


async def publish_steadily(
    bus: Bus, session: str, waiting: Sequence[Draft], rate: float | None, advance: Advance
) -> None:
    """Publishes in order, `rate` a second or flat out; waits while the session is busy."""
    started = anyio.current_time()
    size = BATCH if rate is None else max(1, min(BATCH, int(rate / 20)))
    for first in range(0, len(waiting), size):
        batch = list(waiting[first : first + size])
        if rate is not None:
            await anyio.sleep(max(0.0, started + first / rate - anyio.current_time()))
        await _offer(bus, session, batch)
        advance(len(batch))


async def _offer(bus: Bus, session: str, batch: list[Draft]) -> None:
    while True:
        try:
            await bus.publish(session, batch)
        except Busy as busy:
            await anyio.sleep(busy.retry_after)
        except Conflict as other:
            raise Failure(
                f"session {session!r} holds another transcript: its entry {other.seq} is not what "
                "this file says there; give --session a new name"
            ) from None
        else:
            return


async def wait_until_settled(
    backend: Backend, session: str, patience: float, check: Callable[[], None] = lambda: None
) -> None:
    """Returns once the head is folded and no effect is due.

    Raises `Failure` where nothing moves, no call of a model ends either, for as long as
    one may take (`patience`, seconds) and a minute more; or when `check` does.
    """
    bus, reader = backend.bus, backend.reader
    before: tuple[int, int, int, int] | None = None
    stalled = patience + STALLED_SECONDS
    moved = anyio.current_time()
    while True:
        check()
        info = await bus.info(session)
        if info.settled:
            memory = await reader.current(session)
            if not list_due_summaries(memory) and (await bus.info(session)).head == info.head:
                return
        calls = sum(worker.stats.get("model_calls", 0) for worker in await bus.workers())
        now = (info.head, info.folded, info.due["effects"], calls)
        if now != before:
            before, moved = now, anyio.current_time()
        elif anyio.current_time() - moved > stalled:
            raise Failure(
                f"session {session!r} has not moved for {stalled:g} s at {info.folded} of "
                f"{info.head}; see 'parley status' and the workers' logs, and give a slow model "
                "more --patience"
            )
        await anyio.sleep(LOOK_SECONDS)


@asynccontextmanager
async def _some_worker(
    settings: Settings, bus: Bus, url: str, *, needed: bool
) -> AsyncIterator[Callable[[], None]]:
    if not needed or await has_live_worker(bus):
        yield lambda: None
        return
    async with run_worker_process(settings, url) as worker:
        yield worker.check


async def _publish_shown(
    bus: Bus, session: str, waiting: Sequence[Draft], rate: float | None
) -> None:
    console = stderr()
    with Progress(
        TextColumn("publishing"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=console, disable=not console.is_terminal, transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task("publishing", total=len(waiting))
        await publish_steadily(bus, session, waiting, rate, lambda count: bar.advance(task, count))
