"""Votes that name nothing, and which proposal each is on so far.

A vote counts for the proposal that it is nearest to, and moves where a line that
stands between turns out to be one.
"""

from __future__ import annotations

from typing import Final

from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.structure.line_wording import READ
from parley.memory.extraction.structure.marking_style import note_stray_vote
from parley.memory.extraction.structure.restatements import AGAIN
from parley.memory.extraction.structure.scribes import add_scribe_note, is_by_unofficial_scribe
from parley.memory.items import decisions, proposals
from parley.memory.items.links import Link
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Cite, How, Origin, Proposal, Reaction, Stance
from parley.memory.state.line_state import REACH, Structure, UnlinkedVote, WindowLine
from parley.memory.state.memory import Memory

_STANCES: Final[dict[str, Stance]] = {
    "support": "support", "oppose": "oppose", "abstain": "neutral",
}  # fmt: skip


def replied_entry(memory: Memory, detection: Detection, re: int | str | None) -> int:
    """The entry that a stance replies to and that is no item so far, else 0."""
    if not isinstance(re, int) or detection.refs or detection.act not in _STANCES:
        return 0
    outright = detection.vote or detection.how == "act"
    return re if outright and memory.known(re) is None else 0


def keep_vote(moment: FoldStep, detection: Detection, link: Link | None, re: int = 0) -> bool:
    """Keep a vote that names no item; True where it counts for `link`'s proposal at once.

    It waits where a line nearer than that proposal may turn out to be what it
    is on, and the proposal is settled: it cannot be moved from there again. One in
    reply to entry `re` waits for that to turn out to be a proposal.
    """
    memory = moment.memory
    structure = memory.structure
    while structure.casts and structure.casts[0].place < memory.messages - REACH:
        del structure.casts[0]
    proposal = link.item if link is not None and isinstance(link.item, Proposal) else None
    several = bool(structure.casts) and structure.casts[-1].n == moment.n
    taken = UnlinkedVote(
        n=moment.n, place=memory.messages, who=moment.participant,
        stance=_STANCES[detection.act],
        conditional=detection.conditional, start=detection.start, end=detection.end,
        rule=add_scribe_note(memory, moment.typist, detection.rule) or "",
        confidence=detection.confidence,
        text=moment.content[detection.start :][:READ], typist=moment.typist, at=moment.at, re=re,
    )  # fmt: skip
    if proposal is not None and not _waits(memory, proposal):
        _count_for(memory, proposal, taken)
    _keep(structure, taken)
    if proposal is None and not several:
        note_stray_vote(moment)
    return taken.on > 0


def gather_votes(moment: FoldStep, made: Proposal) -> int:
    """Count the votes in reach that are on `made`, now that it is one; how many they are."""
    memory = moment.memory
    casts = memory.structure.casts
    on = [
        unlinked_vote
        for unlinked_vote in casts
        if unlinked_vote.n > made.born and _nearest(memory, unlinked_vote) is made
    ]
    moving = [unlinked_vote for unlinked_vote in on if _may_move(memory, made, unlinked_vote)]
    for unlinked_vote in reversed(
        moving
    ):  # the newest first: what it puts back may be one that moves too
        _take_back(moment, made, unlinked_vote)
    for unlinked_vote in moving:
        _recast(moment, made, unlinked_vote)
    return len(on)


def _waits(memory: Memory, proposal: Proposal) -> bool:
    """True where a vote could not be moved from `proposal`, and a line is nearer than it."""
    nearer = any(line.n > proposal.born and not line.handles for line in memory.structure.lines)
    return nearer and (proposal.status != "active" or proposal.ref in memory.resolving)


def _keep(structure: Structure, taken: UnlinkedVote) -> None:
    """Keep `taken`; of several votes in one message on one thing the last one stands."""
    before = structure.casts[-1] if structure.casts else None
    if before is not None and (before.n, before.on) == (taken.n, taken.on):
        taken.was, taken.stood = before.was, before.stood
        del structure.casts[-1]
    structure.casts.append(taken)


def _nearest(memory: Memory, cast: UnlinkedVote) -> Proposal | None:
    """The proposal that a vote is on: the last born before it, or at the line it replies to."""
    proposal: Proposal | None = None
    for line in memory.structure.lines:
        if line.n == cast.re or (not cast.re and line.n < cast.n):
            for handle in line.handles:
                item = memory.item(handle)
                if isinstance(item, Proposal) and not item.candidate:
                    proposal = item
    return proposal


def _may_move(memory: Memory, made: Proposal, cast: UnlinkedVote) -> bool:
    """True unless `keep_vote` is on `made` already, or on what is settled or nearer to it."""
    before = memory.proposal(cast.on) if cast.on else None
    if before is None:
        return True
    farther = before.candidate or before.born <= made.born
    return before is not made and before.status == "active" and farther


def _as_cast(moment: FoldStep, cast: UnlinkedVote) -> FoldStep:
    """The entry of `keep_vote` as a moment of its own."""
    who = moment.memory.named(cast.who)
    then = moment.earlier(cast.n, who, cast.text, cast.start, cast.at)
    then.typist = cast.typist
    return then


def _take_back(moment: FoldStep, made: Proposal, cast: UnlinkedVote) -> None:
    """Count `keep_vote`, which is on `made`, no longer for what it was taken to be on."""
    before = moment.memory.proposal(cast.on) if cast.on else None
    if before is not None and proposals.take_back_reaction(moment.memory, before, cast):
        decisions.unfollow_reaction(moment.memory, before, cast)
        then = _as_cast(moment, cast)
        then.record_fact(
            "reaction.moved", before.handle, participant=then.participant, to=made.handle
        )


def _recast(moment: FoldStep, made: Proposal, cast: UnlinkedVote) -> None:
    """Count `keep_vote` for `made`."""
    then = _as_cast(moment, cast)
    _count_for(moment.memory, made, cast)
    cites = (Cite(cast.n, cast.start, cast.end), Cite(made.born))
    how: How = "act" if cast.rule.startswith("act/") else "tag"
    origin = Origin(cites, how, cast.rule, cast.confidence, "reply" if cast.re else "near")
    reaction = Reaction(cast.stance, cast.conditional, False, True, origin)
    decisions.take_side(then, made, reaction)


def _count_for(memory: Memory, proposal: Proposal, cast: UnlinkedVote) -> None:
    """Note what `keep_vote` is on, and what its caster had said of that before."""
    cast.on = proposal.ref
    cast.was = proposal.reactions.get(cast.who)
    person = memory.participants.get(cast.who)
    cast.stood = None if person is None else person.positions.get(proposal.handle)


def votes_between(memory: Memory, proposal: Proposal, line: WindowLine) -> dict[str, Stance]:
    """What others voted, naming nothing, before `line` said `proposal` again.

    A remark between may have been taken for what they are on. Votes that settled something
    by then are spent.
    """
    if line.behind is None or line.behind.n != proposal.born or line.behind.likeness < AGAIN:
        return {}
    return {
        cast.who: cast.stance
        for cast in memory.structure.casts
        if proposal.born < cast.n < line.n and not cast.re
        and not is_by_unofficial_scribe(cast.rule)
        and cast.who not in (proposal.participant, proposal.typist) and not _spent(memory, cast)
    }  # fmt: skip


def _spent(memory: Memory, cast: UnlinkedVote) -> bool:
    """True where a decision that came after `keep_vote` settled what it is on."""
    on = memory.proposal(cast.on) if cast.on else None
    decision = None if on is None else decisions.find_resolving_decision(memory, on)
    return decision is not None and cast.n < decision.born
