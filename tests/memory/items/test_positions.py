"""What a participant held before: a change of sides is one, a spell of doubt is none."""

from __future__ import annotations

from parley.bus.entries import Act, Message
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.item_state import Position
from parley.memory.state.memory import Memory
from parley.memory.statistics.statistics import count_memory
from tests.support.logs.logs import folded, talk

IDEA = ("ana", "I propose that we move the index to the second disk before Friday.")


def stances(*acts: Act) -> tuple[Memory, Position]:
    """Memory after bo took these stances on P1, one after the other, and the last of them."""
    messages = [Message(participant="bo", content=f"P1: {act}", act=act, re="P1") for act in acts]
    memory, _ = folded(talk(IDEA, *messages))
    return memory, memory.participants["bo"].positions["P1"]


def test_a_spell_of_doubt_is_no_flip() -> None:
    """Support, neutral, support again: nobody changed sides."""
    memory, position = stances("support", "abstain", "support")
    assert (position.stance, position.was) == ("support", None)
    assert count_memory(memory)["flips"] == 0


def test_doubt_remembers_what_it_followed() -> None:
    """Support, neutral, oppose: the change of sides is found over the doubt."""
    memory, position = stances("support", "abstain", "oppose")
    assert (position.stance, position.was) == ("oppose", "support")
    assert count_memory(memory)["flips"] == 1


def test_a_flip_stays_one_while_it_is_said_again() -> None:
    """Support, oppose, oppose: the position still tells what it was turned from."""
    memory, position = stances("support", "oppose", "oppose")
    assert (position.was, position.was_cite) != (None, None)
    assert dump(memory).count(b'"was":"support"') == 1
