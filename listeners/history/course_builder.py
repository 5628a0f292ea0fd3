"""Folds a session once from its beginning, in slices, into its course."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, Final

import anyio

from parley.bus import Bus
from parley.bus.connection.tasks import TaskHost
from parley.bus.contract.errors import SessionNotFound
from parley.bus.entries import Record
from parley.listeners.cache.loop_turns import compile_packs_of, give_way
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
) -> AsyncGenerator[list[Record]]:
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
    """A session being folded by a child of `host`, and those who wait for it.

    What ends the child is raised by `next_step`, to each of them.
    """

    def __init__(
        self,
        course: Course,
        work: Callable[[CourseBuild], Coroutine[Any, Any, None]],
        host: TaskHost,
    ) -> None:
        self.course = course
        self._work = work
        self._news = anyio.Event()
        self._is_over = self._is_cancelled = False
        self._error: Exception | None = None
        self._child = host.start(f"parley-moments-{course.session}", self._run)

    def notify(self) -> None:
        """Wake everybody who waits for a step."""
        news, self._news = self._news, anyio.Event()
        news.set()

    async def next_step(self) -> bool:
        """Wait for the next step; True after the last. Raises `LogChanged` once cancelled."""
        if not self._is_over and not self._is_cancelled:
            await self._news.wait()
        if self._error is not None:
            raise self._error
        if self._is_cancelled and not self._is_over:
            raise LogChanged
        return self._is_over

    def cancel(self) -> None:
        """Have the folding end; whoever waits for it begins anew."""
        self._is_cancelled = True
        self._child.cancel()
        self.notify()

    async def _run(self) -> None:
        try:
            await self._work(self)
            self._is_over = True
        except Exception as error:  # whoever waits raises it
            self._error = error
            self._is_over = True
        finally:
            self._is_cancelled = self._is_cancelled or not self._is_over
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
        course.note_places(records)
        await compile_packs_of(records, packs)
        for record in records:
            if isinstance(last, Record) and record.n > last.n:
                notes.note_figures(memory, last.n)
                if last.n - course.last.n >= course.every:
                    packed = await anyio.to_thread.run_sync(_pack, memory)
                    course.keep(Checkpoint(last.n, last.seq, last.identity, packed), notes)
                    notes = Chronicle(memory, notes.flips)
                    on_checkpoint(course)
                    build.notify()
            if record.seq not in course.skips:
                notes.note_facts(memory, apply(memory, record))
            last = record
            if record.seq % slice == 0:
                await give_way()
    if isinstance(last, Record):
        notes.note_figures(memory, last.n)
    course.end(last.n, last.seq, notes)
