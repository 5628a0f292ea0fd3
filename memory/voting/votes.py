"""The life of a vote.

    called ──► open         as `vote.confirm` wants; at once where it wants nothing
    called ──► cancelled    too many do not agree, or not in time, or a newer one needs its room
    open ──► carried, failed, short    a result lands
    any ──► cancelled       a proposal that it is about was settled, or the session closed

The electorate is that of the moment it opens. A closed vote never moves again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from parley.bus.entries import BallotCast, BallotCompleted, VoteRule
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Fact
from parley.memory.state.lookup import find_vote
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Ballot, Vote
from parley.memory.text.plain_text import clip
from parley.memory.voice import VOICE
from parley.memory.voting import counted_votes
from parley.memory.voting.counting_rules import ABSTAIN, is_short
from parley.memory.voting.electorate import (
    is_attended,
    is_proposal_handle,
    may_call,
    option_proposal,
    read_choice,
)
from parley.memory.voting.outcomes import answer_line, count_vote, vote_outcome_line

WITH_BALLOTS: Final = 10  # closed votes that can be counted again at once
ROWS: Final = 50  # closed votes held at all: what a long session's minutes list


def cast_ballot(moment: FoldStep, entry: BallotCast) -> None:
    """Take a ballot in; the latest valid one of a participant counts."""
    memory, name = moment.memory, moment.participant
    vote = find_vote(memory, entry.re)
    if vote is None or vote.status != "open" or name not in vote.electorate:
        refuse_vote_entry(moment, _unheard(vote), vote)
        return
    vote.heard = moment.n
    choice = read_choice(vote, entry.choice)
    if choice is not None:
        enter_ballot(moment, vote, name, choice)
        return
    before = vote.ballots.get(name, Ballot(n=moment.n))
    tries = min(before.invalid + 1, 2)
    n = before.n if before.choice else moment.n
    vote.ballots[name] = Ballot(n=n, choice=before.choice, invalid=tries)
    moment.record_fact("ballot.invalid", vote.handle, participant=name, again=tries < 2)


def refuse_vote_entry(moment: FoldStep, reason: str, vote: Vote | None = None) -> None:
    """Tell that what the entry in hand wants of a vote is not done."""
    ref = None if vote is None else vote.handle
    moment.record_fact("vote.refused", ref, participant=moment.participant, reason=reason)


def _unheard(vote: Vote | None) -> str:
    if vote is None:
        return "no such vote"
    if vote.status != "open":
        return f"{vote.handle} is {vote.status}"
    return "is not of the electorate"


def enter_ballot(moment: FoldStep, vote: Vote, name: str, choice: tuple[str, ...]) -> None:
    """Take a valid ballot in; of a secret vote the fact does not say for what."""
    vote.ballots[name] = Ballot(n=moment.n, choice=choice)
    row: dict[str, object] = {} if vote.secret else {"choice": list(choice)}
    moment.record_fact("ballot.cast", vote.handle, participant=name, **row)


def close_with_result(moment: FoldStep, entry: BallotCompleted) -> None:
    """Carry out a result: of a vote held by ballots it closes that vote as well.

    What it says stands, as it was counted when it was published: words that are
    taken out of a ballot later change no outcome. Only an open vote takes one,
    and only from those who may call one; and none that was counted before a ballot, or
    more time, that the log has before it: that is to be counted again. The server's own, that
    nobody agreed to a vote in time, cancels one that still waits.
    """
    if entry.vote is None:
        counted_votes.complete_ballot(moment, entry)
        return
    memory = moment.memory
    vote = find_vote(memory, entry.vote)
    if vote is not None and moment.participant == VOICE and not entry.tally:
        _give_up(moment, vote)
        return
    if vote is None or vote.status != "open" or not may_call(memory, moment.participant):
        running = vote is not None and vote.status == "open"
        refuse_vote_entry(moment, "may not close a vote" if running else _unheard(vote), vote)
        return
    if entry.heard is not None and entry.heard < vote.heard:
        refuse_vote_entry(moment, f"was counted before the ballot of {vote.heard}", vote)
        return
    if entry.heard is not None and (entry.seconds or 0) != vote.seconds:
        refuse_vote_entry(moment, "was counted before it was given more time", vote)
        return
    attended = is_attended(memory, vote, entry.carried)
    carried = entry.carried if attended else None
    vote.carried = carried and clip(carried, 128)
    vote.rule = entry.rule or vote.rule
    known = (*vote.options, ABSTAIN)
    vote.tally = {option: entry.tally[option] for option in known if option in entry.tally}
    cast = sum(entry.tally.values())
    short = carried is None and (
        not attended or is_short(vote.rule, cast, vote.electorate, vote.quorum)
    )
    status = "carried" if carried is not None else "short" if short else "failed"
    if vote.secret and short:
        vote.tally = {}  # of so few ballots the counts would say whose they are
    memory.votes.counted += 1
    end_vote(moment, vote, status)
    if carried is not None:
        counted_votes.carry_out_vote(moment, entry, vote)


def _give_up(moment: FoldStep, vote: Vote) -> None:
    """Cancel `vote` where it still waits to be agreed to; it may have been just now."""
    if vote.status == "called":
        end_vote(moment, vote, "cancelled", "not agreed to in time")
    else:
        refuse_vote_entry(moment, f"{vote.handle} is {vote.status}", vote)


def end_vote(moment: FoldStep, vote: Vote, status: str, reason: str = "") -> None:
    """Close `vote`, for good; `reason` where it was not counted."""
    votes = moment.memory.votes
    vote.status, vote.closed = status, moment.n
    votes.running.remove(vote.ref)
    data: dict[str, object] = {"reason": reason} if reason else {}
    moment.record_fact(
        "vote.closed", vote.handle, status=status, carried=vote.carried, rule=vote.rule,
        tally=vote.tally, **data,
    )  # fmt: skip
    _let_go(moment.memory)


def _let_go(memory: Memory) -> None:
    """Keep the ballots of the newest few closed votes, and the rows of some more."""
    votes = memory.votes.by_ref
    closed = sorted((vote for vote in votes.values() if vote.closed), key=_newest_first)
    for vote in closed[WITH_BALLOTS:]:
        vote.ballots, vote.electorate, vote.agreed = {}, {}, {}
    for vote in closed[ROWS:]:
        del votes[vote.ref]


def _newest_first(vote: Vote) -> tuple[int, int]:
    return -vote.closed, -vote.ref


def compute_result(memory: Memory, ref: int, rule: VoteRule | None = None) -> BallotCompleted:
    """The result of vote `ref` as its ballots stand, to be published under `result_id` of it.

    A function of the log alone, so whoever publishes it first publishes the same.
    `consensus` says that something is accepted; of a secret vote nobody is named.
    Of one that still waits to be agreed to it counts nothing, and cancels it.
    """
    vote = memory.votes.by_ref[ref]
    if vote.status == "called":
        outcome_line = answer_line(vote, "not agreed to")
        return BallotCompleted(
            participant=VOICE, consensus=False, content=outcome_line, vote=vote.n
        )
    result = count_vote(vote, rule)
    if not is_attended(memory, vote, result.carried):
        result = replace(result, status="short", carried=None)
    on = vote.proposal is not None and (result.carried or "accept") in ("accept", "reject")
    about = f"P{vote.proposal}" if on else result.carried
    sides = (
        ((), (), ()) if vote.secret else (result.supporters, result.dissenters, result.abstainers)
    )
    return BallotCompleted(
        participant=VOICE,
        consensus=result.carried not in (None, "reject"),
        content=vote_outcome_line(vote, result),
        re=about if on or is_proposal_handle(about or "") else None,
        supporters=sides[0],
        dissenters=sides[1],
        abstainers=sides[2],
        vote=vote.n,
        heard=vote.heard,
        carried=result.carried,
        rule=rule or result.rule,
        tally=result.tally,
        seconds=vote.seconds or None,
    )


# -- what other entries do to votes that run -----------------------------------


def follow_votes(memory: Memory, n: int, facts: Sequence[Fact]) -> list[Fact]:
    """What entry `n`, which brought `facts` about, does to the votes that run."""
    moment = FoldStep(memory, n, "", "", None)
    for fact in facts:
        if fact.kind == "reaction.changed":
            _hear_objection(moment, fact)
    for ref in list(memory.votes.running):
        vote = memory.votes.by_ref[ref]
        if gone := _settled(memory, vote):
            end_vote(moment, vote, "cancelled", gone)
    if memory.closed is not None:
        for ref in list(memory.votes.running):
            end_vote(moment, memory.votes.by_ref[ref], "cancelled", "the session was closed")
    return moment.facts


def _hear_objection(moment: FoldStep, fact: Fact) -> None:
    """Under consent, words for or against the proposal are a ballot."""
    words = {"support": "accept", "oppose": "reject"}
    choice = words.get(str(fact.data["stance"]))
    if "typist" in fact.data and not fact.data["counted"]:
        return  # nobody's ballot is in a scribe's hands
    if choice is None or (
        choice == "accept" and (fact.data["conditional"] or not fact.data["counted"])
    ):
        return
    for ref in moment.memory.votes.running:
        vote = moment.memory.votes.by_ref[ref]
        proposal = None if vote.proposal is None else moment.memory.proposal(vote.proposal)
        name = str(fact.data["participant"])
        if (
            vote.rule == "consent"
            and proposal is not None
            and proposal.handle == fact.ref
            and name in vote.electorate
            and choice in vote.options
        ):
            vote.heard = moment.n
            enter_ballot(moment, vote, name, (choice,))


def _settled(memory: Memory, vote: Vote) -> str:
    """What became of a proposal that `vote` is about, in words; "" while all of them stand."""
    about = [option for option in vote.options if is_proposal_handle(option)]
    if vote.proposal is not None:
        about.append(f"P{vote.proposal}")
    for handle in about:
        proposal = option_proposal(memory, handle)
        if proposal is None:
            return f"{handle} was retracted"
        if proposal.status != "active":
            return f"{handle} is {proposal.status}"
    return ""


def merge_voters(memory: Memory, old: str, new: str) -> None:
    """Make one voter of two, because two names are one participant: the later word stands."""
    for vote in memory.votes.by_ref.values():
        vote.by = new if vote.by == old else vote.by
        if old in vote.agreed:
            agreed = vote.agreed.pop(old)
            vote.agreed.setdefault(new, agreed)
        if old in vote.electorate:
            weight = vote.electorate.pop(old)
            vote.electorate.setdefault(new, weight)
        if (ballot := vote.ballots.pop(old, None)) is not None:
            other = vote.ballots.get(new)
            both = [ballot] if other is None else [ballot, other]
            vote.ballots[new] = max(both, key=lambda ballot: (bool(ballot.choice), ballot.n))
