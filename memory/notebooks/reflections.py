"""Who keeps a notebook, how large it may grow, and what calls for a rewrite of it.

What calls on everybody is one `Occasion`; a note adopts it when its owner next
acts. All of it follows from primary and control entries alone.
"""

from __future__ import annotations

from typing import Final

from parley.memory.settings.settings_schema import Policy
from parley.memory.state.effects import Reflect
from parley.memory.state.memory import Memory
from parley.memory.state.notebook_state import Note, Occasion

_ROOM: Final = 9  # tenths of the warning: a target is some way below it


def policy_of(memory: Memory, name: str) -> Policy:
    """The policy of the notebook of that canonical name; a bot keeps none."""
    if name in memory.bots:
        return "off"
    agent = memory.note_agents.get(name)
    own = None if agent is None else agent.policy
    return memory.settings.note.policy if own is None else own


def limit_of(memory: Memory, name: str) -> int:
    """Characters that the notebook of that canonical name may have."""
    agent = memory.note_agents.get(name)
    own = None if agent is None else agent.limit
    return memory.settings.limits.note.cap if own is None else own


def warn_of(memory: Memory, name: str) -> int:
    """Characters beyond which it is to be rewritten: the session's share of its own limit."""
    limit = memory.settings.limits.note
    return min(limit.warn, limit.cap) * limit_of(memory, name) // limit.cap


def target_of(memory: Memory, name: str) -> int:
    """Characters that such a rewrite aims at; some way below where it is called for."""
    limit = memory.settings.limits.note
    target = min(limit.target, limit.cap) * limit_of(memory, name) // limit.cap
    return max(1, min(target, warn_of(memory, name) * _ROOM // 10))


def note_of(memory: Memory, name: str, n: int) -> Note | None:
    """The note of that canonical name, begun now where there is none; None where it keeps none."""
    if policy_of(memory, name) == "off":
        return None
    notes = memory.notebooks.notes
    found = notes.get(name)
    if found is None:
        found = notes[name] = Note(joined=n)
    return found


def hold(memory: Memory) -> None:
    """Let every note adopt what calls on it, before other settings or names come into force."""
    for name, note in memory.notebooks.notes.items():
        call = _occasion(memory, name, note)
        if call is not None:
            _adopt(memory, name, note, call)


def begin(memory: Memory) -> None:
    """Give everyone who spoke, and keeps a notebook from now on, an empty one."""
    if not memory.keeps_notes:
        return
    for name, person in memory.participants.items():
        if person.messages and policy_of(memory, name) != "off":
            memory.notebooks.notes.setdefault(name, Note())


def _occasion(memory: Memory, name: str, note: Note) -> Occasion | None:
    """The newest occasion that calls on this note, where it is newer than what it owes."""
    store, policy = memory.notebooks, policy_of(memory, name)
    if policy == "off":
        return None
    newest = store.called
    if store.stirred.n > newest.n and policy == "rewrite":
        newest = store.stirred
    return newest if newest.n > note.owed and newest.n >= note.joined else None


def _since(note: Note, told: int) -> int:
    return max(0, told - note.mark) + note.apart


def _adopt(memory: Memory, name: str, note: Note, call: Occasion) -> None:
    note.size = min(note.size + _since(note, call.told), target_of(memory, name))
    note.owed, note.why, note.mark, note.apart = call.n, call.why, call.told, 0


def owe(memory: Memory, name: str, note: Note, n: int, why: str) -> None:
    """Call for the reflection of this participant alone."""
    _adopt(memory, name, note, Occasion(n=n, why=why, told=memory.notebooks.told))


def swollen(memory: Memory, n: int, name: str, note: Note) -> bool:
    """Call for a rewrite of what has grown beyond its warning, told from primary entries."""
    call = _occasion(memory, name, note)
    if call is not None:
        _adopt(memory, name, note, call)
    if note.size + _since(note, memory.notebooks.told) <= warn_of(memory, name):
        return False
    owe(memory, name, note, n, "compress")
    return True


def owed(memory: Memory) -> list[Reflect]:
    """The reflections that are wanted now: at most one a participant, oldest cause first.

    What was called for stays wanted where notebooks are switched off since: an
    answer that is under way must find the same memory as one that was sooner.
    """
    found = []
    for name, note in memory.notebooks.notes.items():
        call = _occasion(memory, name, note)
        cause, why = (note.owed, note.why) if call is None else (call.n, call.why)
        if cause > max(note.answered, note.cause):
            found.append(Reflect(name, cause, why))
    return sorted(found, key=lambda one: (one.cause, one.participant))
