"""Models' shorter forms of what memory holds clipped: owed, landed, let go."""

from __future__ import annotations

from bus.entries import TextCondensed
from memory.items import Condense
from memory.moment import Moment
from memory.state import Memory
from memory.stores import Cached, Episode


def land(moment: Moment, entry: TextCondensed) -> None:
    """Let a shorter form stand while memory holds what it is of."""


def owed(memory: Memory) -> list[Condense]:
    """The clipped texts that a model could put better, where the session wants a model's."""
    return []


def answer_text(memory: Memory, episode: Episode) -> str:
    return episode.talk.answer if episode.talk else ""


def result_text(memory: Memory, cached: Cached) -> str:
    return cached.value


def running_text(memory: Memory) -> str:
    return memory.exchanges.running


def episode_text(memory: Memory, episode: Episode) -> str:
    return ""
