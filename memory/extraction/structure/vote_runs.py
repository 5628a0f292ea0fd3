"""Runs of votes: which lines they stand below, and what they tell of them.

A run goes on while nobody votes twice, nobody pauses for long, and what it is
on was not restated; a vote or two end where a new line stands. What it tells of a line only grows.
"""

from __future__ import annotations

from typing import Final, Literal

from parley.memory.extraction.structure.count_bands import count_band, reached_steps
from parley.memory.extraction.structure.window_messages import WindowMessage
from parley.memory.state.line_state import Anchored, Structure, VoteRun, WindowLine

_ANCHORS: Final = 5  # lines above a run that it may be on
_ANCHOR_REACH: Final = 14  # messages
_RUN_REACH: Final = 10  # messages without a vote after which a run is over
_AGAIN: Final = 25  # messages within which a vote by the same person is on a second question
_TOLD: Final = 2  # ranks a run tells of: from the third line up it told nothing in held-out talk
_STRAY: Final = 2  # votes before a new line that are not of the run below it
_VOTE: Final = 3  # bare votes: no longer by chance below each other
_FAR: Final = 40  # hundredths of a logit that each message between takes
_BELOW: Final = 2  # messages: whatever the line is like
_NEAR: Final = 3  # messages
_STRONG: Final = 250  # hundredths of a logit beyond the gate


def add_vote(structure: Structure, heard: WindowMessage, value: int) -> list[WindowLine]:
    """Take a vote in; the lines, oldest first, that it may be on."""
    if heard.re:
        return _reply(structure, heard, value)
    before = structure.runs[-1] if structure.runs else None
    on = before is not None and _goes_on(structure, before, heard)
    run = before if before is not None and on else _begun(structure, before, heard)
    _count(structure, run, heard, value)
    return [line for line in structure.lines if _told(run, line)]


def _reply(structure: Structure, heard: WindowMessage, value: int) -> list[WindowLine]:
    """Take in a vote that replies to a line: it is on that one, however far above."""
    line = next((line for line in structure.lines if line.n == heard.re), None)
    if line is None:
        return []
    run = next((run for run in structure.replies if run.re == line.n), None)
    if run is None:
        run = VoteRun(first=heard.place, last=heard.place, re=line.n)
        structure.replies.append(run)
        line.anchored.insert(0, Anchored(run=run.first, rank=0, gap=1))
    if heard.who not in run.voters:
        _count(structure, run, heard, value)
    else:
        run.voters[heard.who] = value
        run.last = heard.place
    return [line]


def _count(structure: Structure, run: VoteRun, heard: WindowMessage, value: int) -> None:
    run.voters[heard.who] = value
    run.last = heard.place
    run.bare += not heard.remark
    if not run.asked and run.bare >= _VOTE:
        run.asked = _asked(structure, run)
    structure.votes.append(heard.place)
    structure.voted += 1


def _goes_on(structure: Structure, run: VoteRun, heard: WindowMessage) -> bool:
    near = heard.place - run.last <= _RUN_REACH
    if not near or heard.who in run.voters or run.closed:
        return False
    return len(run.voters) > _STRAY or not (
        structure.lines and structure.lines[-1].place > run.last
    )


def _begun(structure: Structure, before: VoteRun | None, heard: WindowMessage) -> VoteRun:
    again = (
        before is not None and heard.place - before.last <= _AGAIN and heard.who in before.voters
    )
    run = VoteRun(first=heard.place, last=heard.place, again=again)
    structure.runs.append(run)
    for rank, line in enumerate(reversed(structure.lines[-_ANCHORS:])):
        gap = heard.place - line.place
        if gap > _ANCHOR_REACH:
            break
        line.anchored.append(Anchored(run=run.first, rank=rank, gap=gap))
    return run


def add_line_between(structure: Structure, line: WindowLine, run: VoteRun) -> None:
    """Set the lines above `line` one farther from `run`: it stands between, told late."""
    for other in structure.lines:
        for anchor in other.anchored:
            anchor.rank += anchor.run == run.first and other.place < line.place


def has_fresh_votes(structure: Structure, place: int) -> bool:
    """True where several have just voted: what is said next may be what they decided."""
    if not structure.runs:
        return False
    run = structure.runs[-1]
    return len(run.voters) > 1 and place - run.last <= _RUN_REACH


