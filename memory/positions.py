"""Where each participant stands, one position per proposal or topic, flips kept."""

from __future__ import annotations

from memory.items import VOICE, Cite, Participant, Position, Stance
from memory.moment import Moment
from memory.settings import CapSettings
from memory.state import Memory
from memory.text import sentence

_TEXT_CHARS = 120  # enough for one sentence; the log has the rest


def take(moment: Moment, on: str, stance: Stance, start: int, end: int) -> None:
    """Put `moment`'s participant at `stance` on `on`; the opposite before makes it a flip."""
    memory = moment.memory
    person = memory.participant(moment.participant)
    before = person.positions.pop(on, None)
    was, was_cite, flipped = _turned(before, stance)
    text = sentence(moment.content, start, end, _TEXT_CHARS)
    cite = Cite(moment.n, start, end)
    person.positions[on] = Position(on, stance, cite, text, was, was_cite)
    person.last = on
    keep_newest(person, memory.settings.caps)
    if flipped and was_cite is not None:
        moment.found(
            "position.flipped",
            on,
            participant=moment.participant,
            stance=stance,
            was=was,
            was_n=was_cite.n,
            start=start,
            end=end,
        )


def _turned(before: Position | None, stance: Stance) -> tuple[Stance | None, Cite | None, bool]:
    """What was held before `stance`, and whether `stance` is its opposite.

    A neutral spell in between hides nothing: it remembers what it followed.
    """
    if before is None:
        return None, None, False
    if before.stance == stance:
        return before.was, before.was_cite, False
    if before.stance == "neutral":
        held, held_cite = before.was, before.was_cite
    else:
        held, held_cite = before.stance, before.cite
    if held == stance:
        return None, None, False  # back to what was held before the doubt
    return held, held_cite, stance != "neutral" and held is not None


def contribute(moment: Moment, start: int, end: int) -> None:
    """Count a span of the entry in hand among its speaker's key contributions."""
    if moment.participant == VOICE:
        return
    memory = moment.memory
    person = memory.participant(moment.participant)
    cite = Cite(moment.n, start, end)
    if cite not in person.contributions[-1:]:
        person.contributions.append(cite)
    keep_newest(person, memory.settings.caps)


def keep_newest(person: Participant, caps: CapSettings) -> None:
    """Hold `person` to the caps: the newest positions and key contributions stay."""
    while len(person.positions) > caps.positions:
        oldest = min(person.positions.values(), key=lambda held: (held.cite.n, held.on))
        del person.positions[oldest.on]
    del person.contributions[: max(0, len(person.contributions) - caps.key_points)]


def trim(memory: Memory) -> None:
    """Hold every participant to the caps, after these changed."""
    for person in memory.participants.values():
        keep_newest(person, memory.settings.caps)
