"""Lines that the gate dropped, taken back in once three people voted right below them.

"The harbour on Mondays" has the wording of nothing that is put to people, until they
vote. What says it again then passes as well: its wording is no more that of a decision.
"""

from __future__ import annotations

from typing import Final

from memory.moment import Moment
from memory.structure import hearing
from memory.structure.echoes import content, likeness
from memory.structure.scorecard import Scorecards
from memory.structure.state import REACH, Anchored, Aside, Line, Run, Structure

_VOTES: Final = 3  # bare ones
_BELOW: Final = 2  # messages
_AGAIN: Final = 3  # likeness from which a line says the other again


def keep(moment: Moment) -> None:
    """Keep the message of `moment`, which the gate dropped, until the next such."""
    moment.memory.structure.aside = Aside(
        n=moment.n, place=moment.memory.messages, who=moment.participant, typist=moment.typist,
        text=moment.content[: hearing.LOOKED_AT], at=moment.at, topic=moment.topic,
    )  # fmt: skip


def voted(held: Structure, cards: Scorecards) -> list[Line]:
    """The line that the run of votes in hand brings back; none but once in a run."""
    run = held.runs[-1]
    if run.first == run.last:
        run.aside = _right_above(held, run)
    if run.aside is None or run.bare < _VOTES:
        return []
    aside, run.aside = run.aside, None
    line = _read(aside, run, cards)
    if line is None:
        return []
    held.lines.append(line)
    held.lines.sort(key=lambda each: each.place)
    held.recalled = line.place
    return [line]


def said_again(held: Structure, place: int, text: str) -> bool:
    """True for a dropped line that says again what was taken back in."""
    if not held.recalled or place - held.recalled > REACH:
        return False
    line = next((each for each in held.lines if each.place == held.recalled), None)
    return line is not None and likeness(content(line.text), content(text)) >= _AGAIN


def _right_above(held: Structure, run: Run) -> Aside | None:
    """The line that was dropped last, where none that passed stands between it and `run`."""
    aside = held.aside
    if aside is None or not aside.text or run.first - aside.place > _BELOW:
        return None
    return None if held.lines and held.lines[-1].place > aside.place else aside


def _read(aside: Aside, run: Run, cards: Scorecards) -> Line | None:
    """`aside` as a line of which only the votes below are known; None where it has no words."""
    heard = hearing.line(aside.n, aside.place, aside.who, aside.text, ())
    heard = hearing.weighed(heard._replace(passes=True), cards)
    if not heard.passes or "command" in heard.cues or hearing.is_blank(aside.text):
        return None
    return Line(
        n=aside.n, place=aside.place, who=aside.who, typist=aside.typist or aside.who,
        text=heard.text, start=heard.start, at=aside.at, topic=aside.topic,
        own=heard.own, wording=heard.wording,
        imperative="imperative" in heard.cues, scribed=heard.scribed, asks="asks" in heard.cues,
        anchored=[Anchored(run=run.first, rank=0, gap=run.first - aside.place)],
    )  # fmt: skip
