"""The rules that a session goes by, as its log sets them: opened with, changed, enforced."""

from __future__ import annotations

from typing import Any

from parley.bus.entries import Entry, PackRef, SessionOpened, SettingsChanged
from parley.memory import (
    exchanges,
    history,
    positions,
    reflections,
    summaries,
    toolcache,
    work,
)
from parley.memory.claims import ranges
from parley.memory.compaction import compact_decisions, compact_proposals
from parley.memory.errors import BadPattern, SettingsRefused
from parley.memory.items import Fact
from parley.memory.moment import Moment
from parley.memory.settings import merged
from parley.memory.state import Memory


def opened(memory: Memory, n: int, entry: SessionOpened) -> list[Fact]:
    """Put in force what the session opens with; only the first opening counts."""
    if memory.opened:
        return []
    refused = _govern(memory, n, entry.settings, entry.packs)
    memory.opened = True
    memory.title = entry.title
    summaries.close_heavy(memory, n, entry.at)
    moment = Moment(memory, n, "", "", entry.at)
    work.tighten(moment)
    return [*refused, *moment.facts]


def changed(memory: Memory, n: int, entry: SettingsChanged) -> list[Fact]:
    """Put other rules in force, and hold what is kept to them at once."""
    refused = _govern(memory, n, entry.settings, entry.packs)
    if refused:
        return refused
    compact_proposals(memory)
    compact_decisions(memory, ledger=True)
    positions.trim(memory)
    summaries.close_heavy(memory, n, entry.at)
    summaries.tighten(memory)
    history.trim(memory)
    moment = Moment(memory, n, memory.named(entry.by or ""), "", entry.at)
    work.tighten(moment)
    return [
        *moment.facts,
        Fact("settings.changed", None, n, {"by": entry.by, "settings": entry.settings}),
    ]


def _govern(
    memory: Memory, n: int, partial: dict[str, Any], packs: tuple[PackRef, ...] | None
) -> list[Fact]:
    """Put settings and packs in force; what cannot be read leaves all as it was, as a fact."""
    try:
        settings = merged(memory.settings, partial)
        if packs is not None:
            memory.read_with(packs)
    except (SettingsRefused, BadPattern) as error:
        return [Fact("settings.refused", None, n, {"reason": str(error)})]
    reflections.hold(memory)
    memory.govern(settings)
    memory.begin_era()
    reflections.begin(memory)
    ranges.begin(memory)
    exchanges.tighten(memory)
    toolcache.tighten(memory)
    return []


def compacted(memory: Memory, n: int, entry: Entry) -> list[Fact]:
    """Shrink everything to the targets of its caps, as if the caps were reached."""
    compact_proposals(memory, wanted=True)
    compact_decisions(memory, ledger=True, wanted=True)
    history.trim(memory, wanted=True)
    moment = Moment(memory, n, "", "", entry.at)
    work.tighten(moment, wanted=True)
    return moment.facts
