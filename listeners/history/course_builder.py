"""Folds a session once from its beginning, in slices, into its course."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final

from parley.bus import Bus
from parley.bus.contract.errors import SessionNotFound
from parley.bus.entries import Record
from parley.listeners.history.chronicle import Chronicle
from parley.listeners.history.course import Checkpoint, Course
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.memory import Memory, Packs

PAGE: Final = 512  # entries a round trip


class LogChanged(Exception):
    """The log is not the one that was folded here."""


async def read_course_pages(
    bus: Bus, course: Course, base: Checkpoint, count: int = PAGE
) -> AsyncIterator[list[Record]]:
    """What follows `base`, a page at a time. Raises `LogChanged`."""
    after, identity = base.seq, base.identity
    while True:
        request = [(course.session, max(0, after - 1))]
        (stretch,) = await bus.read_many(request, count=count + 1)
        if stretch is None:
            raise SessionNotFound(course.session)
        records = stretch.records
        if (stretch.incarnation, stretch.skips) != (course.incarnation, course.skips):
            raise LogChanged
        if after and (not records or records[0].identity != identity):
            raise LogChanged
        fresh = records[1:] if after else records
        if not fresh:
            return
        yield fresh
        after, identity = fresh[-1].seq, fresh[-1].identity
        if after >= stretch.head:
            return


class CourseBuild:
    """A session being folded, and those who wait for it."""

    def __init__(
        self, course: Course, work: Callable[[CourseBuild], Coroutine[Any, Any, None]]
    ) -> None:
        self.course = course
        self._news = asyncio.Event()
        self.task = asyncio.create_task(work(self), name=f"parley-moments-{course.session}")
        self.task.add_done_callback(self._ended)

    def notify(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def next_step(self) -> bool:
        """Wait for the next step; True after the last. Raises what ended it."""
        if not self.task.done():
            await self._news.wait()
        if self.task.cancelled():
            raise LogChanged
        if self.task.done():
            self.task.result()
        return self.task.done()

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # whoever waits raises it
        self.notify()


def _pack(memory: Memory) -> bytes:
    return zlib.compress(dump(memory), 1)


async def extend_course(
    bus: Bus, packs: Packs, build: CourseBuild, slice: int, on_checkpoint: Callable[[Course], None]
) -> None:
    """Fold on from the last checkpoint to the head, and leave one every so often."""
    course = build.course
    memory = await course.last.memory(packs)
    notes = Chronicle(memory, course.settled.flips)
    last: Record | Checkpoint = course.last
    async for records in read_course_pages(bus, course, course.last):
        for record in records:
            if isinstance(last, Record) and record.n > last.n:
                notes.note_figures(memory, last.n)
                if last.n - course.last.n >= course.every:
                    packed = await asyncio.to_thread(_pack, memory)
                    course.keep(Checkpoint(last.n, last.seq, last.identity, packed), notes)
                    notes = Chronicle(memory, notes.flips)
                    on_checkpoint(course)
                    build.notify()
            if record.seq not in course.skips:
                notes.note_facts(memory, apply(memory, record))
            last = record
            if record.seq % slice == 0:
                await asyncio.sleep(0)
    if isinstance(last, Record):
        notes.note_figures(memory, last.n)
    course.end(last.n, last.seq, notes)
