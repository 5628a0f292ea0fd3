"""Calling a vote: who may, on what, and what has to be agreed before it opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from parley.bus.entries import MAX_VOTE_SECONDS, VoteConfirmed, VoteInitiated, VoteRule
from parley.memory.extraction.structure.marking_style import make_firm
from parley.memory.items.links import find_referred
from parley.memory.items.proposals import note_mention
from parley.memory.items.ratification import list_opponents, list_supporters
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Proposal
from parley.memory.state.lookup import find_running_vote
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.text.plain_text import clip, one_line
from parley.memory.voting.counting_rules import ABSTAIN
from parley.memory.voting.electorate import (
    is_proposal_handle,
    list_electorate,
    may_call,
    option_proposal,
    write_option,
)
from parley.memory.voting.votes import end_vote, enter_ballot, refuse_vote_entry

RUNNING: Final = 10  # at once: a group that votes on more than this at a time votes on nothing
OPTIONS: Final = 50  # of one vote: ranking them takes the cube of it
_QUESTION_CHARS: Final = 300


def call_vote(moment: FoldStep, entry: VoteInitiated) -> None:
    """Take a vote in, and open it where nobody has to agree first."""
    memory = moment.memory
    if reason := call_refusal(memory, moment.participant, entry):
        refuse_vote_entry(moment, reason)
        return
    vote = _made(moment, entry)
    _make_room(moment)
    memory.votes.by_ref[vote.ref] = vote
    memory.votes.running.append(vote.ref)
    memory.votes.next += 1
    for handle in (f"P{vote.proposal}", *vote.options):
        if is_proposal_handle(handle) and (proposal := option_proposal(memory, handle)) is not None:
            proposal.voted = True
            make_firm(moment, proposal)
    given = {"seconds": vote.seconds} if vote.seconds else {}
    moment.record_fact(
        "vote.called",
        vote.handle,
        participant=vote.by,
        question=vote.question,
        proposal=None if vote.proposal is None else f"P{vote.proposal}",
        options=list(vote.options),
        rule=vote.rule,
        secret=vote.secret,
        quorum=vote.quorum,
        **given,
    )
    _open_if_agreed(moment, vote)


def _options(given: Sequence[str]) -> tuple[str, ...]:
    """The options by id, each once, whatever its case."""
    options: dict[str, str] = {}
    for option in given:
        named = write_option(option)
        options.setdefault(named.casefold(), named)
    return tuple(options.values())


def call_refusal(memory: Memory, name: str, entry: VoteInitiated) -> str:
    """Why a vote that `name` calls with `entry` is not held; "" where it is."""
    item = None if entry.re is None else find_referred(memory, entry.re)
    standing = [memory.votes.by_ref[ref] for ref in memory.votes.running]
    if memory.closed is not None:
        return "the session is closed"
    if not may_call(memory, name):
        return "may not call a vote"
    if not list_electorate(memory):
        return "nobody is there to vote"
    if _rule(memory, entry) == "consent" and _is_secret(memory, entry):
        return "a vote by consent cannot be secret: an objection ends it"
    if len(standing) >= RUNNING and all(vote.status == "open" for vote in standing):
        return f"{RUNNING} votes are open"
    if isinstance(item, Proposal):
        if item.status != "active":
            return f"{item.handle} is {item.status}"
        if any(vote.proposal == item.ref for vote in standing):
            return f"a vote on {item.handle} is under way"
    elif entry.re is not None:
        return f"{entry.re} is no proposal"
    return _unfit(memory, _options(entry.options)) if entry.options else ""


def _unfit(memory: Memory, options: tuple[str, ...]) -> str:
    """Why these are no options to choose among; "" where they are."""
    if not 2 <= len(options) <= OPTIONS:
        return f"a vote has 2 to {OPTIONS} options"
    if ABSTAIN in {option.casefold() for option in options}:
        return f"{ABSTAIN} is always an option, and never one that is asked for"
    gone = [option for option in options if _is_gone(memory, option)]
    return f"{gone[0]} is no proposal that is open" if gone else ""


def _is_gone(memory: Memory, option: str) -> bool:
    proposal = option_proposal(memory, option)
    return is_proposal_handle(option) and (proposal is None or proposal.status != "active")


def _rule(memory: Memory, entry: VoteInitiated) -> VoteRule:
    return entry.rule or memory.settings.vote.rule


def _is_secret(memory: Memory, entry: VoteInitiated) -> bool:
    return memory.settings.vote.secret if entry.secret is None else entry.secret


def _made(moment: FoldStep, entry: VoteInitiated) -> Vote:
    memory = moment.memory
    settings = memory.settings.vote
    proposal = None if entry.re is None else find_referred(memory, entry.re)
    options = _options(entry.options)
    given: dict[str, Any] = {"options": options} if options else {}
    return Vote(
        ref=moment.memory.votes.next,
        n=moment.n,
        by=moment.participant,
        question=clip(one_line(entry.content), _QUESTION_CHARS),
        proposal=None if proposal is None else proposal.ref,
        rule=_rule(memory, entry),
        secret=_is_secret(memory, entry),
        quorum=settings.quorum if entry.quorum is None else entry.quorum,
        window=entry.window or settings.window,
        seconds=min(max(0, entry.seconds or 0), MAX_VOTE_SECONDS),
        agreed={moment.participant: True},
        **given,
    )


def _make_room(moment: FoldStep) -> None:
    """Cancel the oldest vote that still waits for confirmations, where too many are under way."""
    votes = moment.memory.votes
    if len(votes.running) >= RUNNING:
        waiting = [ref for ref in votes.running if votes.by_ref[ref].status == "called"]
        end_vote(moment, votes.by_ref[waiting[0]], "cancelled", "a newer vote was called")


def _open_if_agreed(moment: FoldStep, vote: Vote) -> None:
    """Open `vote`, or cancel it, where the confirmations decide it."""
    memory, wanted = moment.memory, moment.memory.settings.vote.confirm
    electors = list_electorate(memory)
    yes = sum(vote.agreed.get(name) is True for name in electors)
    no = sum(vote.agreed.get(name) is False for name in electors)
    needed = {"none": 0, "majority": len(electors) // 2 + 1, "all": len(electors)}[wanted]
    if yes < needed:
        if len(electors) - no < needed:
            end_vote(moment, vote, "cancelled", "not agreed to")
        return
    vote.status, vote.opened, vote.electorate = "open", memory.messages, electors
    moment.record_fact("vote.opened", vote.handle, rule=vote.rule, electorate=sorted(electors))
    proposal = None if vote.proposal is None else memory.proposal(vote.proposal)
    if proposal is not None:
        note_mention(memory, proposal)
        if vote.rule == "consent":
            _enter_sides(moment, vote, proposal)


def _enter_sides(moment: FoldStep, vote: Vote, proposal: Proposal) -> None:
    """Under consent, what was said for or against the proposal before is a ballot."""
    supporters, opponents = list_supporters(proposal), list_opponents(proposal)
    for name in sorted(vote.electorate):
        if name in opponents:
            enter_ballot(moment, vote, name, ("reject",))
        elif name in supporters:
            enter_ballot(moment, vote, name, ("accept",))


def confirm_vote(moment: FoldStep, entry: VoteConfirmed) -> None:
    """Count one's word on whether a vote is held now; without `re` on the newest called."""
    memory, name = moment.memory, moment.participant
    vote = find_running_vote(memory, entry.re, "called")
    if vote is None or name not in list_electorate(memory):
        no_vote = "no such vote waits to be agreed to"
        refuse_vote_entry(moment, no_vote if vote is None else "is not of the electorate", vote)
        return
    vote.agreed[name] = entry.agreed
    moment.record_fact("vote.confirmed", vote.handle, participant=name, agreed=entry.agreed)
    _open_if_agreed(moment, vote)
