"""What a counted vote does: settle its proposal, ratify the decision, put sides on record."""

from __future__ import annotations

from bus.entries import BallotCompleted
from memory import decisions
from memory.compaction import compact_decisions, compact_proposals
from memory.items import Decision, Origin, Proposal, Stance
from memory.links import referred
from memory.moment import Moment
from memory.proposals import settle
from memory.ratification import ratify
from memory.sides import side


def complete(moment: Moment, entry: BallotCompleted) -> None:
    """Carry out a ballot with consensus; one without settles nothing.

    The proposal that it names is accepted, where it is still open, and the
    decision that resolves it ratified, made now if there is none. A ballot that
    names none ratifies what its content says. Where the ballot lists somebody,
    that side is theirs, whatever they said before; their own words stay the
    evidence where they said the same.
    """
    if not entry.consensus:
        return
    memory = moment.memory
    origin = moment.origin("vote", "ballot")
    named = None if entry.re is None else referred(memory, entry.re)
    if isinstance(named, Proposal):
        if named.status == "active":
            settle(moment, named, "accepted", origin)
        decision = decisions.resolved(memory, named)
        if decision is None:
            decision = decisions.enter_accepted(moment, named, origin)
    else:
        decision = named or decisions.enter_voted(moment, entry.content, origin)
    _put_sides(moment, decision, entry, origin)
    ratify(moment, decision, origin)
    compact_proposals(memory)
    compact_decisions(memory, ledger=True)


def _put_sides(moment: Moment, decision: Decision, entry: BallotCompleted, origin: Origin) -> None:
    if decision.shrunk:
        return
    sides: tuple[tuple[Stance, tuple[str, ...], dict[str, Origin]], ...] = (
        ("support", entry.supporters, decision.supporters),
        ("oppose", entry.dissenters, decision.dissenters),
        ("neutral", entry.abstainers, decision.abstainers),
    )
    for stance, names, held in sides:
        for name in map(moment.memory.named, names):
            side(decision, name, stance, held.get(name, origin))
