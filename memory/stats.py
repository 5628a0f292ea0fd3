"""Numbers of a session's memory: counts by kind and status, sizes, compression."""

from __future__ import annotations

from collections import Counter
from typing import Any

from memory.canonical import dump
from memory.state import Memory


def stats(memory: Memory) -> dict[str, Any]:
    """Counts and sizes. Sizes are bytes of canonical JSON, and tokens of the summaries.

    `proposals` counts the active ones, as the others have their own count by status.
    """
    proposals = [found for found in memory.proposals.values() if _stands(found)]
    decisions = [found for found in memory.decisions.values() if _stands(found)]
    covered = sum(summary.was for summary in memory.summaries.values())
    written = sum(summary.size for summary in memory.summaries.values())
    return {
        "messages": memory.messages,
        "participants": len(memory.participants),
        "summaries": len(memory.summaries),
        "summaries_owed": len(memory.owed),
        "decisions": len(decisions),
        "decisions_by_status": dict(sorted(Counter(one.status for one in decisions).items())),
        "proposals": sum(one.status == "active" for one in proposals),
        "proposals_by_status": dict(sorted(Counter(one.status for one in proposals).items())),
        "flips": sum(
            held.was is not None and held.stance != "neutral"
            for person in memory.participants.values()
            for held in person.positions.values()
        ),
        "echoes": sum(one.echoes is not None for one in proposals),
        "unknown": dict(sorted(memory.unknown.items())),
        "sizes": {
            "memory_bytes": len(dump(memory)),
            "summary_tokens": written,
            "summarised_tokens": covered,
            "open_messages": memory.open_count,
        },
    }


def _stands(item: Any) -> bool:
    return not item.struck and item.merged is None
