"""Who keeps a notebook, how large it may grow, and what calls for a rewrite of it.

What calls on everybody is one `ReflectionOccasion`; a note adopts it when its owner next
acts. All of it follows from primary and control entries alone.
"""

from __future__ import annotations

from typing import Final

from parley.memory.settings.setting_defaults import Policy
from parley.memory.state.effects import ReflectionEffect
from parley.memory.state.memory import Memory
from parley.memory.state.notebook_state import Note, ReflectionOccasion

_ROOM: Final = 9  # tenths of the warning: a target is some way below it


def note_policy(memory: Memory, name: str) -> Policy:
    """The policy of the notebook of that canonical name; a bot keeps none."""
    if name in memory.bots:
        return "off"
    agent = memory.note_agents.get(name)
    own = None if agent is None else agent.policy
    return memory.settings.note.policy if own is None else own


def note_limit(memory: Memory, name: str) -> int:
    """Characters that the notebook of that canonical name may have."""
    agent = memory.note_agents.get(name)
    own = None if agent is None else agent.limit
    return memory.settings.limits.note.cap if own is None else own


def note_warning(memory: Memory, name: str) -> int:
    """Characters beyond which it is to be rewritten: the session's share of its own limit."""
    limit = memory.settings.limits.note
    return min(limit.warn, limit.cap) * note_limit(memory, name) // limit.cap


def note_target(memory: Memory, name: str) -> int:
    """Characters that such a rewrite aims at; some way below where it is called for."""
    limit = memory.settings.limits.note
    target = min(limit.target, limit.cap) * note_limit(memory, name) // limit.cap
    return max(1, min(target, note_warning(memory, name) * _ROOM // 10))


def find_or_begin_note(memory: Memory, name: str, n: int) -> Note | None:
    """The note of that canonical name, begun now where there is none; None where it keeps none."""
    if note_policy(memory, name) == "off":
        return None
    notes = memory.notebooks.notes
    note = notes.get(name)
    if note is None:
        note = notes[name] = Note(joined=n)
    return note


def adopt_occasions(memory: Memory) -> None:
    """Let every note adopt what calls on it, before other settings or names come into force."""
    for name, note in memory.notebooks.notes.items():
        call = _occasion(memory, name, note)
        if call is not None:
            _adopt(memory, name, note, call)


def begin_notes(memory: Memory) -> None:
    """Give everyone who spoke, and keeps a notebook from now on, an empty one."""
    if not memory.keeps_notes:
        return
    for name, person in memory.participants.items():
        if person.messages and note_policy(memory, name) != "off":
            memory.notebooks.notes.setdefault(name, Note())


def _occasion(memory: Memory, name: str, note: Note) -> ReflectionOccasion | None:
    """The newest occasion that calls on this note, where it is newer than what it owes."""
    store, policy = memory.notebooks, note_policy(memory, name)
    if policy == "off":
        return None
    newest = store.called
    if store.stirred.n > newest.n and policy == "rewrite":
        newest = store.stirred
    return newest if newest.n > note.owed and newest.n >= note.joined else None


def _since(note: Note, characters: int) -> int:
    return max(0, characters - note.mark) + note.apart


def _adopt(memory: Memory, name: str, note: Note, call: ReflectionOccasion) -> None:
    note.size = min(note.size + _since(note, call.public_size), note_target(memory, name))
    note.owed, note.why, note.mark, note.apart = call.n, call.why, call.public_size, 0


def call_for_reflection(memory: Memory, name: str, note: Note, n: int, why: str) -> None:
    """Call for the reflection of this participant alone."""
    _adopt(
        memory,
        name,
        note,
        ReflectionOccasion(n=n, why=why, public_size=memory.notebooks.public_size),
    )


def call_for_overgrown_notes(memory: Memory, n: int, name: str, note: Note) -> bool:
    """Call for a rewrite of what has grown beyond its warning, told from primary entries."""
    call = _occasion(memory, name, note)
    if call is not None:
        _adopt(memory, name, note, call)
    if note.size + _since(note, memory.notebooks.public_size) <= note_warning(memory, name):
        return False
    call_for_reflection(memory, name, note, n, "compress")
    return True


def list_owed_reflections(memory: Memory) -> list[ReflectionEffect]:
    """The reflections that are wanted now: at most one a participant, oldest cause first.

    What was called for stays wanted where notebooks are switched off since: an
    answer that is under way must find the same memory as one that was sooner.
    """
    reflection_effects = []
    for name, note in memory.notebooks.notes.items():
        call = _occasion(memory, name, note)
        cause, why = (note.owed, note.why) if call is None else (call.n, call.why)
        if cause > max(note.answered, note.cause):
            reflection_effects.append(ReflectionEffect(name, cause, why))
    return sorted(
        reflection_effects,
        key=lambda effect: (effect.cause, effect.participant),
    )
