"""How far a session was read by a model, what came of it, and what it cost. Pure."""

from __future__ import annotations

from typing import Any

from parley.memory.extraction.model_claims.item_overlay import overlay_claims
from parley.memory.state.memory import Memory


def count_claims(memory: Memory) -> dict[str, Any]:
    """Stretches, claims and words on items; calls and tokens are those of readings that landed."""
    store, overlay = memory.claims, overlay_claims(memory)
    return {
        "how": memory.settings.extract.how,
        "read": store.read,
        "waiting": len(store.owed),
        "open_messages": store.count,
        "claims": store.claimed,
        "items": sum(claimed_item.status == "claimed" for claimed_item in overlay.items.values()),
        "confirmed": len(overlay.confirmed),
        "retracted": len(overlay.retracted)
        + sum(claimed_item.status == "retracted" for claimed_item in overlay.items.values()),
        "dropped": dict(sorted(store.dropped.items())),
        "calls": store.calls,
        "input_tokens": store.input_tokens,
        "output_tokens": store.output_tokens,
    }
