"""Where each participant stands, one position per proposal or topic, flips kept."""

from __future__ import annotations

from msgspec.structs import replace

from parley.memory.settings.setting_defaults import CapSettings
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import (
    Cite,
    Decision,
    Participant,
    Position,
    Proposal,
    Stance,
    Voice,
)
from parley.memory.state.memory import Memory
from parley.memory.text.sentences import clip_sentence
from parley.memory.voice import VOICE

_ROOM = 10  # the part of `caps.outspoken` that is cleared at once
_TEXT_CHARS = 120  # enough for one sentence; the log has the rest


def take_position(moment: FoldStep, on: str, stance: Stance, start: int, end: int) -> None:
    """Put `moment`'s participant at `stance` on `on`; the opposite before makes it a flip.

    An entry that only a later one revealed changes nothing that was said since.
    """
    memory = moment.memory
    person = memory.participant(moment.participant)
    before = person.positions.get(on)
    if before is not None and before.cite.n > moment.n:
        return
    person.positions.pop(on, None)
    was, was_cite, flipped = _turned(before, stance)
    moved = _mover(moment, on, was_cite) if flipped else _moved_before(before, stance)
    text = clip_sentence(moment.content, start, end, _TEXT_CHARS)
    cite = Cite(moment.n, start, end)
    person.positions[on] = Position(on, stance, cite, text, was, was_cite, *moved)
    person.last = on
    note_position_mention(memory, on, moment.participant, moment.n)
    enforce_caps(person, memory.settings.caps)
    _count_outspoken(memory, person)
    if flipped and was_cite is not None:
        moment.record_fact(
            "position.flipped",
            on,
            participant=moment.participant,
            stance=stance,
            was=was,
            was_n=was_cite.n,
            moved_by=moved[0] or None,
            moved_n=moved[1] or None,
            start=start,
            end=end,
        )


def restore_position(memory: Memory, name: str, on: str, n: int, stood: Position | None) -> None:
    """Put back where `name` stood on `on` before entry `n` was taken to speak of it."""
    person = memory.participants.get(name)
    position = None if person is None else person.positions.get(on)
    if person is None or position is None or position.cite.n != n:
        return
    del person.positions[on]
    if stood is not None:
        person.positions[on] = stood
        _count_outspoken(memory, person)
    person.last = _newest_position(person)


def forget_entry(memory: Memory, name: str, n: int) -> None:
    """Take from `name` what they said in entry `n`: where they stand, and what they contributed."""
    person = memory.participants.get(name)
    if person is None:
        return
    gone = [on for on, position in person.positions.items() if position.cite.n == n]
    for on in gone:
        del person.positions[on]
        if (item := memory.item(on)) is not None:
            item.voices = [voice for voice in item.voices if voice != Voice(name, n)]
    person.contributions = [cite for cite in person.contributions if cite.n != n]
    if person.last in gone:
        person.last = _newest_position(person)


def forget_item(memory: Memory, on: str) -> None:
    """Take every position on `on` from who holds it: the item left memory."""
    for name in memory.outspoken:
        person = memory.participants[name]
        if person.positions.pop(on, None) is not None and person.last == on:
            person.last = _newest_position(person)


def _newest_position(person: Participant) -> str | None:
    newest = max(
        person.positions.values(), key=lambda position: (position.cite.n, position.on), default=None
    )
    return None if newest is None else newest.on


def note_position_mention(memory: Memory, on: str, participant: str, n: int) -> None:
    """Note that entry `n` of `participant` speaks of `on`; the last two who did are kept."""
    item = memory.item(on)
    if item is not None and participant != VOICE:
        others = [voice for voice in item.voices if voice.participant != participant]
        item.voices = [*others[-1:], Voice(participant, n)]


def _mover(moment: FoldStep, on: str, was_cite: Cite | None) -> tuple[str, int]:
    """Who else spoke of `on` last since `was_cite`, and where; "" and 0 where nobody did."""
    item = moment.memory.item(on)
    since = 0 if was_cite is None else was_cite.n
    for voice in reversed([] if item is None else item.voices):
        if voice.participant != moment.participant and since < voice.n < moment.n:
            return voice.participant, voice.n
    return "", 0


