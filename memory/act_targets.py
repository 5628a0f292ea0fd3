"""Whether the act of a message says which item it is on, as far as the message alone shows it."""

from __future__ import annotations

import re
from typing import Final

from parley.bus.entries import ACTS_ON_ITEMS, Message
from parley.memory.errors import TargetNeeded

_HANDLE: Final = re.compile(r"(?<!\w)[PD][1-9][0-9]{0,8}(?!\w)")
_ON_TOPICS: Final = frozenset({"support", "oppose", "abstain", "dispute"})


def find_handles(content: str) -> list[str]:
    """The handles of proposals and decisions in what was said."""
    return _HANDLE.findall(content)


def needed_target(message: Message) -> TargetNeeded | None:
    """Why the act of `message` is on nothing; None where it names an item, or needs none.

    It names one by `re`, or by a handle in its words; a stance may be on a topic instead.
    """
    act = message.act
    if act not in ACTS_ON_ITEMS or message.re is not None:
        return None
    if (message.topic and act in _ON_TOPICS) or _HANDLE.search(message.content):
        return None
    return TargetNeeded(act)
