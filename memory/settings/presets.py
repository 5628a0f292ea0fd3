"""The named starting points of a session: five memories, one fold.

A preset is a partial settings tree. What a session is opened with is the
preset with the opener's own settings laid over it, and that whole tree is
logged: a preset may change with a version, an open session never does.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Final

from parley.memory.errors import SettingsRefused
from parley.memory.settings.setting_trees import NEW_WISH, overlay_trees

DEFAULT: Final = "deliberation"

# What a session is opened with if nobody says otherwise. These are not defaults of the fold: a log
# that names nothing is folded by those, and must come to the same memory for good.
OPENING: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType({"summary": {"how": NEW_WISH}})

# What a session is opened with, beneath the opener's settings, if it brings a model to read it.
READ_BY_MODEL: Final[Mapping[str, Any]] = MappingProxyType({"extract": {"how": "model"}})

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType({
    # Proposals, decisions, positions and summaries; nobody keeps a notebook.
    "deliberation": {},
    # A group experiment: every event is told in every participant's notebook, statements
    # clipped and results whole; only a consensus and results are reflected on.
    "experiment": {
        "note": {"policy": "append", "style": "narrative"},
        "limits": {"statement": 300, "reasoning": 200, "result": 0},
        "routes": {"consensus": "reflect", "results": "reflect"},
    },
    # Every participant rewrites its own notebook after whatever concerns it: its own
    # statement, the end of a round or phase, a ballot, its results. Nothing is clipped for it.
    "autobiographer": {
        "note": {"policy": "rewrite"},
        "limits": {"statement": 0, "reasoning": 0, "result": 0},
        "routes": {
            "own": "reflect", "vote": "reflect", "consensus": "reflect", "results": "reflect",
            "phase": "reflect",
        },
    },
    # Questions and answers: exchanges, a running summary, cached tool results. What leaves
    # the window is told by the running summary; summaries of messages are for very long ones.
    "assistant": {
        "exchange": {"users": ["user"]},
        "summary": {"interval": 500},
    },
    # Long work towards goals: archived goals, insights; talk is summarised by its tokens as well.
    "analyst": {
        "summary": {"interval": 10, "words": 120},
        "limits": {"short_term": {"cap": 4000}},
    },
})  # fmt: skip


def opening_tree(tree: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a new session logs where `tree` was asked for."""
    return overlay_trees(dict(OPENING), dict(tree))


def load_preset(name: str) -> dict[str, Any]:
    """The settings tree of that preset, its name included. Raises `SettingsRefused`."""
    tree = PRESETS.get(name)
    if tree is None:
        near = get_close_matches(name, PRESETS, n=1)
        advice = f"the nearest is {near[0]!r}" if near else f"there are {', '.join(PRESETS)}"
        raise SettingsRefused("preset", f"no preset is called {name!r}; {advice}")
    return overlay_trees({"preset": name}, dict(tree))
