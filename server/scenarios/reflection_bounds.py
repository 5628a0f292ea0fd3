"""The most reflections on notebooks that a play can come to. Pure.

Whoever keeps a notebook reflects once for each occasion that its routes make one: of each
turn the message and the vote that it brings, what is said first, and the results at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parley.listeners.effects.reflection import CHARS_PER_TOKEN, MOST_TOKENS, ROOM
from parley.memory.settings.session_settings import Settings
from parley.memory.settings.setting_defaults import AgentNote, Policy
from parley.server.scenarios.call_bounds import Call

ASKED: Final = 500  # tokens of the question itself
LINE: Final = 80  # tokens of what is told of an event besides its words
_EVENTS: Final = 3  # of a turn: its message, a vote called, how it ended

Calls = list[tuple[Call, int]]


def reflections(speakers: Sequence[str], opener: str, settings: Settings, turns: int) -> Calls:
    """Their calls, and how many of each; none where no notebook is kept.

    `opener` says what is said first, "" where nothing is, and has a notebook as others do.
    An answer that is too long is asked for again, `note.retries` answers in all.
    """
    names = filter(None, dict.fromkeys((*speakers, opener)))
    keepers = [name for name in names if _policy(name, settings) != "off"]
    messages = turns + bool(opener)
    calls: Calls = []
    for name in keepers:
        calls += _calls(name, settings, turns, _occasions(name, settings, turns, messages))
    alone = [name for name in keepers if _alone(name, settings, turns)]
    own = [_calls(name, settings, turns, messages) for name in alone]
    return calls + max(own, key=_tokens, default=[])  # nobody knows whose turns: the dearest's


def _calls(name: str, settings: Settings, turns: int, times: int) -> Calls:
    """The calls of so many reflections of `name`."""
    if not times:
        return []
    out = min(MOST_TOKENS, max(64, _limit(name, settings) // CHARS_PER_TOKEN))
    happened = min(ROOM, (turns + 1) * (settings.speak.out + _EVENTS * LINE))
    first, again = Call("small", ASKED + out + happened, out), Call("small", ASKED + out, out)
    return [(first, times), (again, times * (settings.note.retries - 1))]


def _occasions(name: str, settings: Settings, turns: int, messages: int) -> int:
    """How often something calls on `name` as on everybody else."""
    routes, rewrites = settings.routes, _policy(name, settings) == "rewrite"
    votes = routes.consensus == "reflect" or (rewrites and routes.vote == "reflect")
    heard = rewrites and routes.statement == "reflect"
    results = routes.results == "reflect"
    return turns * votes + messages * heard + results


def _alone(name: str, settings: Settings, turns: int) -> bool:
    """Whether a turn of its own may call on `name` alone: by its route, or by what has grown."""
    routes, rewrites = settings.routes, _policy(name, settings) == "rewrite"
    if rewrites and routes.statement == "reflect":
        return False  # it is called by every turn as it is
    if rewrites and "reflect" in (routes.own, routes.reasoning):
        return True
    clipped, share = settings.limits.statement, settings.limits.note
    warned = min(share.warn, share.cap) * _limit(name, settings) // share.cap
    return not clipped or turns * _EVENTS * (clipped + LINE) > warned


def _policy(name: str, settings: Settings) -> Policy:
    return settings.note.agents.get(name, AgentNote()).policy or settings.note.policy


def _limit(name: str, settings: Settings) -> int:
    return settings.note.agents.get(name, AgentNote()).limit or settings.limits.note.cap


def _tokens(calls: Calls) -> int:
    return sum(call.tokens * times for call, times in calls)
