"""Which stretches of the talk a model is owed to read (`extract.how: model`).

One closes with every `extract.interval` messages, before the message that would not fit
into a question of `extract.tokens` with it, when the talk pauses (`talk.paused`), with the
session, and when reading is switched off. The model is shown `extract.overlap` messages before
it, and the whole open ledger. It may claim only of the stretch's own messages, so each message
is claimed of once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from msgspec import Struct

from parley.bus.entries import Message, TalkPaused
from parley.memory.extraction.model_claims.reading_sizes import message_tokens, talk_tokens
from parley.memory.state.claim_state import ReadingRange, UnreadMessage
from parley.memory.state.effects import ReadingEffect
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.memory import Memory

_WAITING = 200  # stretches that wait for a model at once; older ones are not read any more


class QuietLook(Struct, frozen=True, gc=False):
    """The open stretch since message `begun` ends once `seconds` passed since message `last`.

    Memory has no clock: a worker looks. `id` is `pause:<begun>:<seconds>`.
    """

    begun: int
    last: int
    seconds: int

    @property
    def id(self) -> str:
        return f"pause:{self.begun}:{self.seconds}"


def find_quiet_look(memory: Memory) -> QuietLook | None:
    """What the open stretch is owed, so that the end of a talk is read; None if there is none."""
    store, seconds = memory.claims, memory.settings.extract.quiet
    if not store.begun or not seconds:
        return None
    return QuietLook(store.begun, max(store.heard), seconds)


def begin_reading(memory: Memory) -> None:
    """Where nobody is to read the talk any more, close what was said until now."""
    if not memory.is_read:
        close_range(memory, memory.n)
        memory.claims.recent.clear()
        memory.claims.since = 0


def pause_reading(moment: FoldStep, entry: TalkPaused) -> None:
    """Close the open stretch at the entry where the talk paused; ignored unless it is in it."""
    memory = moment.memory
    store = memory.claims
    last = max((n for n in store.heard if store.begun <= n <= entry.paused), default=0)
    if store.begun and last == max(store.heard):
        close_range(memory, last)
        moment.record_fact("talk.paused", None, paused=last)


def count_message(memory: Memory, n: int, name: str, entry: Message) -> None:
    """Count a message; the one that fills the stretch closes it, or the one that finds no room.

    A message that is too long for any question is a stretch of its own.
    """
    if name in memory.bots:
        return
    store, settings = memory.claims, memory.settings.extract
    size, room = message_tokens(entry.content), talk_tokens(settings.tokens)
    if store.tokens + size > room:
        close_range(memory, n - 1)
    store.since = store.since or n
    if not store.begun:
        before = store.recent[-settings.overlap :] if settings.overlap else []
        store.begun, store.lead = n, min([n, *before])
    store.heard[n] = UnreadMessage(entry.participant, len(entry.content))
    store.count += 1
    store.tokens += size
    store.recent.append(n)
    del store.recent[: -settings.overlap or len(store.recent)]
    if store.count >= settings.interval or store.tokens >= room:
        close_range(memory, n)


def close_range(memory: Memory, last: int) -> None:
    """Close the open stretch at `last`, where anything was said in it."""
    store = memory.claims
    if not store.begun:
        return
    store.owed[store.begun] = ReadingRange(store.lead, store.begun, last)
    store.closed = last
    store.begun = store.lead = store.count = store.tokens = 0
    while len(store.owed) > _WAITING:
        release_range(memory, next(iter(store.owed)))


def release_range(memory: Memory, first: int) -> ReadingRange:
    """Take a stretch off what is owed, with what was noted of its messages."""
    store = memory.claims
    gone = store.owed.pop(first)
    for n in [n for n in store.heard if gone.first <= n <= gone.last]:
        del store.heard[n]
    return gone


def list_owed_readings(memory: Memory) -> list[ReadingEffect]:
    """The stretches that wait for a model, oldest first; a redaction makes it another effect."""
    return [
        ReadingEffect(
            stretch.first,
            stretch.last,
            stretch.lead,
            redactions_among(memory, stretch.lead, stretch.last),
        )
        for stretch in memory.claims.owed.values()
    ]


def redactions_among(memory: Memory, first: int, last: int) -> int:
    """How many of entries n `first`..`last` have lost their words."""
    return bisect_right(memory.redacted, last) - bisect_left(memory.redacted, first)
