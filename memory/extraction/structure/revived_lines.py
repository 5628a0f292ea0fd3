"""Talk without a place in the window, taken in once people voted right below it.

"The harbour on Mondays" has the wording of nothing that is put to people, until three
vote. What says it again then passes as well: its wording is no more that of a decision.
Long talk, the dearest to read, is not read before two vote.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from parley.memory.extraction.structure import window_messages
from parley.memory.extraction.structure.evidence import add_late_line, line_from_message
from parley.memory.extraction.structure.line_wording import READ
from parley.memory.extraction.structure.restatements import AGAIN, rate_text_likeness
from parley.memory.extraction.structure.scorecards import Scorecards, lexicon
from parley.memory.extraction.structure.vote_runs import add_line_between
from parley.memory.state.line_state import (
    REACH,
    Anchored,
    PassedLine,
    Structure,
    VoteRun,
    WindowLine,
)

_VOTES: Final = 3  # bare ones
_ON_WORDS: Final = 2  # where the wording, once read, passes the gate
_BELOW: Final = 2  # messages


def revive_voted_line(structure: Structure, cards: Scorecards) -> list[WindowLine]:
    """The line that the run of votes in hand brings in; none but once in a run."""
    run = structure.runs[-1]
    if run.first == run.last:
        run.aside = _right_above(structure, run)
    aside = run.aside
    if aside is None or run.last - aside.place > REACH:
        return []
    if run.bare < (_ON_WORDS if aside.unread else _VOTES):
        return []
    line = _read(aside, run, cards)
    if line is None:
        return []
    run.aside = None
    add_line_between(structure, line, run)
    add_late_line(structure, line, cards)
    if line.own < 0:
        structure.recalled = line.place
    return [line]


def is_revived_restatement(structure: Structure, place: int, text: str) -> bool:
    """True for what says again the line that was taken back in."""
    if place - structure.recalled > REACH:
        return False
    line = next((each for each in structure.lines if each.place == structure.recalled), None)
    return line is not None and rate_text_likeness(line.text, text[:READ]) >= AGAIN


def _right_above(structure: Structure, run: VoteRun) -> PassedLine | None:
    """The talk that was dropped last, where no line stands between it and `run`."""
    aside = structure.aside
    if aside is None or not aside.text or run.first - aside.place > _BELOW:
        return None
    return replace(aside)  # its own: after a load the two are two as well


def _read(aside: PassedLine, run: VoteRun, cards: Scorecards) -> WindowLine | None:
    """`aside` as a line of which only the votes below are known; None where it says too little."""
    wording = window_messages.read_wording(aside.text, ())
    own = cards.own(wording.cues)
    least = own if aside.unread and run.bare < _VOTES else 0
    aside.unread = False
    if (
        not window_messages.deserves_place(aside.text, wording, least)
        or lexicon().number("command") in wording.cues
    ):
        return None
    line = line_from_message(window_messages.revive_message(aside, wording, own, cards))
    line.anchored = [Anchored(run=run.first, rank=0, gap=run.first - aside.place)]
    return line
