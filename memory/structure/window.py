"""The messages of the fold as they come into the window: votes, lines, and talk aside.

Long talk is seldom what somebody votes on, and the dearest to read. So it waits:
what is right above a vote is read then, as if it had been when it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.detection import Detection
from memory.moment import Moment
from memory.structure import hearing, overlooked
from memory.structure.evidence import enter, in_order, observe, overhear
from memory.structure.runs import fresh
from memory.structure.scorecard import Scorecards
from memory.structure.state import REACH, Aside, Line, Structure

_LONG: Final = 400  # characters


def take_in(
    moment: Moment, cards: Scorecards, found: Sequence[Detection], bare: Detection | None, re: int
) -> list[Line]:
    """Take the message of `moment` in; the lines, oldest first, of which it says something.

    `found` are its acts; `bare` is the vote that it is, in reply to entry `re`, where it is one.
    """
    held, place, content = moment.memory.structure, moment.memory.messages, moment.content
    if bare is not None:
        told = _read_up(held, place, cards)
        vote = hearing.vote(moment.n, place, moment.participant, content, bare, re)
        told += observe(held, vote, cards)
        return in_order(told if re else [*overlooked.voted(held, cards), *told])
    aside = _aside(moment)
    if len(content) > _LONG and not found and not fresh(held, place):
        aside.unread = True
        held.aside = aside
        return overhear(held, place, (), False, cards)
    said = hearing.wording(content, found)
    own = cards.own(said.cues)
    again = held.recalled > 0 and overlooked.said_again(held, place, content)
    if hearing.passes(content, said, 0 if again else own):
        return observe(held, hearing.heard(aside, said, own, cards), cards)
    held.aside = aside
    return overhear(held, place, said.cues, said.scribed, cards)


def _read_up(held: Structure, place: int, cards: Scorecards) -> list[Line]:
    """Read the long talk right above a vote; the lines of which it says something."""
    aside = held.aside
    if aside is None or not aside.unread or place - aside.place > REACH:
        return []
    aside.unread = False
    said = hearing.wording(aside.text, ())
    own = cards.own(said.cues)
    if not hearing.passes(aside.text, said, own):
        return []
    return enter(held, hearing.heard(aside, said, own, cards), cards)


def _aside(moment: Moment) -> Aside:
    who = moment.participant
    return Aside(
        n=moment.n, place=moment.memory.messages, who=who, typist=moment.typist or who,
        text=moment.content[: hearing.READ_FROM], at=moment.at, topic=moment.topic,
    )  # fmt: skip
