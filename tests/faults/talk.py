"""What is said in the sessions of the fault kit: proposals, votes and decisions, by a seed."""

from __future__ import annotations

import random
from typing import Final

from parley.bus import Draft
from parley.bus.entries import Message

MESSAGES: Final = 120  # a session
SPEAKERS: Final = ("ana", "bo", "cy", "dee")
TALK: Final = (
    "I propose that we move the tide gauge to the new pier.",
    "+1",
    "The old pier floods twice a year.",
    "I oppose P1 because the cable does not reach.",
    "**Plan**\n\n1. Lay a cable.\n2. Move the gauge.\n3. Compare a month of readings.",
    "[DECISION] the gauge stays until spring",
    "I support P1.",
)


def talk_of(seed: int, session: int, count: int = MESSAGES) -> list[Draft]:
    """Messages that propose, vote and decide."""
    chance = random.Random(f"talk {seed} {session}")
    return [
        Draft(
            f"m{k}",
            Message(
                participant=chance.choice(SPEAKERS),
                content=f"{chance.choice(TALK)} ({session}.{k})",
            ),
        )
        for k in range(count)
    ]
