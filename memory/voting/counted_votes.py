"""What a counted vote does: settle its proposals, ratify the decision, put sides on record."""

from __future__ import annotations

from parley.bus.entries import BallotCompleted
from parley.memory.items import decisions
from parley.memory.items.decision_sides import put_on_side
from parley.memory.items.item_caps import compact_decisions, compact_proposals
from parley.memory.items.links import find_referred
from parley.memory.items.proposals import settle_proposal
from parley.memory.items.ratification import may_bind, ratify_decision
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Cite, Decision, Origin, Proposal, Stance
from parley.memory.state.vote_state import Vote
from parley.memory.voting.counting_rules import ABSTAIN
from parley.memory.voting.electorate import is_attended, is_proposal_handle, option_proposal
from parley.memory.voting.outcomes import answer_line

Sides = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]  # for, against, neither


def complete_ballot(moment: FoldStep, entry: BallotCompleted) -> None:
    """Carry out a ballot with consensus; one without settles nothing.

    It counts if it lists enough others than the proposer, or than who held it, or a chair held it.
    The proposal that it names is accepted, where it is still open, and the
    decision that resolves it ratified, made now if there is none. A ballot that
    names none ratifies what its content says. Where the ballot lists somebody,
    that side is theirs, whatever they said before; their own words stay the
    evidence where they said the same.
    """
    if entry.consensus and _is_attended(moment, entry):
        _accept(moment, entry.re, entry.content, _sides(entry), moment.origin("vote", "ballot"))


def _is_attended(moment: FoldStep, entry: BallotCompleted) -> bool:
    if may_bind(moment):
        return True
    named = None if entry.re is None else find_referred(moment.memory, entry.re)
    apart = (moment.participant,) if named is None else (named.participant, named.typist)
    listed = {moment.memory.named(name) for side in _sides(entry) for name in side}
    return len(listed.difference(apart)) >= moment.memory.settings.ratify.quorum


def carry_out_vote(moment: FoldStep, entry: BallotCompleted, vote: Vote) -> None:
    """Do what `vote` carried: accept or reject its proposal, or decide for an option.

    Of several proposals the one that won is accepted and the others are
    rejected. An option in words is a decision on the question. What is no option
    of the vote does nothing, unless words that say so were redacted. Of a secret
    vote no sides go on record.
    """
    option = entry.carried
    if option is None or (option not in vote.options and not _is_worded(moment, vote, option)):
        return
    sides: Sides = ((), (), ()) if vote.secret else _sides(entry)
    origin = moment.origin("vote", f"vote.{vote.rule}", also=(Cite(vote.n),))
    on = option if vote.proposal is None or is_proposal_handle(option) else f"P{vote.proposal}"
    if option == "reject":
        _reject(moment, on, origin)
    elif is_proposal_handle(option) or (option == "accept" and is_proposal_handle(on)):
        _accept(moment, on, "", sides, origin, vote)
        for other in vote.options:
            is_other = is_proposal_handle(other) and other != option
            if is_other and is_attended(moment.memory, vote, other):
                _reject(moment, other, origin)
    else:
        moment.topic = vote.question
        _accept(moment, None, answer_line(vote, option), sides, origin, vote)
    compact_proposals(moment.memory)


def _is_worded(moment: FoldStep, vote: Vote, option: str) -> bool:
    """True where `option` may have been one in words: its own, or those of `vote`, are gone."""
    if is_proposal_handle(option) or option in ("accept", "reject", ABSTAIN):
        return False
    asked = any(option.startswith(f"redacted {vote.n}.") for option in vote.options)
    return asked or option == f"redacted {moment.n}"


def _reject(moment: FoldStep, handle: str, origin: Origin) -> None:
    proposal = option_proposal(moment.memory, handle)
    if proposal is not None and proposal.status == "active":
        settle_proposal(moment, proposal, "rejected", origin)


def _accept(
    moment: FoldStep,
    about: int | str | None,
    text: str,
    sides: Sides,
    origin: Origin,
    vote: Vote | None = None,
) -> None:
    memory = moment.memory
    named = None if about is None else find_referred(memory, about)
    if isinstance(named, Proposal):
        if named.status == "active":
            settle_proposal(moment, named, "accepted", origin)
        decision = decisions.find_resolving_decision(memory, named)
        if decision is None:
            decision = decisions.decide_accepted(moment, named, origin)
    else:
        decision = named or decisions.decide_voted(moment, text, origin)
    _put_sides(moment, decision, sides, origin, vote)
    ratify_decision(moment, decision, origin)
    compact_proposals(memory)
    compact_decisions(memory, ledger=True)


def _sides(entry: BallotCompleted) -> Sides:
    return entry.supporters, entry.dissenters, entry.abstainers


def _put_sides(
    moment: FoldStep, decision: Decision, sides: Sides, origin: Origin, vote: Vote | None
) -> None:
    """Put everybody where the ballots have them; one's own ballot, with its reason, shows it."""
    if decision.shrunk:
        return
    papers = {} if vote is None else vote.ballots
    shown = {
        name: Origin((Cite(paper.n), *origin.cites), origin.how, origin.rule)
        for name, paper in papers.items()
    }
    stances: tuple[Stance, ...] = ("support", "oppose", "neutral")
    current = (decision.supporters, decision.dissenters, decision.abstainers)
    for stance, names, before in zip(stances, sides, current, strict=True):
        for name in map(moment.memory.named, names):
            shows = before.get(name) or shown.get(name, origin)
            put_on_side(moment.memory, decision, name, stance, shows)
