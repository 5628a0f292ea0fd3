"""Which units of a written message propose, by what each weighs.

What puts nothing forward does not count, however much it weighs. That is costly to tell, so it is
asked of the likeliest first, and of no more units than decide the matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from parley.memory.extraction.writing.units import Unit

MOST: Final = 4  # proposals of one message
WIDEST: Final = 1200  # hundredths of a logit: beyond is as good as certain
_ENOUGH: Final = -40  # hundredths of a logit: what the likeliest units of a message weigh together
_ENOUGH_LEFT: Final = -60  # without those that put nothing forward
_TOP: Final = 8  # units that count toward it
_FAINT: Final = -450  # hundredths of a logit: what a unit weighs that counts for nothing
_SECOND: Final = -200  # of the likeliest but one: who proposes seldom puts forward one course
_LEAST: Final = -110  # of any further unit
_BEHIND: Final = 350  # how far one may be behind the likeliest
_HEADING: Final = 100  # a heading is less likely to say it than what stands under it


def propose_together(scores: Sequence[int]) -> bool:
    """True where the likeliest units of a message weigh enough for one that proposes."""
    likeliest = sorted(scores, reverse=True)[:_TOP]
    return sum(map(ODDS.__getitem__, likeliest)) > ODDS[_ENOUGH]


def propose_without(scores: Sequence[int], is_unsaid: Callable[[int], bool]) -> bool:
    """The same with the units of which `is_unsaid` is true counted for nothing."""
    enough, nothing = ODDS[_ENOUGH_LEFT], ODDS[-WIDEST]
    odds, room, unsaid = 0, _TOP, 0
    for index in sorted(range(len(scores)), key=scores.__getitem__, reverse=True):
        own = ODDS[scores[index]]
        if not room or odds + room * own <= enough:  # nor can those behind it
            return False
        if scores[index] > _FAINT and is_unsaid(index):
            unsaid += 1
            continue
        odds += own
        room -= 1
        if odds > enough:
            return True
    return odds + min(room, unsaid) * nothing > enough


class _Odds(dict[int, int]):
    """e to the power of a score, in whole numbers: the same on every machine."""

    def __init__(self) -> None:
        self[0] = 1 << 40
        for score in range(1, WIDEST + 1):
            self[score] = self[score - 1] * 101005 // 100000
            self[-score] = self[1 - score] * 100000 // 101005

    def __missing__(self, score: int) -> int:
        return self[WIDEST if score > 0 else -WIDEST]


ODDS: Final[Mapping[int, int]] = _Odds()


def choose_units(
    units: Sequence[Unit],
    scores: Sequence[int],
    is_unsaid: Callable[[int], bool] = lambda _: False,
) -> list[int]:
    """Which of `units` propose, in their order, at most `MOST`: none above another that does, and
    none of which `is_unsaid` is true.
    """
    ranked = [
        (_HEADING - score if unit.kind == "heading" else -score, index)
        for index, (unit, score) in enumerate(zip(units, scores, strict=True))
    ]
    ranked.sort()
    chosen: set[int] = set()
    lowest = 0
    for behind, index in ranked:
        score = -behind
        if chosen and score <= max(_SECOND if len(chosen) == 1 else _LEAST, lowest):
            break
        if is_unsaid(index):
            continue
        if not chosen:
            lowest = score - _BEHIND
        chosen.add(index)
        if len(chosen) == MOST:
            break
    return drop_governing(units, chosen)


def drop_governing(units: Sequence[Unit], chosen: set[int]) -> list[int]:
    """`chosen` without headings and lead-ins of others among them, and without parts of items."""
    for index in sorted(chosen):
        unit = units[index]
        if unit.lead in chosen:
            chosen.discard(index if units[unit.lead].kind == "item" else unit.lead)
        chosen.discard(unit.heading)
    return sorted(chosen)
