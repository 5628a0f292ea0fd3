"""Messages as the window hears them: a vote, or a line with its wording read and weighed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.structure.line_wording import READ, speaker_prefix_length
from parley.memory.extraction.structure.scorecards import Scorecards, lexicon
from parley.memory.state.line_state import REMARK, PassedLine
from parley.memory.text.plain_text import to_plain

_VALUES: Final = {"support": 1000, "oppose": -1000, "abstain": 0}
_PUT: Final = ("propose", "amend")
LEAST: Final = 6  # characters: a shorter line puts nothing to anybody
_BLANK: Final = "[redacted "  # what stands there is no wording, and like every other blank
_NAME: Final = 80  # characters within which a blank begins, behind a name
_LEAD: Final = 40  # characters that a speaker's name takes at most
READ_FROM: Final = READ + _LEAD  # characters in which what is read stands


class WindowMessage(NamedTuple):
    """A message as the window hears it; a vote, or a line with its wording's cues."""

    n: int
    place: int
    who: str
    typist: str
    text: str = ""
    start: int = 0
    at: str | None = None
    topic: str | None = None
    vote: int | None = None  # per mille
    remark: bool = False
    re: int = 0  # n of the message that a vote replies to; 0: it names nothing
    cues: tuple[int, ...] = ()  # numbers of `Lexicon.names`
    own: int = 0
    wording: tuple[int, int] = (0, 0)
    passes: bool = False  # worth a place in the window
    scribed: bool = False


class Wording(NamedTuple):
    """Where the words of a line begin, and what they are like."""

    start: int
    cues: list[int]
    scribed: bool
    marked: bool  # an act of it has a mark of its own: it has a place in the window


def _is_blank(content: str) -> bool:
    """True where the words are redacted, those of whom a scribe named included."""
    return content.find(_BLANK, 0, _NAME) >= 0


def names_speaker(content: str) -> bool:
    """True where a name leads `content`, whose words follow."""
    return ":" in content[:_LEAD] and speaker_prefix_length(to_plain(content[:_LEAD])) > 0


def vote_message(
    n: int, place: int, who: str, content: str, bare: Detection, re: int = 0
) -> WindowMessage:
    """The message `content` as the vote `bare` that it is, in reply to entry `re`."""
    value = _VALUES[bare.act]
    if bare.conditional:
        value //= 2
    return WindowMessage(
        n, place, who, who, vote=value, remark=len(content) - bare.end > REMARK, re=re
    )


def read_wording(content: str, detections: Sequence[Detection]) -> Wording:
    """What the words of `content` are like; `detections` are its acts.

    What its marks stand on is its text, else what follows the name of whom it reports.
    """
    shown = to_plain(content[:READ_FROM])
    start = speaker_prefix_length(shown)
    scribed = start > 0
    marked = False
    if detections:
        put = next(
            (each for each in detections if each.how != "pattern" and each.act in _PUT), None
        )
        if put is not None and put.text_start < READ:
            start = put.text_start
        scribed = scribed and put is None
        marked = any(each.how != "pattern" and not each.reacts for each in detections)
    return Wording(start, lexicon().hits(shown[start : start + READ], scribed), scribed, marked)


def deserves_place(content: str, wording: Wording, own: int) -> bool:
    """True for what gets a place in the window: marked, or worded like what is put to others."""
    if own < 0 and not wording.marked:
        return False
    return len(content) - wording.start >= LEAST and not _is_blank(content)


def revive_message(
    aside: PassedLine, wording: Wording, own: int, cards: Scorecards
) -> WindowMessage:
    """`aside` as a line that has a place in the window."""
    start = wording.start
    return WindowMessage(
        aside.n, aside.place, aside.who, aside.typist,
        aside.text[start : start + READ], start, aside.at, aside.topic,
        cues=tuple(wording.cues), own=own, wording=cards.weigh_wording(wording.cues), passes=True,
        scribed=wording.scribed,
    )  # fmt: skip
