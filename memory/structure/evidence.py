"""What later lines say of earlier ones: runs of votes, restatements, assent.

`observe` takes one message into the window and returns the lines of which it
says something; `features` tells what is known of a line by then. Evidence is
only ever added, so a line that is worth marking stays so.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from memory.similar import stems
from memory.structure.state import REACH, Anchored, Echo, Line, Run, Structure

_ANCHORS: Final = 5  # lines above a run that it may be on
_ANCHOR_REACH: Final = 14  # messages
_RUN_REACH: Final = 10  # messages without a vote after which a run is over
_TALK: Final[tuple[str, ...]] = ("proposal talk", "vote talk", "resolution talk", "objection talk",
                "approves minutes", "approves minutes, short", "minutes")  # fmt: skip
_SHORT: Final = frozenset({"len<2", "len<4", "len<7"})
_LIKENESS: Final = ("", "some", "alike", "contain", "near", "same")


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """The stems of the words that carry `text`."""
    return frozenset(stems(text))


def likeness(a: frozenset[str], b: frozenset[str]) -> int:
    """How much of what one line says the other says: 0 nothing, 5 the same."""
    shared = len(a & b)
    if shared < 2:
        return 3 if shared and a == b else 0
    if a == b:
        return 5
    either, shorter = len(a) + len(b) - shared, min(len(a), len(b))
    if shared * 10 >= either * 7:
        return 4
    if shared >= 3 and shared * 5 >= shorter * 4:
        return 3
    if shared * 5 >= either * 2:
        return 2
    return 1 if shared >= 3 and shared * 2 >= shorter else 0


class Heard(NamedTuple):
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
    cues: frozenset[str] = frozenset()
    own: int = 0
    wording: tuple[int, int] = (0, 0)
    passes: bool = False  # worth a place in the window
    scribed: bool = False


def observe(held: Structure, heard: Heard) -> list[Line]:
    """Take `heard` in; the lines, oldest first, of which it says something, itself among them."""
    _let_go(held, heard.place)
    if heard.vote is not None:
        return _vote(held, heard, heard.vote)
    touched = _spoken_of(held, heard)
    _note_manner(held, heard)
    if heard.passes:
        line = _placed(held, heard)
        touched += [other for other in _compared(held, line) if other not in touched]
        held.lines.append(line)
        touched.append(line)
    return touched


def _let_go(held: Structure, place: int) -> None:
    oldest = place - REACH
    lines = held.lines
    while lines and lines[0].place < oldest:
        del lines[0]
    runs = held.runs
    while runs and runs[0].last < oldest:
        del runs[0]
    while held.votes and held.votes[0] < oldest:
        del held.votes[0]


# -- votes -----------------------------------------------------------------------


def _vote(held: Structure, heard: Heard, vote: int) -> list[Line]:
    before = held.runs[-1] if held.runs else None
    on = before is not None and _goes_on(before, heard)
    run = before if before is not None and on else _begun(held, before, heard)
    run.voters[heard.who] = vote
    run.last = heard.place
    run.remarks += heard.remark
    run.bare += not heard.remark
    held.votes.append(heard.place)
    held.voted += 1
    return [line for line in held.lines if _concerns(run, line)]


def _goes_on(run: Run, heard: Heard) -> bool:
    """True while nobody votes twice, nobody pauses for long, and nothing was restated."""
    return heard.place - run.last <= _RUN_REACH and heard.who not in run.voters and not run.closed


def _begun(held: Structure, before: Run | None, heard: Heard) -> Run:
    again = before is not None and heard.place - before.last <= 25 and heard.who in before.voters
    run = Run(first=heard.place, last=heard.place, again=again)
    held.runs.append(run)
    above: list[Line] = []
    for line in reversed(held.lines):
        if heard.place - line.place > _ANCHOR_REACH or len(above) == _ANCHORS:
            break
        tags = _between(line, above)
        gap = heard.place - line.place
        line.anchored.append(Anchored(run=run.first, rank=len(above), gap=gap, tags=tags))
        above.append(line)
    return run


def _between(line: Line, above: list[Line]) -> list[str]:
    """What the lines between `line` and a run of votes are like."""
    if not above:
        return []
    tags = []
    if all(other.short for other in above):
        tags.append("votes past short lines")
    if any(other.imperative for other in above):
        tags.append("votes past an imperative")
    if all(other.scribed for other in above):
        tags.append("votes past scribed lines")
    if all(other.asks for other in above):
        tags.append("votes past questions")
    if any(likeness(content(other.text), content(line.text)) for other in above):
        tags.append("votes past a like line")
    if max(other.own for other in above) < line.own:
        tags.append("votes past weaker lines")
    return tags


def _concerns(run: Run, line: Line) -> bool:
    if line.place > run.first:
        return line.within > 0 and line.place <= run.last
    return any(one.run == run.first for one in line.anchored)


# -- lines -----------------------------------------------------------------------


def _spoken_of(held: Structure, heard: Heard) -> list[Line]:
    """The lines right above of which `heard` speaks: it assents, objects, calls a vote."""
    touched: list[Line] = []
    for line in reversed(held.lines):
        apart = heard.place - line.place
        if apart > 3:
            break
        before = len(line.tags) + line.assents
        line.assents += "assents" in heard.cues
        if apart <= 2:
            for cue in _TALK:
                tag = f"before {cue}"
                if cue in heard.cues and tag not in line.tags:
                    line.tags.append(tag)
        if len(line.tags) + line.assents > before:
            touched.append(line)
    return touched[::-1]


def _note_manner(held: Structure, heard: Heard) -> None:
    held.led.append(heard.scribed)
    del held.led[:-20]
    talk: list[str] = [cue for cue in _TALK if cue in heard.cues]
    held.talk = [one for one in held.talk if heard.place - one[0] <= 3]
    if talk:
        held.talk.append((heard.place, talk))


def _placed(held: Structure, heard: Heard) -> Line:
    """`heard` as a line of the window, with what its place says of it."""
    line = Line(
        n=heard.n, place=heard.place, who=heard.who, typist=heard.typist, text=heard.text,
        start=heard.start, at=heard.at, topic=heard.topic, own=heard.own, wording=heard.wording,
        imperative="imperative" in heard.cues, scribed=heard.scribed,
        short=bool(_SHORT & heard.cues), asks="asks" in heard.cues,
    )  # fmt: skip
    tags = line.tags
    for place, talk in held.talk:
        if place < heard.place:
            tags += [f"after {cue}" for cue in talk if f"after {cue}" not in tags]
    if len(held.led) > 8 and sum(held.led) * 2 >= len(held.led):
        tags.append("scribed among scribed" if heard.scribed else "typed among scribed")
    tags.append("votes before" if held.voted else "no votes before")
    _beside_votes(held, line)
    _beside_lines(held, line)
    return line


def _beside_votes(held: Structure, line: Line) -> None:
    run = held.runs[-1] if held.runs else None
    if run is None or line.place - run.last > _RUN_REACH:
        return
    line.within = len(run.voters)
    apart, voters = line.place - run.last, len(run.voters)
    if run.closed:
        line.tags.append("after settled votes")
    else:
        after = f"after {_step(voters, (1, 2, 4))} voters"
        line.tags.append(f"{_step(apart, (1, 2, 3, 5))} after votes")
        line.tags.append(f"after {_step(voters, (1, 2, 4, 8))} voters")
        line.tags.append(f"line {_step(run.lines, (0, 1, 3))} {after}")
    if any(vote < 0 for vote in run.voters.values()):
        line.tags.append("after a vote against")
    on = [one for one in held.lines if one.anchored and one.anchored[-1].run == run.first]
    if on and on[-1].who == line.who:
        line.tags.append("after votes on one's own line")
    run.lines += 1


def _beside_lines(held: Structure, line: Line) -> None:
    """What the line before says of `line`, and `line` of it: proposals often come in lists."""
    if not held.lines:
        return
    before = held.lines[-1]
    apart = line.place - before.place
    if apart > 3:
        return
    own = "own" if before.who == line.who and apart == 1 else "another"
    line.tags.append(f"below {own} line of {_grade(before.own)}")
    if before.asks:
        line.tags.append("below a question")
    before.tags.append(f"above {own} line of {_grade(line.own)}")


def _compared(held: Structure, line: Line) -> list[Line]:
    """The lines above of which `line` says much again."""
    said = content(line.text)
    touched: list[Line] = []
    for other in held.lines:
        like = likeness(content(other.text), said)
        if not like:
            continue
        votes = sum(other.place < place for place in held.votes)
        again = Echo(
            n=other.n, likeness=like, apart=line.place - other.place, votes=votes,
            same=other.who == line.who, backed=_backing(held, other),
            imperative=other.imperative, scribed=other.scribed,
            again=other.behind is not None and other.behind.likeness >= 3,
        )  # fmt: skip
        if line.behind is None or _closer(again, line.behind):
            line.behind = again
        ahead = msgspec.structs.replace(
            again, n=line.n, backed=0, imperative=line.imperative, scribed=line.scribed, again=False
        )
        if other.ahead is None or _closer(ahead, other.ahead):
            other.ahead = ahead
        other.told += [each for each in _of_ahead(ahead) if each not in other.told]
        touched.append(other)
        if like >= 3 and held.runs and any(a.run == held.runs[-1].first for a in other.anchored):
            held.runs[-1].closed = True
    return touched


def _closer(one: Echo, other: Echo) -> bool:
    return (one.likeness, one.votes >= 2, -one.apart) > (
        other.likeness,
        other.votes >= 2,
        -other.apart,
    )


def _backing(held: Structure, line: Line) -> int:
    """The most voters of a run that began right below `line`."""
    near = {one.run for one in line.anchored if one.rank <= 1}
    return max((len(run.voters) for run in held.runs if run.first in near), default=0)


# -- features ----------------------------------------------------------------------


def features(held: Structure, line: Line) -> list[str]:
    """What is known of `line` by now beside its wording."""
    found = [*line.tags, *line.told, f"wording of {_grade(line.own)}"]
    found += _reached("wording", line.own, (100, 200, 300, 400, 500, 600))
    found += _of_votes(held, line)
    if line.behind is not None:
        found += _of_echo("restates", line.behind)
    if line.assents:
        found += _reached("assents", line.assents, (1, 2))
    return list(dict.fromkeys(found))


def _of_votes(held: Structure, line: Line) -> list[str]:
    runs = {run.first: run for run in held.runs}
    found: list[str] = []
    for one in line.anchored:
        if one.run in runs:
            found += _of_run(line, one, runs[one.run])
    if line.within:
        for run in held.runs:
            if run.first < line.place <= run.last:
                found.append(f"within {_step(line.within, (1, 2, 4))} voters")
                found += _reached("voters within", len(run.voters) - line.within, (1, 2, 3, 5))
    return found


def _of_run(line: Line, one: Anchored, run: Run) -> list[str]:
    rank, voters = _step(one.rank, (0, 1, 2)), run.voters
    found = [f"votes at rank {rank}"]
    if one.rank == 0:
        found.append(f"votes after {_step(one.gap, (1, 2, 3, 5, 8))}")
    found += _reached(f"rank {rank} voters", len(voters), (2, 3, 5, 8))
    found += _reached(f"rank {rank} bare voters", run.bare, (1, 2, 3, 5))
    if run.bare > 1:
        found += one.tags
        if line.own >= 250:
            found.append(f"rank {rank} bare voters of a strong line")
    values = voters.values()
    if any(-1000 < value < 1000 for value in values):
        found.append(f"rank {rank} vote between")
    if any(value < 0 for value in values):
        found.append(f"rank {rank} vote against")
    if run.again:
        found.append(f"rank {rank} votes again")
    if line.who in voters:
        found.append(f"rank {rank} own vote")
    return found


def _of_echo(verb: str, echo: Echo) -> list[str]:
    like = _LIKENESS[echo.likeness]
    found = [f"{verb} {like}", f"{verb} at {_step(echo.apart, (1, 2, 4, 8, 16))}"]
    found += _reached(f"{verb} past votes", echo.votes, (1, 2, 3, 5))
    if echo.votes >= 2:
        found.append(f"{verb} {like} past votes")
        if echo.same and echo.likeness >= 2:
            found.append(f"{verb} past votes, one speaker")
    if echo.same:
        found += [f"{verb}, one speaker", f"{verb} {like}, one speaker"]
    found += _reached(f"{verb} backed", echo.backed, (1, 2, 3))
    if echo.imperative and echo.likeness >= 2:
        found.append(f"{verb} an imperative")
    if echo.scribed:
        found.append(f"{verb} a scribed line")
    if echo.again:
        found.append(f"{verb} a restatement")
    return found


def _of_ahead(echo: Echo) -> list[str]:
    """What a later line that says it again tells; each stays true whatever follows."""
    speaker = ", one speaker" if echo.same else ""
    found = []
    for like in range(1, echo.likeness + 1):
        found.append(f"restated {_LIKENESS[like]}")
        if echo.same:
            found.append(f"restated {_LIKENESS[like]}{speaker}")
        if echo.votes >= 2:
            found.append(f"restated {_LIKENESS[like]} past votes")
            if echo.same:
                found.append(f"restated {_LIKENESS[like]} past votes{speaker}")
    if echo.likeness >= 2:
        found += _reached("restated past votes", echo.votes, (1, 2, 3, 5))
        found.append(f"restated at {_step(echo.apart, (1, 2, 4, 8, 16))}")
    return found


def _reached(name: str, count: int, steps: tuple[int, ...]) -> list[str]:
    """One feature for every step that `count` has reached: more is never less."""
    return [f"{name} >={step}" for step in steps if count >= step]


def _step(count: int, steps: tuple[int, ...]) -> str:
    for step in steps:
        if count <= step:
            return str(step)
    return f">{steps[-1]}"


def _grade(own: int) -> str:
    return "strong" if own >= 250 else "high" if own >= 125 else "middle" if own >= 0 else "low"
