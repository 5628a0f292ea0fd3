"""How far a session was read by a model, what came of it, and what it cost. Pure."""

from __future__ import annotations

from typing import Any

from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.memory import Memory


def count_readings(memory: Memory) -> dict[str, Any]:
    """Stretches, claims and items; calls and tokens are those of readings that landed.

    `refused` names rows of the newest stretches that were dropped, each with the reason.
    """
    store, ledger = memory.claims, ledger_of(memory)
    verdicts = [check.verdict for check in store.checks.values()]
    return {
        "how": memory.settings.extract.how,
        "read": store.read,
        "waiting": len(store.owed),
        "open_messages": store.count,
        "claims": store.claimed,
        "items": ledger.count_own(),
        "confirmed": len(verdicts) - verdicts.count("wrong"),
        "denied": verdicts.count("wrong"),
        "dropped": dict(sorted(store.dropped.items())),
        "refused": [
            {"reason": reason, "row": row}
            for stretch in store.refused.values()
            for reason, row in stretch.rows
        ],
        "calls": store.calls,
        "input_tokens": store.input_tokens,
        "output_tokens": store.output_tokens,
    }
