"""A fold process for which a message that says "poison" is deadly: run it as a script.

    python -m tests.deadly_worker <url> <lease ms>

It stands for a C extension that crashes on one input: nothing is raised, the
process is gone.
"""

from __future__ import annotations

import asyncio
import os
import sys

from bus.entries import Record
from listeners import projection
from listeners.projector import Pace
from listeners.worker import WorkerSettings, run_lane
from memory.fold import apply
from memory.items import Fact
from memory.state import Memory
from tests.logs import PACKS


def deadly(memory: Memory, record: Record) -> list[Fact]:
    if "poison" in getattr(record.entry, "content", ""):
        os._exit(9)
    return apply(memory, record)


if __name__ == "__main__":
    projection.apply = deadly  # type: ignore[attr-defined]  # the crash that the test wants
    pace = Pace(lease_ms=int(sys.argv[2]), snapshot_tail=1, idle_seconds=0.05)
    asyncio.run(run_lane("fold", WorkerSettings(sys.argv[1], fold=pace), PACKS))
