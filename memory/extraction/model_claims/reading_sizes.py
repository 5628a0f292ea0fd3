"""How large a stretch may be that a model reads, and how long its answer. Pure.

All in tokens as `count_tokens` estimates them. What remains of a question beside the
messages to read is for the rules, the items listed and the messages shown before.
"""

from __future__ import annotations

from typing import Final

from parley.memory.text.text_sizes import count_tokens

CANDIDATES: Final = 24  # items listed in a question, to be confirmed or taken back; the newest
FRAME: Final = 12  # of a message: its number, its author, a line feed or two
_SHARE: Final = (3, 5)  # of a question, for the messages to read
_ANSWER: Final = 300  # of any answer: its shape, and a claim or two of a short message
_PER_MESSAGE: Final = 60  # a stance without a statement
_PER_CANDIDATE: Final = 12  # a handle with a reason
_TALK_PER_ANSWER: Final = 3  # of long messages a third is quoted or stated again


def message_tokens(content: str) -> int:
    """What a message comes to in a question, where each of its lines is fenced."""
    return count_tokens(content) + content.count("\n") + FRAME


def talk_tokens(question: int) -> int:
    """What the messages to read may come to in a question of so many."""
    return question * _SHARE[0] // _SHARE[1]


def answer_tokens(most: int, messages: int, talk: int, candidates: int) -> int:
    """What an answer may come to about `messages` of `talk` tokens in all; never above `most`."""
    wanted = _ANSWER + _PER_MESSAGE * messages + talk // _TALK_PER_ANSWER
    return min(most, wanted + _PER_CANDIDATE * candidates)
