"""Stretches of spoken talk where decisions are likely, though no one line says so.

Every line sounds more or less like those of stretches where decisions were made, hardly any
much so; over many lines it shows. The sum opens a stretch, helped by what the nearest lines
may decide themselves, and closes it where it has fallen well below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.moment import Moment
from memory.structure.speech_card import speech_card
from memory.structure.state import Spoken

STRETCH: Final = 26  # lines whose sound is added up
AHEAD: Final = 10  # of them after the line that the sum is told of
BESIDE: Final = 3  # lines on either side of it whose chances count as well
PULL: Final = 5  # hundredths of a logit for each per mille of their chances
HERE: Final = STRETCH - 1 - AHEAD
BEFORE: Final = 16  # lines, the newest the one to be judged, that speak for its deciding something


def hear(moment: Moment, n: int, chance: int, near: int) -> None:
    """Take in line `n`: per mille that it decides something, and how much it sounds near to that.

    Nothing is told before a whole stretch is known.
    """
    held = moment.memory.structure.spoken
    held.judged.append((n, chance, near))
    del held.judged[:-STRETCH]
    if len(held.judged) < STRETCH:
        return
    card = speech_card()
    inside = total(held.judged) >= (card.stays if held.region else card.opens)
    if inside and not held.region:
        held.region = held.judged[HERE][0]
        _tell(moment, held, None)
    elif held.region and not inside:
        _tell(moment, held, held.judged[HERE - 1][0])
        held.region = 0


def total(judged: Sequence[tuple[int, int, int]]) -> int:
    """What a whole stretch adds up to for its line at `HERE`: of each line n, chance, sound."""
    beside = judged[HERE - BESIDE : HERE + BESIDE + 1]
    return sum([near for _, _, near in judged]) + PULL * sum([one for _, one, _ in beside])


def leading(nears: Sequence[int]) -> int:
    """What the sound of at most `BEFORE` lines adds to the newest one's score as a decision.

    Twice their mean: with more, the lines found lay nearer to decisions and fewer decided.
    """
    return 2 * sum(nears) // BEFORE


def _tell(moment: Moment, held: Spoken, last: int | None) -> None:
    confidence = speech_card().inside
    moment.found("decision.region", None, first=held.region, last=last, confidence=confidence)
