"""The fold: `apply` changes the memory it owns by one record and returns the facts.

Pure and total: no entry raises, whatever it says. The one exception is about
this process, not about the log: a session read with pattern packs that are not
here is `PackMissing`, before anything changed.
Redelivered records are ignored. O(1) amortised.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable
from typing import Any

from parley.bus.entries import (
    DERIVED,
    PRIMARY,
    Entry,
    EntryRedacted,
    EntrySetAside,
    ItemCorrected,
    ParticipantAliased,
    Record,
    SessionClosed,
    SummaryMade,
    Unknown,
)
from parley.memory.exchanges import tool_cache
from parley.memory.extraction.model_claims import kept_claims, reading_ranges
from parley.memory.extraction.structure import merges
from parley.memory.floor import bids, grants, seats, spending
from parley.memory.fold import messages, settings_changes
from parley.memory.fold.corrections import alias, correct
from parley.memory.goals import episodes, lessons, work
from parley.memory.items import embedding_comparisons
from parley.memory.notebooks import history_events, notebooks
from parley.memory.state.fold_step import Moment
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.summaries import range_summaries, short_forms
from parley.memory.voting import vote_calls, votes

_NOTHING: list[Fact] = []


def apply(memory: Memory, record: Record) -> list[Fact]:
    """Fold `record` into `memory`, in place; the facts that it brought about.

    The list is the caller's to read, not to change.
    """
    if record.seq <= memory.seq:
        return _NOTHING
    entry = record.entry
    handler = _HANDLERS.get(entry.kind)
    if handler is None or type(entry) is Unknown:
        facts = _skip(memory, record)
    else:
        facts = handler(memory, record.n, entry)
    if memory.votes.running:
        facts = [*facts, *votes.follow(memory, record.n, facts)]
    memory.seq = record.seq
    memory.n = record.n
    return facts


def fold(memory: Memory, records: Iterable[Record]) -> Memory:
    """`memory` with every record applied, for those who need no facts."""
    for record in records:
        apply(memory, record)
    return memory


def _in_turn(*steps: Callable[[Moment, Any], None]) -> Callable[[Memory, int, Any], list[Fact]]:
    """A handler of entries other than messages: each step sees the same moment."""

    def handle(memory: Memory, n: int, entry: Any) -> list[Fact]:
        who = memory.named(getattr(entry, "participant", ""))
        moment = Moment(memory, n, who, getattr(entry, "content", ""), entry.at)
        for step in steps:
            step(moment, entry)
        return moment.facts

    return handle


def _redacted(memory: Memory, n: int, entry: EntryRedacted) -> list[Fact]:
    if memory.is_redacted(entry.redacted):  # told by the first of its tombstones
        return _NOTHING
    insort(memory.redacted, entry.redacted)
    merges.forget(memory.structure, entry.redacted)
    kept_claims.forget(memory, entry.redacted)
    return [Fact("entry.redacted", None, n, {"n": entry.redacted, "reason": entry.reason})]


def _corrected(memory: Memory, n: int, entry: ItemCorrected) -> list[Fact]:
    moment = Moment(memory, n, memory.named(entry.by), "", entry.at)
    if kept_claims.is_handle(entry.ref):
        kept_claims.correct(moment, entry)
        return moment.facts
    correct(moment, entry)
    kept_claims.note(memory, entry)
    return moment.facts


def _closed(memory: Memory, n: int, entry: SessionClosed) -> list[Fact]:
    memory.closed = entry.reason
    reading_ranges.finish(memory, n)
    return [Fact("session.closed", None, n, {"by": entry.by, "reason": entry.reason})]


def _aliased(memory: Memory, n: int, entry: ParticipantAliased) -> list[Fact]:
    moment = Moment(memory, n, entry.by or entry.participant, "", entry.at)
    alias(moment, entry.alias, entry.participant)
    return moment.facts


def _summarised(memory: Memory, n: int, entry: SummaryMade) -> list[Fact]:
    moment = Moment(memory, n, "", "", entry.at)
    range_summaries.land(moment, entry)
    return moment.facts


def _set_aside(memory: Memory, n: int, entry: EntrySetAside) -> list[Fact]:
    grants.overtaken(memory, entry)
    return [Fact("entry.set_aside", None, n, {"seq": entry.seq, "reason": entry.reason})]


def _forked(memory: Memory, n: int, entry: Entry) -> list[Fact]:
    return _NOTHING


def _skip(memory: Memory, record: Record) -> list[Fact]:
    kind = record.entry.kind
    if kind in PRIMARY or (record.n > memory.n and kind not in DERIVED):
        memory.unknown[kind] = memory.unknown.get(kind, 0) + 1
    return [Fact("entry.skipped", None, record.n, {"kind": kind})]


_HANDLERS: dict[str, Callable[[Memory, int, Any], list[Fact]]] = {
    "message": messages.hear,
    "item.corrected": _corrected,
    "session.opened": settings_changes.opened,
    "session.closed": _closed,
    "session.forked": _forked,
    "settings.changed": settings_changes.changed,
    "participant.aliased": _aliased,
    "participant.joined": _in_turn(seats.joined),
    "participant.left": _in_turn(seats.left),
    "floor.bid": _in_turn(bids.bid),
    "floor.passed": _in_turn(bids.passed),
    "floor.granted": _in_turn(grants.granted),
    "floor.released": _in_turn(grants.released),
    "floor.nudged": _in_turn(grants.nudged),
    "floor.paused": _in_turn(grants.paused),
    "floor.resumed": _in_turn(grants.resumed),
    "floor.muted": _in_turn(grants.muted),
    "spend.reserved": _in_turn(spending.reserved),
    "spend.settled": _in_turn(spending.settled),
    "memory.compacted": settings_changes.compacted,
    "entry.set_aside": _set_aside,
    "summary.made": _summarised,
    "vote.initiated": _in_turn(vote_calls.called, history_events.tell_vote),
    "vote.confirmed": _in_turn(vote_calls.confirmed, history_events.tell_vote),
    "ballot.cast": _in_turn(votes.cast),
    "ballot.completed": _in_turn(votes.close, history_events.tell_vote, grants.counted),
    "results.final": _in_turn(history_events.tell_results),
    "tool.called": _in_turn(tool_cache.called),
    "tool.returned": _in_turn(tool_cache.returned, work.ran),
    "context.injected": _in_turn(tool_cache.injected),
    "episode.opened": _in_turn(episodes.begin, grants.phased),
    "episode.closed": _in_turn(episodes.finish),
    "step": _in_turn(work.stepped),
    "note.written": _in_turn(notebooks.written),
    "note.revised": _in_turn(notebooks.revised),
    "note.refused": _in_turn(notebooks.refused),
    "text.condensed": _in_turn(short_forms.land),
    "similarity.found": _in_turn(embedding_comparisons.land),
    "items.extracted": _in_turn(kept_claims.land),
    "lesson.imported": _in_turn(lessons.imported),
    "entry.redacted": _redacted,
}
