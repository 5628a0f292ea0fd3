"""What a message does to memory: it is read for items, and every layer hears of it."""

from __future__ import annotations

from parley.bus.entries import Message
from parley.memory.extraction.model_claims import reading_ranges
from parley.memory.extraction.structure import scribes
from parley.memory.floor import turns
from parley.memory.fold import exchange_turns
from parley.memory.items import late_items, positions
from parley.memory.items.item_acts import apply_acts
from parley.memory.items.item_caps import compact_decisions, compact_proposals
from parley.memory.items.item_evictions import lapse_beyond_cap
from parley.memory.items.links import find_referred
from parley.memory.items.proposals import lapse_proposals
from parley.memory.notebooks import history_events
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.summaries import range_summaries
from parley.memory.summaries.ledger_changes import note_changes
from parley.memory.writing.answered_turns import TURNS, note_turn
from parley.memory.writing.written_items import is_written, take_written

_NOTHING: list[Fact] = []


def fold_message(memory: Memory, n: int, entry: Message) -> list[Fact]:
    """Fold message `n` into every layer that the session has; the facts of all of them."""
    memory.messages += 1
    name = memory.named(entry.participant)
    person = memory.participants.get(name)
    if person is None:
        person = memory.participant(name)
    person.messages += 1
    facts = _NOTHING
    if name not in memory.bots:
        moment = _moment(memory, n, name, entry)
        _read(moment, entry)
        facts = moment.facts
        if facts:
            _compact(memory, facts)
        if entry.re is not None and (about := find_referred(memory, entry.re)) is not None:
            positions.note_position_mention(memory, about.handle, name, n)
    if memory.live and (lapsed := _lapsed(memory, n, name, entry)):
        facts = [*facts, *lapsed]
    if memory.layered:
        facts = [*facts, *_layers(memory, n, name, entry, facts)]
    if facts:
        note_changes(memory, facts)
    memory.open_count += 1
    if memory.open_count >= memory.interval:
        range_summaries.close_range(memory, n, entry.at)
    return facts


def _read(moment: FoldStep, entry: Message) -> None:
    """Let what a message says take effect: as a document where talk is written, else as a line."""
    memory = moment.memory
    written = is_written(memory, entry.content)
    if not (written and entry.act is None and take_written(moment, entry)):
        detections = memory.reader.read(entry.content, entry.act)
        if detections:
            apply_acts(moment, detections, entry.re)
        late_items.read_late(moment, detections, entry)
        if written or memory.messages <= TURNS:
            note_turn(memory, moment, entry)


def _moment(memory: Memory, n: int, name: str, entry: Message) -> FoldStep:
    """A message and whose words it is; an act in the envelope is its sender's own."""
    who = scribes.resolve_speaker(memory, name, entry.content)
    if who == name or entry.act is not None:
        return FoldStep(memory, n, name, entry.content, entry.at, entry.topic)
    return FoldStep(memory, n, who, entry.content, entry.at, entry.topic, name)


def _lapsed(memory: Memory, n: int, name: str, entry: Message) -> list[Fact]:
    """What lapses with this message: nobody has mentioned it for long, or too many are open."""
    oldest = memory.proposals[next(iter(memory.live))]
    is_overdue = memory.messages - oldest.mentioned >= memory.lapse_after
    if not is_overdue and len(memory.live) <= memory.settings.caps.live:
        return _NOTHING
    moment = FoldStep(memory, n, name, entry.content, entry.at)
    lapse_proposals(moment)
    lapse_beyond_cap(moment)
    return moment.facts


def _layers(
    memory: Memory, n: int, name: str, entry: Message, item_facts: list[Fact]
) -> list[Fact]:
    """What a message does to notebooks, exchanges, the floor, where a session has them."""
    facts: list[Fact] = []
    if memory.keeps_notes:
        history_events.record_message(memory, n, name, entry)
    if memory.users or memory.exchanges.open:
        facts += exchange_turns.take_exchange_message(memory, n, name, entry)
    if memory.short_term:
        facts += range_summaries.count_open_tokens(memory, n, entry)
    if memory.has_floor:
        facts += turns.count_turn(memory, n, name, entry, item_facts)
    if memory.is_read:
        reading_ranges.count_message(memory, n, name, entry)
    return facts


def _compact(memory: Memory, facts: list[Fact]) -> None:
    compact_proposals(memory)
    compact_decisions(memory, ledger=any(fact.kind == "decision.ratified" for fact in facts))
