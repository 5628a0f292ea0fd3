"""What a message does to exchanges: it asks, answers, or begins the next one."""

from __future__ import annotations

from parley.bus.entries import EpisodeOpened, Message
from parley.memory.exchanges import exchanges
from parley.memory.goals import episodes
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory


def take_exchange_message(memory: Memory, n: int, name: str, entry: Message) -> list[Fact]:
    """Take a message in. One of `exchange.users` ends the exchange before, if it was begun.

    Internal reasoning neither asks nor answers.
    """
    if entry.form == "reasoning":
        return []
    facts: list[Fact] = []
    if name in memory.users and not _waiting(memory):
        moment = FoldStep(memory, n, name, entry.content, entry.at)
        # not validated: the fold is total, whatever stands in the log
        opened = EpisodeOpened.model_construct(
            participant=name, episode="exchange", title=entry.content
        )
        episodes.open_episode(moment, opened)
        facts = moment.facts
    if memory.exchanges.open:
        exchanges.add_message(memory, n, name, entry.content)
    return facts


def _waiting(memory: Memory) -> bool:
    """True while an exchange is open that nobody has asked anything in."""
    current = exchanges.open_exchange(memory)
    return current is not None and current.talk is not None and not current.talk.question_n
