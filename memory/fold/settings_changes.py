"""The rules that a session goes by, as its log sets them: opened with, changed, enforced."""

from __future__ import annotations

from typing import Any

from parley.bus.entries import Entry, PackRef, SessionOpened, SettingsChanged
from parley.memory.errors import BadPattern, SettingsRefused
from parley.memory.exchanges import exchanges, tool_cache
from parley.memory.extraction.model_claims import reading_ranges
from parley.memory.goals import work
from parley.memory.items import positions
from parley.memory.items.item_caps import compact_decisions, compact_proposals
from parley.memory.notebooks import reflections, shared_history
from parley.memory.settings.session_settings import merge_settings
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.summaries import range_summaries


def apply_opening(memory: Memory, n: int, entry: SessionOpened) -> list[Fact]:
    """Put in force what the session opens with; only the first opening counts."""
    if memory.opened:
        return []
    refused = _govern(memory, n, entry.settings, entry.packs)
    memory.opened = True
    memory.title = entry.title
    range_summaries.close_heavy_range(memory, n, entry.at)
    moment = FoldStep(memory, n, "", "", entry.at)
    work.enforce_work_limits(moment)
    return [*refused, *moment.facts]


def apply_change(memory: Memory, n: int, entry: SettingsChanged) -> list[Fact]:
    """Put other rules in force, and hold what is kept to them at once."""
    refused = _govern(memory, n, entry.settings, entry.packs)
    if refused:
        return refused
    compact_proposals(memory)
    compact_decisions(memory, ledger=True)
    positions.enforce_all_caps(memory)
    range_summaries.close_heavy_range(memory, n, entry.at)
    range_summaries.cover_ranges(memory)
    shared_history.enforce_history_limit(memory)
    moment = FoldStep(memory, n, memory.named(entry.by or ""), "", entry.at)
    work.enforce_work_limits(moment)
    return [
        *moment.facts,
        Fact("settings.changed", None, n, {"by": entry.by, "settings": entry.settings}),
    ]


def _govern(
    memory: Memory, n: int, partial: dict[str, Any], packs: tuple[PackRef, ...] | None
) -> list[Fact]:
    """Put settings and packs in force; what cannot be read leaves all as it was, as a fact."""
    try:
        settings = merge_settings(memory.settings, partial)
        if packs is not None:
            memory.read_with(packs)
    except (SettingsRefused, BadPattern) as error:
        return [Fact("settings.refused", None, n, {"reason": str(error)})]
    reflections.adopt_occasions(memory)
    memory.govern(settings)
    memory.begin_era()
    reflections.begin_notes(memory)
    reading_ranges.begin_reading(memory)
    exchanges.enforce_exchange_limits(memory)
    tool_cache.enforce_cache_limits(memory)
    return []


def compact_all(memory: Memory, n: int, entry: Entry) -> list[Fact]:
    """Shrink everything to the targets of its caps, as if the caps were reached."""
    compact_proposals(memory, wanted=True)
    compact_decisions(memory, ledger=True, wanted=True)
    shared_history.enforce_history_limit(memory, wanted=True)
    moment = FoldStep(memory, n, "", "", entry.at)
    work.enforce_work_limits(moment, wanted=True)
    return moment.facts
