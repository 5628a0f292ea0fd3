"""Arguments that each tool of the door for agents takes, for tests over all of them."""

from __future__ import annotations

from typing import Any, Final

SESSION: Final = "harbour"

ARGUMENTS: Final[dict[str, dict[str, Any]]] = {
    "list_sessions": {},
    "create_session": {"session": "pier", "title": "The pier", "goal": "A light"},
    "join_session": {"session": SESSION, "description": "an agent", "interests": ["light"]},
    "wait_for_messages": {"session": SESSION, "after": 0, "timeout": 0},
    "say": {"session": SESSION, "content": "Morning.", "topic": "talk", "to": ["bo"], "wait": 0},
    "propose": {"session": SESSION, "content": "Build a light.", "topic": "light"},
    "support": {"session": SESSION, "ref": "P1", "why": "It is dark."},
    "oppose": {"session": SESSION, "ref": "P1", "why": "It costs much."},
    "call_vote": {"session": SESSION, "question": "Build it?", "proposal": "P1"},
    "extend_vote": {"session": SESSION, "ref": "V1", "seconds": 60},
    "vote": {"session": SESSION, "ref": "V1", "choice": ["accept"], "why": "Yes."},
    "confirm_vote": {"session": SESSION, "ref": "V1"},
    "decide": {"session": SESSION, "content": "We build it.", "re": "P1"},
    "ratify": {"session": SESSION, "ref": "D1", "why": "So it is."},
    "bid_for_floor": {"session": SESSION, "urgency": 2, "intent": "answer", "novelty": "costs"},
    "pass_floor": {"session": SESSION, "ready": True},
    "read_memory": {"session": SESSION, "part": "all"},
    "read_brief": {"session": SESSION, "at": 1},
    "get_context": {"session": SESSION, "profile": "brief", "budget": 2000},
    "explain": {"session": SESSION, "ref": "P1"},
    "read_messages": {"session": SESSION, "first": 1, "last": 5},
    "leave_session": {"session": SESSION},
}
