"""Subscriber processes, each killed and started again at will.

`python -m tests.faults.subscribers URL` forks them, so that sixty starts take no
sixty imports. It obeys lines on stdin: `follow FILE SESSION`,
`dawdle FILE SESSION RELEASE`, `kill FILE`, `freeze FILE`, `thaw FILE`; each is
answered by one line on stdout. When stdin ends, so do all.

A subscriber writes what it heard and the cursor behind it as one line of its file
and has it on disk before it goes on; it begins at the last whole line of that file.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from parley.bus import Bus, Cursor, FactRecord, Subscription
from parley.bus.contract.errors import SlowSubscriber, Unavailable
from parley.bus.entries import Record
from tests.support.processes.own_code import OWN_CODE
from tests.support.servers.patience import PATIENCE

ROOT = Path(__file__).parents[2]
BUFFER = 100  # of the one that dawdles: room for a burst, not for a talk
START = Cursor.after(0)


class Diary:
    """The append-only file of one subscriber; `cursor` is where it goes on."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_CREAT | os.O_RDWR | os.O_APPEND)
        whole = file.read_bytes().rpartition(b"\n")
        os.ftruncate(self._file, len(whole[0]) + len(whole[1]))  # a line cut by the kill
        rows = whole[0].splitlines()
        self.cursor = Cursor.parse(json.loads(rows[-1])["cursor"]) if rows else START

    def write(self, **row: Any) -> None:
        os.write(self._file, json.dumps(row).encode() + b"\n")
        os.fdatasync(self._file)


def heard(item: Record | FactRecord) -> list[Any]:
    """The item as a row: what it is, where it stands, and what it says."""
    if isinstance(item, Record):
        return ["entry", item.seq, item.n, item.id]
    return ["fact", item.seq, item.k, item.fact]


@asynccontextmanager
async def patient(url: str) -> AsyncIterator[Bus]:
    """A bus, as soon as Redis answers."""
    while True:
        try:
            bus = await Bus.connect(url)
        except Unavailable:
            await asyncio.sleep(0.05)
        else:
            break
    async with bus:
        yield bus


async def follow(url: str, file: Path, session: str) -> None:
    """Write down all that is heard, from the last line on, for ever."""
    diary = Diary(file)
    async with patient(url) as bus:
        while True:
            try:
                async with bus.subscribe(session, diary.cursor) as subscription:
                    await _listen(subscription, diary)
            except Unavailable:  # Redis went away before the subscription stood
                await asyncio.sleep(0.05)


async def _listen(subscription: Subscription, diary: Diary) -> None:
    async for item in subscription:
        diary.cursor = subscription.cursor
        diary.write(item=heard(item), cursor=str(subscription.cursor))


async def dawdle(url: str, file: Path, session: str, release: Path) -> None:
    """From now on hear ten items, read no further until `release` exists, then go on.

    Another subscriber of the same process reads along all the while.
    """
    diary = Diary(file)
    async with patient(url) as bus, asyncio.TaskGroup() as tasks:
        async with bus.subscribe(session, buffer=BUFFER) as subscription:
            tasks.create_task(_listen_beside(bus, session, file.with_suffix(".beside")))
            for _ in range(10):
                item = await anext(subscription)
                diary.write(item=heard(item), cursor=str(subscription.cursor))
            while not release.exists():
                await asyncio.sleep(0.02)
            try:
                await _listen(subscription, diary)
            except SlowSubscriber as dropped:
                diary.write(dropped=str(dropped), cursor=dropped.cursor)
                diary.cursor = Cursor.parse(dropped.cursor)
        async with bus.subscribe(session, diary.cursor) as subscription:
            await _listen(subscription, diary)


async def _listen_beside(bus: Bus, session: str, file: Path) -> None:
    diary = Diary(file)
    async with bus.subscribe(session, diary.cursor) as subscription:
        await _listen(subscription, diary)


class Subscribers:
    """The nursery as tests hold it; a context manager that leaves no process behind."""

    def __init__(self, url: str, log: Path) -> None:
        self._url = url
        self._log = log

    def __enter__(self) -> Self:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.subscribers", self._url],
                cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, "PYTHONPATH": OWN_CODE},
            )  # fmt: skip
        return self

    def __exit__(self, *exc: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()

    def say(self, *words: object) -> str:
        """One command, and what the nursery answers."""
        assert self._process.stdin
        assert self._process.stdout
        print(*words, file=self._process.stdin, flush=True)
        return self._process.stdout.readline().strip()


def nurse(url: str) -> None:
    """Obey stdin."""
    living: dict[str, int] = {}
    for line in sys.stdin:
        verb, file, *more = line.split()
        if verb in ("follow", "dawdle"):
            living[file] = _fork(verb, url, file, more)
            print("born", flush=True)
        elif verb == "kill":
            print(_killed(living.pop(file)), flush=True)
        else:
            os.kill(living[file], signal.SIGSTOP if verb == "freeze" else signal.SIGCONT)
            print("done", flush=True)
    for child in living.values():
        _killed(child)


def _killed(child: int) -> int:
    """How `child` ended: -9 where it was alive until now."""
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _fork(verb: str, url: str, file: str, more: list[str]) -> int:
    child = os.fork()
    if child:
        return child
    os.close(0)
    os.dup2(2, 1)  # stdout is the nursery's alone
    try:
        if verb == "follow":
            asyncio.run(follow(url, Path(file), more[0]))
        else:
            asyncio.run(dawdle(url, Path(file), more[0], Path(more[1])))
    except BaseException:
        traceback.print_exc()
    os._exit(1)


if __name__ == "__main__":
    nurse(sys.argv[1])
