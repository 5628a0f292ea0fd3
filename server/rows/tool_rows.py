"""Kept results of tools as rows: for JSON, for a terminal, for routes. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parley.memory.exchanges.tool_cache import list_live_results, remaining_exchanges
from parley.memory.state.memory import Memory
from parley.memory.summaries.short_forms import result_text


def kept_result_rows(memory: Memory) -> Iterator[dict[str, Any]]:
    """What is kept in `memory`, oldest first."""
    for cached in list_live_results(memory):
        yield {
            "tool": cached.tool,
            "arguments": cached.arguments,
            "remaining": remaining_exchanges(memory, cached),
            "original": cached.ttl,
            "hits": cached.hits,
            "bytes": cached.bytes,
            "n": cached.n,
            "call_id": cached.call_id,
            "text": result_text(memory, cached),
        }