def _asked(structure: Structure, run: VoteRun) -> int:
    """n of the line that `run` is most likely on: like a question, near, not answered yet; else 0.

    Where somebody was against or held back there is one.
    """
    best, most = 0, 0
    for line in reversed(structure.lines):
        gap = next((anchor.gap for anchor in line.anchored if anchor.run == run.first), None)
        if gap is None or line.own < 0 or _answered(structure, line, run):
            continue
        likely = line.own - _FAR * gap
        if likely > most or (gap <= _BELOW and not best):
            best, most = line.n, max(likely, 0)
    return best


def _answered(structure: Structure, line: WindowLine, run: VoteRun) -> bool:
    """True where those who vote in `run` voted on `line` before."""
    before = {
        anchor.run for anchor in line.anchored if anchor.rank < _TOLD and anchor.run != run.first
    }
    return any(
        each.closed or not each.voters.keys().isdisjoint(run.voters)
        for each in structure.runs
        if each.first in before
    )


def _told(run: VoteRun, line: WindowLine) -> bool:
    return run.asked == line.n or any(
        anchor.run == run.first and anchor.rank < _TOLD for anchor in line.anchored
    )


def request_features(structure: Structure, line: WindowLine) -> Literal["", "near", "divided"]:
    """What makes the votes that are most likely on `line` speak for it: a no, or being near."""
    request: Literal["", "near", "divided"] = ""
    for anchor in line.anchored:
        every = (*structure.runs, *structure.replies)
        run = next((each for each in every if each.first == anchor.run), None)
        if run is None or run.asked != line.n:
            continue
        if any(value < 1000 for value in run.voters.values()):
            return "divided"
        if anchor.gap <= _NEAR and not run.re:
            request = "near"
    return request


def close_votes_on_line(structure: Structure, line: WindowLine) -> None:
    """`line` was restated: votes that follow are on something else."""
    if structure.runs and any(anchor.run == structure.runs[-1].first for anchor in line.anchored):
        structure.runs[-1].closed = True


def count_backers(structure: Structure, line: WindowLine) -> int:
    """The most voters of a run that began right below `line`."""
    near = {anchor.run for anchor in line.anchored if anchor.rank < _TOLD}
    every = (*structure.runs, *structure.replies)
    return max((len(run.voters) for run in every if run.first in near), default=0)


def vote_features_before(structure: Structure, line: WindowLine) -> list[str]:
    """What the votes before `line`, a new one, tell of it."""
    features = ["votes before" if structure.voted else "no votes before"]
    run = structure.runs[-1] if structure.runs else None
    if run is None or line.place - run.last > _RUN_REACH:
        return features
    voters = len(run.voters)
    if run.closed:
        features.append("after settled votes")
    else:
        features.append(f"{count_band(line.place - run.last, (1, 2, 3, 5))} after votes")
        features.append(f"after {count_band(voters, (1, 2, 4, 8))} voters")
        features.append(
            f"line {count_band(run.lines, (0, 1, 3))} after {count_band(voters, (1, 2, 4))} voters"
        )
    if any(value < 0 for value in run.voters.values()):
        features.append("after a vote against")
    on = [
        window_line
        for window_line in structure.lines
        if window_line.anchored and window_line.anchored[-1].run == run.first
    ]
    if on and on[-1].who == line.who:
        features.append("after votes on one's own line")
    run.lines += 1
    return features


def vote_features_below(structure: Structure, line: WindowLine) -> list[str]:
    """What the votes below `line` tell of it by now."""
    if not line.anchored:
        return []
    runs = {run.first: run for run in (*structure.runs, *structure.replies)}
    features: list[str] = []
    for anchor in line.anchored:
        if anchor.run not in runs:
            continue
        if anchor.rank == 0:
            features += _right_below(line, anchor, runs[anchor.run])
        elif anchor.rank < _TOLD:
            features += reached_steps("bare voters past a line", runs[anchor.run].bare, (2, 3, 5))
    return features


def _right_below(line: WindowLine, anchor: Anchored, run: VoteRun) -> list[str]:
    values = run.voters.values()
    features = [f"votes after {count_band(anchor.gap, (1, 2, 3, 5, 8))}"]
    features += reached_steps("voters", len(values), (2, 3, 5, 8))
    features += reached_steps("bare voters", run.bare, (1, 2, 3, 5))
    if run.bare > 1 and line.own >= _STRONG:
        features.append("bare voters of a strong line")
    if any(-1000 < value < 1000 for value in values):
        features.append("a vote between")
    if any(value < 0 for value in values):
        features.append("a vote against")
    if run.again:
        features.append("votes again")
    if line.who in run.voters:
        features.append("own vote")
    return features
