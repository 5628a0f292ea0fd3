"""A fold process for which a message that says "poison" is deadly: run it as a script.

    python -m tests.support.processes.deadly_worker <url> <lease ms>

It stands for a C extension that crashes on one input: nothing is raised, the
process is gone. Its parent, this script, forks the next one at once and prints
the pid of each and how it ended, so that a dozen deaths take no dozen imports.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from parley.bus.entries import Record
from parley.listeners.workers.projector import ProjectorPace
from parley.listeners.workers.worker import WorkerSettings, run_lane
from parley.memory.extraction.patterns.pattern_packs import parse_pack
from parley.memory.fold import replay
from parley.memory.fold.apply import apply
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory, pack_key

DEADLY = 9


def deadly(memory: Memory, record: Record) -> list[Fact]:
    if "poison" in getattr(record.entry, "content", ""):
        os._exit(DEADLY)
    return apply(memory, record)


def fold(url: str, lease_ms: int) -> None:
    pack = parse_pack(Path("memory/packs/en@1.json").read_bytes())
    pace = ProjectorPace(lease_ms=lease_ms, snapshot_tail=1, idle_seconds=0.05)
    settings = WorkerSettings(url, fold=pace)
    asyncio.run(run_lane("fold", settings, {pack_key(pack.name, pack.hash): pack}))


def main(url: str, lease_ms: int) -> None:
    """Fork folders until told to stop; end the one that runs then."""
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True
        os.kill(child, signal.SIGTERM)

    while not stopped:
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            fold(url, lease_ms)
            os._exit(0)
        signal.signal(signal.SIGTERM, stop)
        print("started", child, flush=True)
        _, status = os.waitpid(child, 0)
        print("ended", os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    replay.apply = deadly  # type: ignore[attr-defined]  # the crash that the test wants
    main(sys.argv[1], int(sys.argv[2]))
