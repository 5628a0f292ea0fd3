"""Numbers that memory alone does not have: tokens of open talk, the model calls of workers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parley.bus.work.workforce import WorkerInfo
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.statistics.statistics import count_memory
from parley.server.runtime.backend import Backend


async def measure_session(backend: Backend, session: str) -> dict[str, Any]:
    """`measure_memory`, and the summariser's record.

    The summariser's numbers are those of all workers that run now, whatever
    sessions they served.
    """
    row = await measure_memory(backend.reader, session)
    return {**row, "summariser": summary_work(await backend.bus.workers())}


async def measure_memory(reader: MemoryReader, session: str) -> dict[str, Any]:
    """`count_memory`, with tokens of the open stretch."""
    recent = await reader.recent(session, (await reader.current(session)).open_count)
    return count_memory(await reader.current(session), recent)


def summary_work(workers: Iterable[WorkerInfo]) -> dict[str, Any]:
    """Model calls of all workers: how many, how they ended, how long they took.

    Shares are per mille, null where nothing was called; `memo_permille` is of
    all answers, asked for and remembered.
    """
    rows = [worker.stats for worker in workers]
    total = {
        name: sum(int(row.get(name, 0)) for row in rows)
        for name in ("extracts", "models", "fallbacks", "model_calls", "model_failures",
                     "model_ms", "memo_hits")
    }  # fmt: skip
    calls, hits = total["model_calls"], total["memo_hits"]
    return {
        **total,
        "ms_per_call": total["model_ms"] // calls if calls else None,
        "success_permille": (calls - total["model_failures"]) * 1000 // calls if calls else None,
        "memo_permille": hits * 1000 // (calls + hits) if calls + hits else None,
    }
