"""Messages as the window hears them: a vote, or a line with its wording read and weighed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.detection import Detection
from memory.structure.heard import Heard
from memory.structure.scorecard import Scorecards, lexicon
from memory.structure.state import REMARK
from memory.structure.wording import READ, lead
from memory.text import plain

_VALUES: Final = {"support": 1000, "oppose": -1000, "abstain": 0}
_PUT: Final = ("propose", "amend")
_LEAST: Final = 6  # characters: a shorter line puts nothing to anybody
_BLANK: Final = "[redacted "  # what stands there is no wording, and like every other blank
_NAME: Final = 80  # characters within which a blank begins, behind a name
_LEAD: Final = 40  # characters that a speaker's name takes at most
LOOKED_AT: Final = READ + _LEAD


def is_blank(content: str) -> bool:
    """True where the words are redacted, those of whom a scribe named included."""
    return content.find(_BLANK, 0, _NAME) >= 0


def vote(n: int, place: int, who: str, content: str, bare: Detection, re: int = 0) -> Heard:
    """The message `content` as the vote `bare` that it is, in reply to entry `re`."""
    value = _VALUES[bare.act]
    if bare.conditional:
        value //= 2
    return Heard(n, place, who, who, vote=value, remark=len(content) - bare.end > REMARK, re=re)


def overheard(content: str, cards: Scorecards) -> tuple[set[str], bool] | None:
    """The cues of a message without acts, and whether it is scribed; None where it passes."""
    shown = plain(content[:LOOKED_AT])
    start = lead(shown)
    cues = lexicon().cues(shown[start : start + READ])
    if start:
        cues.add("scribed")
    passes = cards.own(cues) >= 0 and len(shown) - start >= _LEAST
    if passes and not is_blank(content):
        return None
    return cues, start > 0


def line(n: int, place: int, who: str, content: str, found: Sequence[Detection]) -> Heard:
    """The message `content` as a line, not weighed yet; `found` are its acts.

    It passes where an act of it is marked. What its marks stand on is its text,
    else what follows the name of whom it reports.
    """
    shown = plain(content[:LOOKED_AT])
    start = lead(shown)
    put = next((each for each in found if each.how != "pattern" and each.act in _PUT), None)
    if put is not None and put.text_start < READ:
        start = put.text_start
    cues = lexicon().cues(shown[start : start + READ])
    scribed = start > 0 and put is None
    if scribed:
        cues.add("scribed")
    blank = is_blank(content)
    marked = not blank and any(each.how != "pattern" and not each.reacts for each in found)
    return Heard(
        n, place, who, who, content[start : start + READ], start,
        cues=frozenset(cues), passes=marked, scribed=scribed,
    )  # fmt: skip


def weighed(heard: Heard, cards: Scorecards) -> Heard:
    """`heard`, a line, with what its wording adds; without its text where it does not pass."""
    own = cards.own(heard.cues)
    if len(heard.text) < _LEAST or not (own >= 0 or heard.passes):
        return heard._replace(own=own, text="", passes=False)
    wording = (cards.proposal.said(heard.cues), cards.decision.said(heard.cues))
    return heard._replace(own=own, wording=wording, passes=True)
