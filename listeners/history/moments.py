"""Sessions as they were: checkpoints of memory, and what changed from one to the next.

A moment is the checkpoint before it, loaded and folded on: its cost does not grow
with the session. Everything kept here can be told from the log, and is let go of as
soon as the log is another: redacted, replaced, gone back, or with an entry set aside.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from functools import partial
from typing import Final

import anyio

from parley.bus import Bus
from parley.bus.connection.tasks import TaskHost
from parley.bus.contract.errors import Fenced
from parley.bus.entries import Record
from parley.listeners.cache.memory_cache import CachedMemory, load_snapshot
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.cache.ranges import cut_pages, replay_pages
from parley.listeners.history.course import Checkpoint, Course
from parley.listeners.history.course_builder import (
    PAGE,
    CourseBuild,
    LogChanged,
    extend_course,
    read_course_pages,
)
from parley.listeners.history.entry_places import learn_places, read_primary_entries
from parley.listeners.history.timeline import Timeline
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory, Packs

PATIENCE_SECONDS: Final = 0.25  # for which a timeline is waited for, before it is told in part
SESSIONS: Final = 4_096  # kept at once, however little they need


class History:
    """One a process. Checkpoints are built in slices, as they are first asked for."""

    def __init__(
        self, bus: Bus, packs: Packs, *, room_bytes: int = 64 << 20, slice: int = 16
    ) -> None:
        self._bus, self._packs = bus, packs
        self._room_bytes, self._slice = room_bytes, slice
        self._reader = MemoryReader(bus, packs, copies=1)
        self._courses: OrderedDict[str, Course] = OrderedDict()
        self._builds: dict[str, CourseBuild] = {}
        self._host = TaskHost("parley-history")

    async def at(self, session: str, n: int) -> Memory:
        """The memory after the `n`-th primary entry, a copy of the caller's own.

        Byte for byte what `MemoryReader.at` gives. Raises `SessionNotFound`.
        """
        while True:
            course = await self._course(session)
            if course.skips:  # what was set aside by then depends on the moment
                return await self._reader.at(session, n)
            try:
                await self._reach(course, partial(course.is_near, n))
                return await self._fold_to(course, n)
            except LogChanged:
                self._forget_course(course)

    async def records(self, session: str, numbers: Iterable[int]) -> dict[int, Record]:
        """Primary entries by their `n`, in one round trip; those that are there.

        0 is the opening. Raises `SessionNotFound`.
        """
        wanted = sorted({n for n in numbers if n >= 0})
        while True:
            course = await self._course(session)
            try:
                if wanted and wanted[-1] >= len(course.places):
                    await learn_places(self._bus, course)
                return await read_primary_entries(
                    self._bus, course, [n for n in wanted if n < len(course.places)]
                )
            except LogChanged:
                self._forget_course(course)

    async def find(
        self, session: str, numbers: range, words: Sequence[str], by: str | None, most: int
    ) -> list[Record] | None:
        """The first `most` messages of `numbers` that hold all of `words`; None: read the log."""
        while True:
            course, info = await self._course(session), await self._bus.info(session)
            try:
                if (info.incarnation, info.skips) != (course.incarnation, course.skips):
                    raise LogChanged
                if numbers and max(numbers[0], numbers[-1]) >= len(course.places):
                    await learn_places(self._bus, course)
                if not course.words.is_whole:
                    return None
                matches = course.words.find(numbers, words, by, most)
                records = await read_primary_entries(self._bus, course, sorted(matches))
            except LogChanged:
                self._forget_course(course)
            else:
                return [records[n] for n in matches]

    async def since(
        self, session: str, seq: int, to: int
    ) -> AsyncIterator[tuple[Record, list[Fact]]]:
        """Entries after `seq` up to `to`, with the facts that each of them gave.

        What was set aside by now gives none. Raises `SessionNotFound`; `Fenced` where
        the log becomes another on the way: begin anew.
        """
        last_seq = seq
        while True:
            course = await self._course(session)
            try:
                async for pair in self._read_facts(course, seq, to):
                    last_seq = pair[0].seq
                    yield pair
            except LogChanged:
                self._forget_course(course)
                if last_seq > seq:
                    raise Fenced(session, "the log was replaced or redacted") from None
            else:
                return

    async def timeline(self, session: str) -> Timeline:
        """As far as it is made; asking for it makes the rest. Raises `SessionNotFound`."""
        course, head = await self._reach_head(session, PATIENCE_SECONDS)
        return course.timeline(head)

    async def history(self, session: str, ref: str) -> list[Fact]:
        """Every fact about an item by now. Raises `SessionNotFound`."""
        course, _ = await self._reach_head(session)
        return course.facts_about(ref)

    async def _reach_head(self, session: str, seconds: float | None = None) -> tuple[Course, int]:
        """The course and the head of the log that it was to reach, waited for so long."""
        while True:
            course = await self._course(session)
            folded_seq, info = course.folded_seq, await self._bus.info(session)
            try:
                if (info.incarnation, info.skips) != (course.incarnation, course.skips):
                    raise LogChanged
                if info.head < folded_seq:  # the log went back
                    raise LogChanged
                with anyio.fail_after(seconds):
                    await self._reach(course, partial(course.is_folded, info.head))
            except TimeoutError:
                pass
            except LogChanged:
                self._forget_course(course)
                continue
            return course, info.head

    def forget(self, session: str) -> None:
        """Let go of what is kept of it."""
        self._courses.pop(session, None)
        if (build := self._builds.pop(session, None)) is not None:
            build.cancel()

    def _forget_course(self, course: Course) -> None:
        """Let go of what is of another log by now; what was begun since goes on."""
        if self._courses.get(course.session) is course:
            self.forget(course.session)

    async def aclose(self) -> None:
        """Stop what is being built."""
        builds, self._builds = self._builds, {}
        for build in builds.values():
            build.cancel()
        await self._host.aclose()

    async def _course(self, session: str) -> Course:
        """What is kept of it, begun where nothing is."""
        course = self._courses.get(session)
        if course is None:
            info = await self._bus.info(session)
            begun = Course(session, info.incarnation, info.skips)
            course = self._courses.setdefault(session, begun)
            self._make_room(course)
        self._courses.move_to_end(session)
        return course

    async def _fold_to(self, course: Course, n: int) -> Memory:
        """The checkpoint before, and what came from there up to the `n`-th primary entry."""
        base = course.before(n=n)
        memory = await base.memory(self._packs)
        pages = read_course_pages(self._bus, course, base, min(PAGE, 2 * (n - base.n) + 16))
        async for _ in replay_pages(memory, cut_pages(pages, n), turn=self._slice):
            pass
        return memory

    async def _read_facts(
        self, course: Course, seq: int, to: int
    ) -> AsyncIterator[tuple[Record, list[Fact]]]:
        base, memory = await self._base_before(course, seq)
        pages = cut_pages(read_course_pages(self._bus, course, base, 4 * self._slice), to=to)
        async for record, facts in replay_pages(memory, pages, course.skips, self._slice):
            if record.seq > seq:
                yield record, facts

    async def _base_before(self, course: Course, seq: int) -> tuple[Checkpoint, Memory]:
        """Where to fold on from to entry `seq`: a worker's snapshot, before all is folded anew."""
        if not course.is_near_entry(seq):
            copy = await load_snapshot(self._bus, self._packs, course.session)
            if copy is not None and copy.seq <= seq and _is_of(copy, course):
                return Checkpoint(copy.n, copy.seq, copy.identity), copy.memory
            await self._reach(course, partial(course.is_near_entry, seq))
        base = course.before(seq=seq)
        return base, await base.memory(self._packs)

    async def _reach(self, course: Course, enough: Callable[[], bool]) -> None:
        """Build on until there is enough, or all there is. Raises what building it raised."""
        while not enough():
            build = self._builds.get(course.session)
            if build is None:
                build = self._builds[course.session] = CourseBuild(course, self._build, self._host)
            if build.course is not course:
                raise LogChanged
            if await build.next_step():
                return

    async def _build(self, build: CourseBuild) -> None:
        try:
            await extend_course(self._bus, self._packs, build, self._slice, self._make_room)
        finally:
            if self._builds.get(build.course.session) is build:
                del self._builds[build.course.session]

    def _make_room(self, used: Course) -> None:
        """Let go of the sessions asked for longest ago, and of every second checkpoint."""
        room = self._room_bytes - sum(course.size for course in self._courses.values())
        for session, course in list(self._courses.items()):
            if room >= 0 and len(self._courses) <= SESSIONS:
                return
            if course is not used and session not in self._builds:
                room += course.size
                del self._courses[session]
        if used.packed > self._room_bytes:
            used.halve_checkpoints()


def _is_of(copy: CachedMemory, course: Course) -> bool:
    """Whether `copy` is of that log, without what was set aside in it since."""
    skipped = sum(seq <= copy.seq for seq in course.skips)
    return copy.incarnation == course.incarnation and copy.honoured == skipped
