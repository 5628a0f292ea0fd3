"""A worker for tests, by hand.

`python -m tests.support.processes.worker_process <lane|all> <url> [model url]`.

`all` is the parent that minds both lanes, as `parley worker` is; `dying` is a
parent whose child cannot live, nor takes long to die.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path

from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.workers.lane_processes import supervise
from parley.listeners.workers.projector import ProjectorPace
from parley.listeners.workers.worker import LANES, Lane, WorkerSettings, run_lane
from parley.memory.extraction.patterns.pattern_packs import parse_pack
from parley.memory.state.memory import pack_key
from tests.support.servers.patience import PATIENCE


def main(what: str, url: str, *rest: str) -> int:
    if what == "all":
        lanes = {lane: partial(serve, lane, url, *rest) for lane in LANES}
        return supervise(lanes, drain_seconds=PATIENCE)
    if what == "dying":
        return supervise({"fold": lambda: 3})
    return serve("fold" if what == "fold" else "effects", url, *rest)


def serve(lane: Lane, url: str, *rest: str) -> int:
    pack = parse_pack(Path("memory/packs/en@1.json").read_bytes())
    settings = WorkerSettings(
        url,
        fold=ProjectorPace(lease_ms=2_000, snapshot_tail=1, idle_seconds=0.05),
        effects=EffectPace(idle_seconds=0.05),
        drain_seconds=5.0,
    )
    model = OpenAIModel("small-1", url=rest[0], timeout_seconds=300.0) if rest else None
    asyncio.run(run_lane(lane, settings, {pack_key(pack.name, pack.hash): pack}, model))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
