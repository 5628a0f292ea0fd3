"""The fold: `apply` changes the memory it owns by one record and returns the facts.

Pure and total: no entry raises, whatever it says. The one exception is about
this process, not about the log: a session read with pattern packs that are not
here is `PackMissing`, before anything changed.
Redelivered records are ignored. O(1) amortised.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bus.entries import (
    DERIVED,
    PRIMARY,
    Entry,
    EntryRedacted,
    EntrySetAside,
    ItemCorrected,
    Message,
    PackRef,
    ParticipantAliased,
    Record,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
    SummaryMade,
    Unknown,
)
from memory import (
    comparisons,
    condensed,
    dialogue,
    episodes,
    events,
    exchanges,
    history,
    lessons,
    notebooks,
    positions,
    reflections,
    summaries,
    toolcache,
    work,
)
from memory.acts import Detection
from memory.claims import landing, ranges
from memory.compaction import compact_decisions, compact_proposals
from memory.corrections import alias, correct
from memory.errors import BadPattern, SettingsRefused
from memory.floor import bidding, seats, spending
from memory.floor import grants as floor
from memory.items import Fact
from memory.links import referred
from memory.moment import Moment
from memory.proposals import lapse
from memory.settings import merged
from memory.speech import speak
from memory.state import Memory
from memory.structure import casts, hindsight, joining, scribes, spoken
from memory.voting import calling
from memory.voting import course as voting

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
        facts = [*facts, *voting.follow(memory, record.n, facts)]
    memory.seq = record.seq
    memory.n = record.n
    return facts


def fold(memory: Memory, records: Iterable[Record]) -> Memory:
    """`memory` with every record applied, for those who need no facts."""
    for record in records:
        apply(memory, record)
    return memory


def _message(memory: Memory, n: int, entry: Message) -> list[Fact]:
    memory.messages += 1
    name = memory.aliases.get(entry.participant, entry.participant)
    person = memory.participants.get(name)
    if person is None:
        person = memory.participant(name)
    person.messages += 1
    facts = _NOTHING
    if name not in memory.bots:
        found = memory.reader.read(entry.content, entry.act)
        moment = _moment(memory, n, name, entry)
        if found:
            speak(moment, found, entry.re)
        _hear(moment, found, entry)
        facts = moment.facts
        if facts:
            _compact(memory, facts)
        if entry.re is not None and (about := referred(memory, entry.re)) is not None:
            positions.hear(memory, about.handle, name, n)
    if memory.live:
        oldest = memory.proposals[next(iter(memory.live))]
        if memory.messages - oldest.mentioned >= memory.lapse_after:
            silent = Moment(memory, n, name, entry.content, entry.at)
            lapse(silent)
            facts = [*facts, *silent.facts]
    if memory.layered:
        facts = [*facts, *_layers(memory, n, name, entry, facts)]
    memory.open_count += 1
    if memory.open_count >= memory.interval:
        summaries.close_range(memory, n, entry.at)
    return facts


def _moment(memory: Memory, n: int, name: str, entry: Message) -> Moment:
    """A message and whose words it is; an act in the envelope is its sender's own."""
    who = scribes.speaker(memory, name, entry.content)
    if who == name or entry.act is not None:
        return Moment(memory, n, name, entry.content, entry.at, entry.topic)
    return Moment(memory, n, who, entry.content, entry.at, entry.topic, name)


def _hear(moment: Moment, found: Sequence[Detection], entry: Message) -> None:
    """Find what no act shows, in the manner of the session's talk."""
    if not spoken.hear(moment):
        re = casts.replies(moment.memory, found[0], entry.re) if found else 0
        hindsight.hear(moment, found, found[0] if re else _bare_vote(found, entry), re)


def _bare_vote(found: Sequence[Detection], entry: Message) -> Detection | None:
    """The vote that a message is, where it is one on nothing that it names."""
    if not found or not found[0].vote or found[0].refs or entry.re is not None:
        return None
    return found[0]


def _layers(memory: Memory, n: int, name: str, entry: Message, found: list[Fact]) -> list[Fact]:
    """What a message does to notebooks, exchanges, the floor, where a session has them."""
    facts: list[Fact] = []
    if memory.keeps_notes:
        events.hear(memory, n, name, entry)
    if memory.users or memory.exchanges.open:
        facts += dialogue.hear(memory, n, name, entry)
    if memory.short_term:
        facts += summaries.weigh(memory, n, entry)
    if memory.has_floor:
        facts += floor.hear(memory, n, name, entry, found)
    if memory.is_read:
        ranges.hear(memory, n, name, entry)
    return facts


def _compact(memory: Memory, facts: list[Fact]) -> None:
    compact_proposals(memory)
    compact_decisions(memory, ledger=any(fact.kind == "decision.ratified" for fact in facts))


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
    joining.forget(memory.structure, entry.redacted)
    landing.forget(memory, entry.redacted)
    return [Fact("entry.redacted", None, n, {"n": entry.redacted, "reason": entry.reason})]


