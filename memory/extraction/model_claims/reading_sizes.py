"""How large a stretch may be that a model reads, and how long its answer. Pure.

All in tokens as `count_tokens` estimates them. What remains of a question beside the
messages to read is for the rules, the ledger and the messages shown before.
"""

from __future__ import annotations

from typing import Final

from parley.memory.text.text_sizes import count_tokens

FRAME: Final = 12  # of a message: its number, its author, a line feed or two
CALLS: Final = 4  # of one reading at most: the first, two that continue it, one that mends it
AGAIN: Final = 5_000  # of what a further question says about earlier answers, at most
_SHARE: Final = (3, 5)  # of a question, for the messages to read
_ANSWER: Final = 500  # of any answer: its shape, and several rows about a short message
_PER_MESSAGE: Final = 150  # a proposal, a side and a task
_PER_CHECK: Final = 25
_TALK_PER_ANSWER: Final = 2  # of long messages half is quoted or stated again


def message_tokens(content: str) -> int:
    """The tokens of a message in a question, where each of its lines is fenced."""
    return count_tokens(content) + content.count("\n") + FRAME


def talk_tokens(question: int) -> int:
    """The most tokens of messages to read in a question of `question` tokens."""
    return question * _SHARE[0] // _SHARE[1]


def answer_tokens(most: int, messages: int, talk: int, checks: int) -> int:
    """The most tokens of an answer about `messages` of `talk` tokens, with `checks` to make.

    Never above `most`.
    """
    wanted = _ANSWER + _PER_MESSAGE * messages + talk // _TALK_PER_ANSWER
    return min(most, wanted + _PER_CHECK * checks)
