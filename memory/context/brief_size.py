"""How large a brief context may be beside the talk that it is about. Pure.

It is at most the talk and a frame; in a long session at most half of the full context of the
same budget. What is not at hand of the talk is not counted, so both hold for any session.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from parley.memory.context.item_lines import FRAME
from parley.memory.context.recent_talk import SHORT_CHARS, RecentTalk
from parley.memory.context.tail import MESSAGE_CHARS, RECENT

FRAME_CHARS: Final = 300  # of frame, headings and what marks mean, whatever the talk is
LONG: Final = 100  # messages, from which on a brief is at most half of the full context
_MARKER_CHARS: Final = 100  # the line that counts what was left out
_LEAST_SHOWN: Final = 400  # per mille of the budget that the messages of a full context have
_CHARS_PER_TOKEN: Final = 3  # of a text that is as large as its budget; English has more


class BriefSize(NamedTuple):
    """Characters that a brief context has before and behind its breakpoint, headings included."""

    before: int
    after: int


def limit_brief(talk: RecentTalk, budget: int, *, with_marker: bool = False) -> BriefSize | None:
    """The characters of a brief context: decisions have at most half of them.

    Those of the line that counts what was left out are set aside if it comes (`with_marker`).
    None without a message at hand: then only the budget limits it.
    """
    if not talk.records:
        return None
    if talk.memory.messages < LONG:
        limit = _count_talk(talk, budget) + FRAME_CHARS
    else:
        limit = (len(FRAME) + len(RECENT) + _count_shown(talk, budget)) // 2
    room = max(0, limit - len(FRAME) - (_MARKER_CHARS if with_marker else 0))
    before = _round_down(room // 2)
    return BriefSize(before, room - before)


def _round_down(chars: int) -> int:
    """`chars` to two binary digits: so the ledger stays the same while the talk grows."""
    low = max(0, chars.bit_length() - 2)
    return chars >> low << low


def _count_talk(talk: RecentTalk, budget: int) -> int:
    """Characters of the messages at hand, counted no further than a budget reaches."""
    chars = 0
    for index in range(len(talk.records) - 1, -1, -1):
        chars += len(talk.line(index).text) + 1
        if chars > budget * _CHARS_PER_TOKEN * 2:
            break
    return chars


def _count_shown(talk: RecentTalk, budget: int) -> int:
    """Characters of the messages that a full context shows at least."""
    room = budget * _LEAST_SHOWN // 1000
    chars = 0
    for index in range(len(talk.records) - 1, -1, -1):
        newest = index == len(talk.records) - 1
        line = talk.line(index, MESSAGE_CHARS if newest else SHORT_CHARS)
        room -= line.cost
        if room < 0:
            break
        chars += len(line.text) + 1
    return chars
