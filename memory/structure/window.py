"""The messages of the fold as they come into the window: votes, lines, and long talk.

Long talk is seldom what somebody votes on, and the dearest to read. So it waits:
the one right above a vote is read then, as if it had been when it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.detection import Detection
from memory.moment import Moment
from memory.structure import hearing
from memory.structure.evidence import Heard, enter, in_order, observe, overhear
from memory.structure.hearing import Wording
from memory.structure.runs import fresh
from memory.structure.scorecard import Scorecards
from memory.structure.state import REACH, Line, Structure, Unread
from memory.structure.wording import READ

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
        return in_order([*told, *observe(held, vote, cards)])
    if len(content) > _LONG and not found and not fresh(held, place):
        held.unread = _unread(moment)
        return overhear(held, place, (), False, cards)
    said = hearing.wording(content, found)
    own = cards.own(said.cues)
    if hearing.passes(content, said, own):
        return observe(held, _line(_unread(moment), said, own, cards), cards)
    return overhear(held, place, said.cues, said.scribed, cards)


def _read_up(held: Structure, place: int, cards: Scorecards) -> list[Line]:
    """Read the long talk right above a vote; the lines of which it says something."""
    one, held.unread = held.unread, None
    if one is None or place - one.place > REACH:
        return []
    said = hearing.wording(one.text, ())
    own = cards.own(said.cues)
    if not hearing.passes(one.text, said, own):
        return []
    return enter(held, _line(one, said, own, cards), cards)


def _unread(moment: Moment) -> Unread:
    who = moment.participant
    return Unread(
        n=moment.n, place=moment.memory.messages, who=who, typist=moment.typist or who,
        text=moment.content[: hearing.READ_FROM], at=moment.at, topic=moment.topic,
    )  # fmt: skip


def _line(unread: Unread, said: Wording, own: int, cards: Scorecards) -> Heard:
    start = said.start
    return Heard(
        unread.n, unread.place, unread.who, unread.typist,
        unread.text[start : start + READ], start, unread.at, unread.topic,
        cues=tuple(said.cues), own=own, wording=cards.said(said.cues), passes=True,
        scribed=said.scribed,
    )  # fmt: skip
