"""What a process works out once, worked out before somebody waits for it.

The description of the API is made for the first refusal that names a field, and patterns
are compiled by the first fold.
"""

from __future__ import annotations

from fastapi import FastAPI

from parley.bus.entries import Message, Record
from parley.memory.fold.apply import apply
from parley.memory.state.memory import Memory
from parley.server.http.problems.problem_responses import api_names
from parley.server.http.state.dependencies import Dependencies
from parley.server.records.session_opening import open_entry


def warm_up(app: FastAPI, deps: Dependencies) -> None:
    """Some tenths of a second; from a thread, nobody else waits for it."""
    api_names(app)
    memory = Memory(deps.backend.packs.known)
    message = Message(participant="ana", content="I propose a light at the pier.")
    apply(memory, Record(1, 0, "open", 0, open_entry(deps.settings, deps.backend.packs, None)))
    apply(memory, Record(2, 1, "first", 0, message))
