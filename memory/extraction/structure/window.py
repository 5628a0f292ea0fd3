"""The messages of the fold as they come into the window: votes, lines, and talk aside.

Long talk is seldom what somebody votes on, and the dearest to read. So it waits
(`revived_lines`), but for what comes right after votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.structure import revived_lines, window_messages
from parley.memory.extraction.structure.evidence import in_order, observe, overhear, pass_over
from parley.memory.extraction.structure.scorecards import scorecards
from parley.memory.extraction.structure.vote_runs import fresh
from parley.memory.state.fold_step import Moment
from parley.memory.state.line_state import Aside, Line

_LONG: Final = 400  # characters


def put_off(moment: Moment) -> bool:
    """Pass over the message of `moment`, which has no acts, where it is long; True if it is."""
    held, place = moment.memory.structure, moment.memory.messages
    if len(moment.content) <= _LONG or fresh(held, place):
        return False
    pass_over(held, place, window_messages.is_led(moment.content))
    held.aside = _aside(moment, unread=True)
    return True


def take_in(
    moment: Moment, found: Sequence[Detection], bare: Detection | None, re: int
) -> list[Line]:
    """Take the message of `moment` in; the lines, oldest first, of which it says something.

    `found` are its acts; `bare` is the vote that it is, in reply to entry `re`, where it is one.
    """
    held, place, content = moment.memory.structure, moment.memory.messages, moment.content
    cards = scorecards()
    if bare is not None:
        vote = window_messages.vote(moment.n, place, moment.participant, content, bare, re)
        told = observe(held, vote, cards)
        return told if re else in_order([*revived_lines.voted(held, cards), *told])
    said = window_messages.wording(content, found)
    own = cards.own(said.cues)
    again = held.recalled > 0 and revived_lines.said_again(held, place, content)
    if window_messages.passes(content, said, 0 if again else own):
        return observe(held, window_messages.heard(_aside(moment), said, own, cards), cards)
    held.aside = None if found else _aside(moment)
    return overhear(held, place, said.cues, said.scribed, cards)


def _aside(moment: Moment, *, unread: bool = False) -> Aside:
    who = moment.participant
    return Aside(
        moment.n, moment.memory.messages, who, moment.typist or who,
        moment.content[: window_messages.READ_FROM], moment.at, moment.topic, unread,
    )  # fmt: skip
