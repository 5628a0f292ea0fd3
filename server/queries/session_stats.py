"""Numbers that memory alone does not have: tokens of open talk, the model calls of workers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parley.bus.work.workforce import WorkerInfo
from parley.memory.statistics.statistics import count_memory
from parley.memory.text.text_sizes import count_tokens
from parley.server.runtime.backend import Backend


async def measure_session(backend: Backend, session: str) -> dict[str, Any]:
    """`count_memory`, with tokens of the open stretch and the summariser's record.

    The summariser's numbers are those of all workers that run now, whatever
    sessions they served.
    """
    memory = await backend.reader.current(session)
    row = count_memory(memory)
    talk = row["conversation"]
    if talk["estimated_tokens"] is None:
        records = await backend.reader.recent(session, memory.open_count)
        spoken = sum(count_tokens(getattr(record.entry, "content", "")) for record in records)
        talk["estimated_tokens"] = spoken + talk["summary_tokens"]
    return {**row, "summariser": summary_work(await backend.bus.workers())}


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