def _corrected(memory: Memory, n: int, entry: ItemCorrected) -> list[Fact]:
    moment = Moment(memory, n, memory.named(entry.by), "", entry.at)
    if landing.is_handle(entry.ref):
        landing.correct(moment, entry)
        return moment.facts
    correct(moment, entry)
    landing.note(memory, entry)
    return moment.facts


def _opened(memory: Memory, n: int, entry: SessionOpened) -> list[Fact]:
    if memory.opened:
        return _NOTHING
    refused = _govern(memory, n, entry.settings, entry.packs)
    memory.opened = True
    memory.title = entry.title
    summaries.close_heavy(memory, n, entry.at)
    moment = Moment(memory, n, "", "", entry.at)
    work.tighten(moment)
    return [*refused, *moment.facts]


def _changed(memory: Memory, n: int, entry: SettingsChanged) -> list[Fact]:
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
    return _NOTHING


def _closed(memory: Memory, n: int, entry: SessionClosed) -> list[Fact]:
    memory.closed = entry.reason
    ranges.finish(memory, n)
    return [Fact("session.closed", None, n, {"by": entry.by, "reason": entry.reason})]


def _aliased(memory: Memory, n: int, entry: ParticipantAliased) -> list[Fact]:
    moment = Moment(memory, n, entry.by or entry.participant, "", entry.at)
    alias(moment, entry.alias, entry.participant)
    return moment.facts


def _summarised(memory: Memory, n: int, entry: SummaryMade) -> list[Fact]:
    moment = Moment(memory, n, "", "", entry.at)
    summaries.land(moment, entry)
    return moment.facts


def _compacted(memory: Memory, n: int, entry: Entry) -> list[Fact]:
    compact_proposals(memory, wanted=True)
    compact_decisions(memory, ledger=True, wanted=True)
    history.trim(memory, wanted=True)
    moment = Moment(memory, n, "", "", entry.at)
    work.tighten(moment, wanted=True)
    return moment.facts


def _set_aside(memory: Memory, n: int, entry: EntrySetAside) -> list[Fact]:
    floor.overtaken(memory, entry)
    return [Fact("entry.set_aside", None, n, {"seq": entry.seq, "reason": entry.reason})]


def _forked(memory: Memory, n: int, entry: Entry) -> list[Fact]:
    return _NOTHING


def _skip(memory: Memory, record: Record) -> list[Fact]:
    kind = record.entry.kind
    if kind in PRIMARY or (record.n > memory.n and kind not in DERIVED):
        memory.unknown[kind] = memory.unknown.get(kind, 0) + 1
    return [Fact("entry.skipped", None, record.n, {"kind": kind})]


_HANDLERS: dict[str, Callable[[Memory, int, Any], list[Fact]]] = {
    "message": _message,
    "item.corrected": _corrected,
    "session.opened": _opened,
    "session.closed": _closed,
    "session.forked": _forked,
    "settings.changed": _changed,
    "participant.aliased": _aliased,
    "participant.joined": _in_turn(seats.joined),
    "participant.left": _in_turn(seats.left),
    "floor.bid": _in_turn(bidding.bid),
    "floor.passed": _in_turn(bidding.passed),
    "floor.granted": _in_turn(floor.granted),
    "floor.released": _in_turn(floor.released),
    "floor.nudged": _in_turn(floor.nudged),
    "floor.paused": _in_turn(floor.paused),
    "floor.resumed": _in_turn(floor.resumed),
    "floor.muted": _in_turn(floor.muted),
    "spend.reserved": _in_turn(spending.reserved),
    "spend.settled": _in_turn(spending.settled),
    "memory.compacted": _compacted,
    "entry.set_aside": _set_aside,
    "summary.made": _summarised,
    "vote.initiated": _in_turn(calling.called, events.tell_vote),
    "vote.confirmed": _in_turn(calling.confirmed, events.tell_vote),
    "ballot.cast": _in_turn(voting.cast),
    "ballot.completed": _in_turn(voting.close, events.tell_vote, floor.counted),
    "results.final": _in_turn(events.tell_results),
    "tool.called": _in_turn(toolcache.called),
    "tool.returned": _in_turn(toolcache.returned, work.ran),
    "context.injected": _in_turn(toolcache.injected),
    "episode.opened": _in_turn(episodes.begin, floor.phased),
    "episode.closed": _in_turn(episodes.finish),
    "step": _in_turn(work.stepped),
    "note.written": _in_turn(notebooks.written),
    "note.revised": _in_turn(notebooks.revised),
    "note.refused": _in_turn(notebooks.refused),
    "text.condensed": _in_turn(condensed.land),
    "similarity.found": _in_turn(comparisons.land),
    "items.extracted": _in_turn(landing.land),
    "lesson.imported": _in_turn(lessons.imported),
    "entry.redacted": _redacted,
}
