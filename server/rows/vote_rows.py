"""Votes as rows: for JSON, for minutes, for a terminal. Pure.

Of a secret vote no row says who chose what, and while it is open not what leads.
"""

from __future__ import annotations

from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.counting_rules import ABSTAIN, VoteResult, pairwise_preferences
from parley.memory.voting.electorate import list_electorate, list_missing_voters
from parley.memory.voting.outcomes import count_vote
from parley.server.rows.cite_rows import Row, handle_of


def vote_row(memory: Memory, vote: Vote) -> Row:
    """A vote as memory holds it; `ballots` is None of a secret one, and where the log has them.

    `ends_ms` is None: memory has no clock (`server.queries.vote_ends`).
    """
    from parley.memory.voting.vote_advice import tell_short  # few talks have votes

    called, has_electorate = vote.status == "called", bool(vote.electorate)
    electors = list_electorate(memory) if called else vote.electorate
    waiting = (
        [name for name in electors if name not in vote.agreed]
        if called
        else list_missing_voters(vote)
    )
    return {
        "ref": vote.handle,
        "status": vote.status,
        "question": vote.question,
        "proposal": handle_of("P", vote.proposal),
        "options": list(vote.options),
        "rule": vote.rule,
        "secret": vote.secret,
        "quorum": vote.quorum,
        "participant": vote.by,
        "n": vote.n,
        "closed_n": vote.closed or None,
        "electorate": dict(sorted(electors.items())),
        "waiting": sorted(waiting) if called or vote.status == "open" else [],
        "voted": len([ballot for ballot in vote.ballots.values() if ballot.choice])
        if has_electorate
        else None,
        "ballots": _choices(vote) if has_electorate and not vote.secret else None,
        "carried": vote.carried,
        "tally": _tally(vote),
        "ends_ms": None,
        "missing": tell_short(memory, vote),
    }


def _choices(vote: Vote) -> dict[str, list[str]]:
    return {name: list(ballot.choice) for name, ballot in sorted(vote.ballots.items())}


def _tally(vote: Vote) -> dict[str, int] | None:
    if vote.status != "open":
        options = (*vote.options, ABSTAIN)
        return {option: vote.tally[option] for option in options if option in vote.tally} or None
    return None if vote.secret else count_vote(vote).tally


def count_row(vote: Vote, result: VoteResult, quorum: int | None = None) -> Row:
    """One count of the ballots of `vote`; of a ranked one also who beats whom by what weight."""
    valid = {name: ballot.choice for name, ballot in vote.ballots.items() if ballot.choice}
    pairs = (
        pairwise_preferences(vote.options, valid, vote.electorate)
        if result.rule == "ranked"
        else {}
    )
    named = not vote.secret
    return {
        "rule": result.rule,
        "quorum": vote.quorum if quorum is None else quorum,
        "status": result.status,
        "carried": result.carried,
        "tally": result.tally,
        "supporters": list(result.supporters) if named else None,
        "dissenters": list(result.dissenters) if named else None,
        "abstainers": list(result.abstainers) if named else None,
        "pairs": [[option, other, weight] for (option, other), weight in pairs.items()],
    }
