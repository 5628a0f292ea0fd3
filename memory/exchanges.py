"""Exchanges: a question, its answer, and what lies before as a running summary."""

from __future__ import annotations

from bus.entries import Message
from memory.items import Fact
from memory.moment import Moment
from memory.state import Memory
from memory.stores import Episode


def hear(memory: Memory, n: int, name: str, entry: Message) -> list[Fact]:
    """Take a message in: it asks, answers, or (of `exchange.users`) begins the next exchange."""
    return []


def close(moment: Moment, closing: Episode) -> None:
    """Count a turn, keep the exchange in the window, fold what leaves it into the summary."""


def window(memory: Memory) -> list[Episode]:
    return [memory.episodes.held[ref] for ref in memory.exchanges.window]
