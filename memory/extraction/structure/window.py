"""The messages of the fold as they come into the window: votes, lines, and talk aside.

Long talk is seldom what somebody votes on, and the dearest to read. So it waits
(`revived_lines`), but for what comes right after votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.structure import revived_lines, window_messages
from parley.memory.extraction.structure.evidence import (
    drop_out_of_reach,
    note_aside,
    observe_message,
    sort_lines,
)
from parley.memory.extraction.structure.scorecards import current_scorecards
from parley.memory.extraction.structure.vote_runs import has_fresh_votes
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.line_state import PassedLine, WindowLine

_LONG: Final = 400  # characters


def skip_long_message(moment: FoldStep) -> bool:
    """Pass over the message of `moment`, which has no acts, where it is long; True if it is."""
    structure, place = moment.memory.structure, moment.memory.messages
    if len(moment.content) <= _LONG or has_fresh_votes(structure, place):
        return False
    drop_out_of_reach(structure, place, window_messages.names_speaker(moment.content))
    structure.aside = _aside(moment, unread=True)
    return True


def take_message(
    moment: FoldStep, detections: Sequence[Detection], bare: Detection | None, re: int
) -> list[WindowLine]:
    """Take the message of `moment` in; the lines, oldest first, of which it says something.

    `detections` are its acts; `bare` is the vote that it is, in reply to entry `re`,
    where it is one.
    """
    structure, place, content = moment.memory.structure, moment.memory.messages, moment.content
    cards = current_scorecards()
    if bare is not None:
        vote = window_messages.vote_message(moment.n, place, moment.participant, content, bare, re)
        window_lines = observe_message(structure, vote, cards)
        return (
            window_lines
            if re
            else sort_lines([*revived_lines.revive_voted_line(structure, cards), *window_lines])
        )
    wording = window_messages.read_wording(content, detections)
    own = cards.own(wording.cues)
    again = structure.recalled > 0 and revived_lines.is_revived_restatement(
        structure, place, content
    )
    if window_messages.deserves_place(content, wording, 0 if again else own):
        return observe_message(
            structure, window_messages.revive_message(_aside(moment), wording, own, cards), cards
        )
    structure.aside = None if detections else _aside(moment)
    return note_aside(structure, place, wording.cues, wording.scribed, cards)


def _aside(moment: FoldStep, *, unread: bool = False) -> PassedLine:
    who = moment.participant
    return PassedLine(
        moment.n, moment.memory.messages, who, moment.typist or who,
        moment.content[: window_messages.READ_FROM], moment.at, moment.topic, unread,
    )  # fmt: skip
