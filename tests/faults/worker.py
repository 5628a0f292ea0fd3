"""One lane of a worker, as the fault kit runs it: `python -m tests.faults.worker JSON`.

The JSON holds `url`, `lane`, `lease_ms`, `batch`, `without`, the fences of the
scripts that are switched off, `planted`,
a bug that it has, `fold`, another build of the fold to work as, `model`, the address of an
endpoint that words summaries or nothing, and `up`, a folder where
a file named by the process id says that it works. From SIGUSR1 to SIGUSR2 it stops itself
in front of a commit.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from parley.bus.contract.errors import Unavailable
from parley.bus.work.lanes import Lanes
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.models.model_port import Model
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.workers.projector import ProjectorPace
from parley.listeners.workers.worker import WorkerSettings, run_lane
from tests.faults import planted_bugs
from tests.faults.language import PACKS
from tests.support.processes.builds import pretend_build


async def main(row: dict[str, Any]) -> None:
    fold = ProjectorPace(
        lease_ms=row["lease_ms"], batch=row["batch"], snapshot_tail=row.get("snapshot_tail", 200)
    )
    effects = EffectPace(lease_ms=row["lease_ms"])
    if row["fold"]:
        pretend_build(pytest.MonkeyPatch(), row["fold"])  # for good
    if row["planted"]:
        planted_bugs.BUGS[row["planted"]]()
    stop_at_commits()
    (Path(row["up"]) / str(os.getpid())).touch()
    if row["without"]:
        planted_bugs.leave_out_rules(row["without"])
    settings = WorkerSettings(row["url"], fold=fold, effects=effects, drain_seconds=5.0)
    await patiently(lambda: run_lane(row["lane"], settings, PACKS, model=model_of(row)))


def stop_at_commits() -> None:
    """SIGUSR1 has the next commit wait for SIGCONT, unless SIGUSR2 comes before it."""
    wanted = False
    commit: Callable[..., Awaitable[Any]] = Lanes.commit

    def want(number: int, _: object) -> None:
        nonlocal wanted
        wanted = number == signal.SIGUSR1

    async def stopping(*args: Any, **named: Any) -> Any:
        nonlocal wanted
        if wanted:
            wanted = False
            os.kill(os.getpid(), signal.SIGSTOP)
        return await commit(*args, **named)

    signal.signal(signal.SIGUSR1, want)
    signal.signal(signal.SIGUSR2, want)
    Lanes.commit = stopping  # type: ignore[method-assign]


def model_of(row: dict[str, Any]) -> Model | None:
    """The model of who runs effects, where there is an endpoint."""
    if not row["model"] or row["lane"] != "effects":
        return None
    return OpenAIModel("small-1", url=row["model"], timeout_seconds=1.0)


async def patiently(work: Callable[[], Awaitable[None]]) -> None:
    """Do `work`, again while Redis is away at its start: as whoever minds a worker does."""
    while True:
        try:
            await work()
        except Unavailable:
            await asyncio.sleep(0.2)
        else:
            return


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
