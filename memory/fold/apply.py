"""The fold: `apply` changes the memory it owns by one record and returns the facts.

Pure and total: no entry raises, whatever it says. The one exception is about
this process, not about the log: a session read with pattern packs that are not
here is `PackMissing`, before anything changed.
Redelivered records are ignored. O(1) amortised.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
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
from parley.memory.exchanges import short_forms, tool_cache
from parley.memory.extraction.model_claims import kept_claims, reading_ranges
from parley.memory.extraction.structure import merges
from parley.memory.floor import bids, grants, seats, spending
from parley.memory.fold import edits, messages, settings_changes
from parley.memory.fold.corrections import alias_participant, correct_item
from parley.memory.goals import episodes, lessons, work
from parley.memory.items import embedding_comparisons
from parley.memory.items.item_evictions import evict_items, lapse_beyond_cap
from parley.memory.notebooks import history_events, notebooks
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.summaries import range_summaries
from parley.memory.summaries.ledger_changes import note_changes
from parley.memory.voting import extensions, vote_calls, votes
from parley.memory.writing.answered_turns import forget_turn

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
    if facts and entry.kind != "message":  # a message notes its own, before its range closes
        note_changes(memory, facts)
    if memory.votes.running:
        followed = votes.follow_votes(memory, record.n, facts)
        note_changes(memory, followed)
        facts = [*facts, *followed]
    if len(memory.live) > memory.settings.caps.live:  # a message lets its own lapse
        facts = [*facts, *_lapse_beyond_cap(memory, record)]
    evict_items(memory)
    if memory.cites.is_overgrown:
        memory.rebuild_cites()
    memory.seq = record.seq
    memory.n = record.n
    memory.ledger_view = None
    return facts


def _lapse_beyond_cap(memory: Memory, record: Record) -> list[Fact]:
    moment = FoldStep(memory, record.n, "", "", getattr(record.entry, "at", None))
    lapse_beyond_cap(moment)
    note_changes(memory, moment.facts)
    return moment.facts


def _in_turn(*steps: Callable[[FoldStep, Any], None]) -> Callable[[Memory, int, Any], list[Fact]]:
    """A handler of entries other than messages: each step sees the same moment."""

    def handle(memory: Memory, n: int, entry: Any) -> list[Fact]:
        who = memory.named(getattr(entry, "participant", ""))
        moment = FoldStep(memory, n, who, getattr(entry, "content", ""), entry.at)
        for step in steps:
            step(moment, entry)
        return moment.facts

    return handle


def _redacted(memory: Memory, n: int, entry: EntryRedacted) -> list[Fact]:
    if memory.is_redacted(entry.redacted):  # told by the first of its tombstones
        return _NOTHING
    insort(memory.redacted, entry.redacted)
    merges.forget_entry(memory.structure, entry.redacted)
    forget_turn(memory.writing, entry.redacted)
    kept_claims.forget_message(memory, entry.redacted)
    return [Fact("entry.redacted", None, n, {"n": entry.redacted, "reason": entry.reason})]


def _corrected(memory: Memory, n: int, entry: ItemCorrected) -> list[Fact]:
    moment = FoldStep(memory, n, memory.named(entry.by), "", entry.at)
    if kept_claims.is_claim_handle(entry.ref):
        kept_claims.retract_claim(moment, entry)
        return moment.facts
    correct_item(moment, entry)
    kept_claims.protect_item(memory, entry)
    return moment.facts


def _closed(memory: Memory, n: int, entry: SessionClosed) -> list[Fact]:
    memory.closed = entry.reason
    reading_ranges.close_range(memory, n)
    return [Fact("session.closed", None, n, {"by": entry.by, "reason": entry.reason})]


def _aliased(memory: Memory, n: int, entry: ParticipantAliased) -> list[Fact]:
    moment = FoldStep(memory, n, entry.by or entry.participant, "", entry.at)
    alias_participant(moment, entry.alias, entry.participant)
    return moment.facts


def _summarised(memory: Memory, n: int, entry: SummaryMade) -> list[Fact]:
    moment = FoldStep(memory, n, "", "", entry.at)
    range_summaries.keep_summary(moment, entry)
    return moment.facts


def _set_aside(memory: Memory, n: int, entry: EntrySetAside) -> list[Fact]:
    grants.void_grant(memory, entry)
    return [Fact("entry.set_aside", None, n, {"seq": entry.seq, "reason": entry.reason})]


def _forked(memory: Memory, n: int, entry: Entry) -> list[Fact]:
    return _NOTHING


def _skip(memory: Memory, record: Record) -> list[Fact]:
    kind = record.entry.kind
    if kind in PRIMARY or (record.n > memory.n and kind not in DERIVED):
        memory.unknown[kind] = memory.unknown.get(kind, 0) + 1
    return [Fact("entry.skipped", None, record.n, {"kind": kind})]


_HANDLERS: dict[str, Callable[[Memory, int, Any], list[Fact]]] = {
    "message": messages.fold_message,
    "message.edited": edits.fold_edit,
    "item.corrected": _corrected,
    "session.opened": settings_changes.apply_opening,
    "session.closed": _closed,
    "session.forked": _forked,
    "settings.changed": settings_changes.apply_change,
    "participant.aliased": _aliased,
    "participant.joined": _in_turn(seats.take_seat),
    "participant.left": _in_turn(seats.leave_seat),
    "floor.bid": _in_turn(bids.place_bid),
    "floor.passed": _in_turn(bids.record_pass),
    "floor.granted": _in_turn(grants.grant_floor),
    "floor.released": _in_turn(grants.release_floor),
    "floor.nudged": _in_turn(grants.record_nudge),
    "floor.paused": _in_turn(grants.pause_floor),
    "floor.resumed": _in_turn(grants.resume_floor),
    "floor.muted": _in_turn(grants.mute_seat),
    "spend.reserved": _in_turn(spending.reserve_call),
    "spend.settled": _in_turn(spending.settle_call),
    "memory.compacted": settings_changes.compact_all,
    "talk.paused": _in_turn(reading_ranges.pause_reading),
    "entry.set_aside": _set_aside,
    "summary.made": _summarised,
    "vote.initiated": _in_turn(vote_calls.call_vote, history_events.record_vote),
    "vote.confirmed": _in_turn(vote_calls.confirm_vote, history_events.record_vote),
    "vote.extended": _in_turn(extensions.extend_vote),
    "ballot.cast": _in_turn(votes.cast_ballot),
    "ballot.completed": _in_turn(
        votes.close_with_result, history_events.record_vote, grants.note_vote_end
    ),
    "results.final": _in_turn(history_events.record_results),
    "tool.called": _in_turn(tool_cache.count_call),
    "tool.returned": _in_turn(tool_cache.keep_result, work.record_run),
    "context.injected": _in_turn(tool_cache.record_injection),
    "episode.opened": _in_turn(episodes.open_episode, grants.begin_phase),
    "episode.closed": _in_turn(episodes.close_episode),
    "step": _in_turn(work.record_step),
    "note.written": _in_turn(notebooks.write_note),
    "note.revised": _in_turn(notebooks.revise_note),
    "note.refused": _in_turn(notebooks.record_refusal),
    "text.condensed": _in_turn(short_forms.keep_short_form),
    "similarity.found": _in_turn(embedding_comparisons.record_comparison),
    "items.extracted": _in_turn(kept_claims.keep_claims),
    "lesson.imported": _in_turn(lessons.import_lesson),
    "entry.redacted": _redacted,
}
