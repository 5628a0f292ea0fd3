"""What later lines say of earlier ones: runs of votes, restatements, talk of proposing.

`observe_message` takes one message into the window and returns the lines of which it
says something; `line_features` tells what is known of a line by then. What comes
after a line only adds features, so a line that is worth marking stays so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Final

from parley.memory.extraction.structure import restatements, vote_runs
from parley.memory.extraction.structure.count_bands import drop_repeats, reached_steps
from parley.memory.extraction.structure.scorecards import Scorecards, lexicon
from parley.memory.extraction.structure.window_messages import WindowMessage
from parley.memory.state.line_state import REACH, Structure, WindowLine

# How the features begin that may come true after a line was heard. What they
# add to a proposal's score is never below 0, or a line could be taken back.
LATER_FEATURES: Final = ("votes after", "voters", "bare voters", "a vote", "votes again",
                "own vote", "restated", "before", "above")  # fmt: skip

_TALK: Final[tuple[str, ...]] = (
    "proposal talk", "vote talk", "resolution talk", "objection talk",
    "approves minutes", "approves minutes, short", "minutes",
)  # fmt: skip
_BEFORE: Final = 3  # messages by which talk of proposing comes before what is proposed
_AFTER: Final = 2
_LIST: Final = 3  # messages between lines that stand together
_NEWEST: Final = (1 << 20) - 1  # lines by which the manner of the talk is told
_FEW: Final = 8
_FAIR: Final = 200  # hundredths of a logit of wording: do this
_CLEAR: Final = 300
_PLAIN: Final = 400
_RIGHT_BELOW: Final = frozenset({"votes after 1", "votes after 2"})
_CONTRARY: Final = frozenset({"a vote between", "a vote against"})


def observe_message(
    structure: Structure, heard: WindowMessage, cards: Scorecards
) -> list[WindowLine]:
    """Take `heard` in; the lines, oldest first, of which it says something, itself among them."""
    if heard.vote is not None:
        _let_go(structure, heard.place)
        return vote_runs.add_vote(structure, heard, heard.vote)
    touched = note_aside(structure, heard.place, heard.cues, heard.scribed, cards)
    if heard.passes:
        touched += _add_line(structure, heard, cards)
    return sort_lines(touched)


def _add_line(structure: Structure, heard: WindowMessage, cards: Scorecards) -> list[WindowLine]:
    """Give `heard` a place below all other lines; those of which it says something, and itself."""
    line = _placed(structure, heard)
    touched = _beside_lines(structure, line, cards)
    for other, features in restatements.find_restated_lines(structure, line):
        if features:
            _add(other, cards, restatements.restatement_features(features))
            touched.append(other)
    _add(line, cards, _standing(line))
    structure.lines.append(line)
    structure.aside = None
    return [*touched, line]


def add_late_line(structure: Structure, line: WindowLine, cards: Scorecards) -> None:
    """Give `line` its place among the others, late: all that is known is what it is like."""
    _add(line, cards, _standing(line))
    structure.lines.append(line)
    structure.lines.sort(key=lambda each: each.place)
    if structure.aside is not None and structure.aside.place == line.place:
        structure.aside = None


def drop_out_of_reach(structure: Structure, place: int, scribed: bool = False) -> None:
    """Let go of what is out of reach now that one more line came, and count it."""
    _let_go(structure, place)
    structure.led = (structure.led << 1 | scribed) & _NEWEST
    structure.heard += 1
    if structure.talk and place - structure.talk[0][0] > _BEFORE:
        structure.talk = [turn for turn in structure.talk if place - turn[0] <= _BEFORE]


def note_aside(
    structure: Structure, place: int, cues: Sequence[int], scribed: bool, cards: Scorecards
) -> list[WindowLine]:
    """Take in what a line says that gets no place in the window: most of all talk."""
    drop_out_of_reach(structure, place, scribed)
    numbers = _talk()
    if numbers.keys().isdisjoint(cues):
        return []
    talk = [numbers[cue] for cue in sorted(cues) if cue in numbers]
    structure.talk.append((place, talk))
    return _spoken_of(structure, place, talk, cards)


@cache
def _talk() -> dict[int, str]:
    return {lexicon().number(name): name for name in _TALK}


def _add(line: WindowLine, cards: Scorecards, names: Iterable[str]) -> None:
    """Let features of `line` that came true count."""
    weights = cards.stands
    for name in names:
        if name in weights:
            proposal, decision = weights[name]
            line.proposal += proposal
            line.decision += decision


def sort_lines(touched: list[WindowLine]) -> list[WindowLine]:
    """`touched`, oldest first, each once."""
    if len(touched) < 2:
        return touched
    by_place = {line.place: line for line in touched}
    return [by_place[place] for place in sorted(by_place)]


def _let_go(structure: Structure, place: int) -> None:
    oldest = place - REACH
    lines = structure.lines
    while lines and lines[0].place < oldest:
        del lines[0]
    past = structure.runs
    while past and past[0].last < oldest:
        del past[0]
    if structure.replies and any(run.last < oldest for run in structure.replies):
        structure.replies = [run for run in structure.replies if run.last >= oldest]
    while structure.votes and structure.votes[0] < oldest:
        del structure.votes[0]


def _spoken_of(
    structure: Structure, place: int, talk: Sequence[str], cards: Scorecards
) -> list[WindowLine]:
    """The lines right above of which a line speaks: it objects, calls a vote, resolves."""
    tags = [f"before {cue}" for cue in talk]
    touched: list[WindowLine] = []
    for line in reversed(structure.lines[-_AFTER:]):
        if place - line.place > _AFTER:
            break
        new = [each for each in tags if each not in line.tags]
        if new:
            line.tags += new
            _add(line, cards, new)
            touched.append(line)
    return touched


def line_from_message(heard: WindowMessage) -> WindowLine:
    """`heard` as a line of which only the wording is known."""
    return WindowLine(
        n=heard.n, place=heard.place, who=heard.who, typist=heard.typist, text=heard.text,
        start=heard.start, at=heard.at, topic=heard.topic, own=heard.own,
        proposal=heard.wording[0], decision=heard.wording[1], scribed=heard.scribed,
        imperative=lexicon().number("imperative") in heard.cues,
        asks=lexicon().number("asks") in heard.cues,
    )  # fmt: skip


def _placed(structure: Structure, heard: WindowMessage) -> WindowLine:
    """`heard` as a line of the window, with what its place says of it."""
    line = line_from_message(heard)
    for place, talk in structure.talk:
        if place < heard.place:
            line.tags += [f"after {cue}" for cue in talk]
    newest = min(structure.heard, _NEWEST.bit_length())
    if newest > _FEW and structure.led.bit_count() * 2 >= newest:
        line.tags.append("scribed among scribed" if heard.scribed else "typed among scribed")
    line.tags += vote_runs.vote_features_before(structure, line)
    line.tags = drop_repeats(line.tags)
    return line


def _beside_lines(structure: Structure, line: WindowLine, cards: Scorecards) -> list[WindowLine]:
    """What the line before says of `line`, and `line` of it: proposals often come in lists."""
    if not structure.lines or line.place - structure.lines[-1].place > _LIST:
        return []
    before = structure.lines[-1]
    same_speaker = before.who == line.who and line.place - before.place == 1
    own = "own" if same_speaker else "another"
    line.tags.append(f"below {own} line of {_grade(before.own)}")
    if before.asks:
        line.tags.append("below a question")
    above = f"above {own} line of {_grade(line.own)}"
    before.tags.append(above)
    _add(before, cards, (above,))
    return [before]


def line_features(structure: Structure, line: WindowLine) -> list[str]:
    """What is known of `line` by now beside its wording; each once."""
    return [
        *_standing(line),
        *restatements.restatement_features(line.restated),
        *vote_features(structure, line),
    ]


def _standing(line: WindowLine) -> list[str]:
    features = [*line.tags, *reached_steps("wording", line.own, (100, 200, 300, 400, 500, 600))]
    if line.behind is not None:
        features += restatements.earlier_line_features(line.behind)
    return features


def vote_features(structure: Structure, line: WindowLine) -> list[str]:
    """What the votes below `line` tell of it by now; each once."""
    return drop_repeats(vote_runs.vote_features_below(structure, line)) if line.anchored else []


def is_put_to_vote(structure: Structure, line: WindowLine, stands: Collection[str]) -> bool:
    """True for what is put to a vote, as its votes show.

    `stands` is what the votes below tell.
    The scorecard is fitted on meetings that say again what they decide, and asks
    for that. The plainer the wording the less is asked here: where somebody held
    back or was against, there was a question.
    """
    asked = vote_runs.request_features(structure, line)
    if asked == "divided" or (asked and line.own >= (_FAIR if line.imperative else _PLAIN)):
        return True
    below = "voters >=3" in stands and not _RIGHT_BELOW.isdisjoint(stands)
    return below and line.own >= _CLEAR and not _CONTRARY.isdisjoint(stands)


def _grade(own: int) -> str:
    return "strong" if own >= 250 else "high" if own >= 125 else "middle"
