"""Stretches of spoken talk where decisions are likely, though no one line says so.

A stretch opens where the chances of the lines around add up, and closes where they no
longer do.
"""

from __future__ import annotations

from typing import Final

from memory.moment import Moment
from memory.structure.speech_card import speech_card
from memory.structure.state import Spoken

STRETCH: Final = 21  # lines whose chances are added up
AHEAD: Final = 5  # of them after the line that the sum is told of


def hear(moment: Moment, n: int, chance: int) -> None:
    """Take in how likely line `n` is to decide something, per mille."""
    held = moment.memory.structure.spoken
    held.chances.append((n, chance))
    del held.chances[:-STRETCH]
    near = sum(one for _, one in held.chances) >= speech_card().region
    here = len(held.chances) - 1 - AHEAD
    if near and not held.region:
        held.region = held.chances[max(0, here)][0]
        _tell(moment, held, None)
    elif held.region and not near:
        _tell(moment, held, held.chances[max(0, here - 1)][0])
        held.region = 0


def _tell(moment: Moment, held: Spoken, last: int | None) -> None:
    confidence = speech_card().inside
    moment.found("decision.region", None, first=held.region, last=last, confidence=confidence)