def _moved_before(before: Position | None, stance: Stance) -> tuple[str, int]:
    """What moved a position that is only said again."""
    if before is None or before.stance != stance:
        return "", 0
    return before.moved_by, before.moved_n


def _turned(before: Position | None, stance: Stance) -> tuple[Stance | None, Cite | None, bool]:
    """What was held before `stance`, and whether `stance` is its opposite.

    A neutral spell in between hides nothing: it remembers what it followed.
    """
    if before is None:
        return None, None, False
    if before.stance == stance:
        return before.was, before.was_cite, False
    if before.stance == "neutral":
        earlier, earlier_cite = before.was, before.was_cite
    else:
        earlier, earlier_cite = before.stance, before.cite
    if earlier == stance:
        return None, None, False  # back to what was held before the doubt
    return earlier, earlier_cite, stance != "neutral" and earlier is not None


def note_contribution(moment: FoldStep, start: int, end: int) -> None:
    """Count a span of the entry in hand among its speaker's key contributions."""
    if moment.participant == VOICE:
        return
    memory = moment.memory
    person = memory.participant(moment.participant)
    cite = Cite(moment.n, start, end)
    if cite not in person.contributions[-1:]:
        person.contributions.append(cite)
    enforce_caps(person, memory.settings.caps)
    _count_outspoken(memory, person)


def enforce_caps(person: Participant, caps: CapSettings) -> None:
    """Hold `person` to the caps: the newest positions and key contributions stay."""
    while len(person.positions) > caps.positions:
        _, oldest = min([(each.cite.n, each.on) for each in person.positions.values()])
        del person.positions[oldest]
    beyond = len(person.contributions) - caps.key_points
    if beyond > 0:
        del person.contributions[:beyond]


def enforce_all_caps(memory: Memory) -> None:
    """Hold every participant to the caps, after these changed."""
    for person in memory.participants.values():
        enforce_caps(person, memory.settings.caps)
    _silence_beyond_cap(memory)


def _count_outspoken(memory: Memory, person: Participant) -> None:
    """Note that `person` holds something; beyond `caps.outspoken` the longest silent let go."""
    memory.outspoken[person.name] = None
    if len(memory.outspoken) > memory.settings.caps.outspoken:
        _silence_beyond_cap(memory)


def _silence_beyond_cap(memory: Memory) -> None:
    memory.order_outspoken()
    cap = memory.settings.caps.outspoken
    if len(memory.outspoken) <= cap:
        return
    people = sorted(
        (memory.participants[name] for name in memory.outspoken),
        key=lambda person: (_newest_entry(person), person.name),
    )
    for person in people[: len(people) - cap + cap // _ROOM]:
        person.positions, person.contributions, person.last = {}, [], None
        del memory.outspoken[person.name]


def _newest_entry(person: Participant) -> int:
    """The n of the newest entry that is cited for what `person` holds."""
    cites = [*(position.cite for position in person.positions.values()), *person.contributions]
    return max(cite.n for cite in cites)


def rename_participant(memory: Memory, old: str, new: str) -> None:
    """Put `new` for `old` where it was heard, or moved somebody; nobody moves themself."""
    items: list[Proposal | Decision] = [*memory.proposals.values(), *memory.decisions.values()]
    for item in items:
        if any(voice.participant == old for voice in item.voices):
            newest = {
                new if voice.participant == old else voice.participant: voice.n
                for voice in item.voices
            }
            item.voices = [Voice(name, n) for name, n in newest.items()]
    for person in memory.participants.values():
        for on, position in person.positions.items():
            if position.moved_by == old:
                who, n = (new, position.moved_n) if person.name != new else ("", 0)
                person.positions[on] = replace(position, moved_by=who, moved_n=n)
            elif position.moved_by == person.name:
                person.positions[on] = replace(position, moved_by="", moved_n=0)
