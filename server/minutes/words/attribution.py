"""Who says each message of the minutes: a scribe's "ann: let us close it" is Ann's. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any, NamedTuple

from parley.bus.entries import Record
from parley.memory.extraction.structure import scribes
from parley.memory.state.memory import Memory


class Voice(NamedTuple):
    """Whose words a message is, and where they begin in it: behind a name that a scribe wrote."""

    name: str
    start: int = 0


def voices(memory: Memory, messages: Iterable[Record]) -> dict[int, Voice]:
    """The voice of every message, by its `n`.

    Told as the fold tells it, message by message, on scratch paper: `memory` stays as it is.
    """
    scratch = copy(memory)
    scratch.structure = copy(memory.structure)
    scratch.structure.scribing = type(memory.structure.scribing)()
    return {record.n: _voice(scratch, record.entry) for record in messages}


def _voice(scratch: Memory, entry: Any) -> Voice:
    typist = scratch.named(entry.participant)
    who = scribes.resolve_speaker(scratch, typist, entry.content)
    if who == typist or entry.act is not None:  # an act in the envelope is its sender's own
        return Voice(typist)
    lead, colon, _ = entry.content.partition(":")
    led = colon and scribes.find_participant(scratch, lead.strip()) == who
    return Voice(who, len(lead) + 1 if led else 0)
