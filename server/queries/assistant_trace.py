"""What an assistant works from, in three views: memory, kept results, messages."""

from __future__ import annotations

from typing import Any

from parley.memory.context.chat_messages import ChatMessages
from parley.memory.exchanges.short_forms import running_text
from parley.memory.state.memory import Memory
from parley.memory.text.byte_limits import byte_size
from parley.server.rows.layer_rows import kept_result_rows
from parley.server.runtime.backend import Backend


async def read_prompt(
    backend: Backend, session: str, participant: str | None, budget: int | None
) -> ChatMessages:
    """The messages of the profile `exchange`."""
    return await backend.session(session, participant or "").prepare_messages(budget=budget)


async def read_trace(
    backend: Backend, session: str, participant: str | None, budget: int | None
) -> dict[str, Any]:
    """The three views of a session as it stands."""
    client = backend.session(session, participant or "")
    prompt = await client.prepare_messages(budget=budget)
    memory = await backend.reader.current(session)
    return {
        "memory": memory_state_row(session, memory),
        "cache": {
            "hits": memory.tools.hits,
            "misses": memory.tools.misses,
            "evicted": memory.tools.evicted,
            "results": list(kept_result_rows(memory)),
        },
        "messages": list(prompt.messages),
        "size": prompt.size,
        "dropped": prompt.dropped,
    }


def memory_state_row(session: str, memory: Memory) -> dict[str, Any]:
    """What memory holds of the exchanges of `session`. Pure."""
    store, summary = memory.exchanges, running_text(memory)
    return {
        "session": session,
        "exchanges": len(store.window),
        "turn": store.turn,
        "open": f"E{store.open}" if store.open else None,
        "summary_bytes": byte_size(summary),
        "compressions": store.compressions,
        "in_a_models_words": summary != store.running,
    }
