"""Two names that become one, two items that become one: what the window keeps of both.

Called before the reactions themselves are joined: a bare vote in reach may still
move to a nearer proposal, and then what its caster had said before it stands again.
"""

from __future__ import annotations

from typing import Final

from parley.memory.extraction.structure import scribes
from parley.memory.state.item_state import Position, Proposal, Reaction
from parley.memory.state.line_state import PassedLine, Structure, UnlinkedVote, VoteRun, WindowLine
from parley.memory.state.memory import Memory

_NOTHING: Final = -1_000_000  # hundredths of a logit: no evidence outweighs it


def rename_in_window(memory: Memory, old: str, new: str) -> None:
    """Put `new` for `old` throughout the window; of two votes in one run the later one stands."""
    structure = memory.structure
    scribes.rename_scribe(memory, old, new)
    lines: list[WindowLine | PassedLine] = [*structure.lines, *_asides(structure)]
    for line in lines:
        line.who = new if line.who == old else line.who
        line.typist = new if line.typist == old else line.typist
    for run in (*structure.runs, *structure.replies):
        _join_votes(run, structure.casts, old, new)
    joined = [cast for cast in structure.casts if cast.who in (old, new)]
    for cast in joined:
        if (on := memory.proposal(cast.on)) is not None:
            other = old if cast.who == new else new
            _remember(cast, on.reactions.get(other), _position(memory, other, on))
            for unlinked_vote in joined:
                if unlinked_vote.who == other and memory.proposal(unlinked_vote.on) is on:
                    _remember(cast, unlinked_vote.was, unlinked_vote.stood)
    for cast in structure.casts:
        cast.who = new if cast.who == old else cast.who
        cast.typist = new if cast.typist == old else cast.typist


def merge_votes(memory: Memory, item: Proposal, into: Proposal) -> None:
    """Let the votes in reach that count for either of two proposals count for `into`."""
    for cast in memory.structure.casts:
        on = memory.proposal(cast.on)
        if on is item:
            _remember(cast, into.reactions.get(cast.who), _position(memory, cast.who, into))
            cast.on = into.ref
        elif on is into:
            _remember(cast, item.reactions.get(cast.who), None)


def forget_entry(structure: Structure, n: int, *, whole: bool = False) -> None:
    """Let go of the words of entry `n`, which are gone; its place in the window stays.

    `whole`: nothing that comes shows what they were, and no vote of theirs waits any more.
    """
    if whole:
        structure.casts = [cast for cast in structure.casts if cast.n != n]
        for line in structure.lines:
            if line.n == n:
                line.proposal = line.decision = _NOTHING
                line.weighed = True
    kept: list[WindowLine | PassedLine | UnlinkedVote] = [
        *structure.lines,
        *_asides(structure),
        *structure.casts,
    ]
    for entry in kept:
        if entry.n == n:
            entry.text = ""


def _asides(structure: Structure) -> list[PassedLine]:
    every = [structure.aside, *(run.aside for run in structure.runs)]
    return [aside for aside in every if aside is not None]


def _join_votes(run: VoteRun, casts: list[UnlinkedVote], old: str, new: str) -> None:
    """One person has one vote in a run, the later of what both names cast."""
    if (vote := run.voters.pop(old, None)) is None:
        return
    if new not in run.voters:
        run.voters[new] = vote
        return
    within = [
        unlinked_vote
        for unlinked_vote in casts
        if run.first <= unlinked_vote.place <= run.last and unlinked_vote.re == run.re
    ]
    both = [unlinked_vote for unlinked_vote in within if unlinked_vote.who in (old, new)]
    if both and both[-1].who == old:
        run.voters[new] = vote
    if not (both and both[0].remarks):
        run.bare -= 1


def _remember(cast: UnlinkedVote, reaction: Reaction | None, stood: Position | None) -> None:
    """Note what else its caster had said before, where that is later than what is known."""
    if reaction is not None and _since(cast.was) < reaction.origin.cites[0].n < cast.n:
        cast.was = reaction
    before = 0 if cast.stood is None else cast.stood.cite.n
    if stood is not None and before < stood.cite.n < cast.n:
        cast.stood = stood


def _since(reaction: Reaction | None) -> int:
    return 0 if reaction is None else reaction.origin.cites[0].n


def _position(memory: Memory, name: str, on: Proposal) -> Position | None:
    person = memory.participants.get(name)
    return None if person is None else person.positions.get(on.handle)
