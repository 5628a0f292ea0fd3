"""Votes as lines of a context. Nothing of a secret one says who chose what, or what leads."""

from __future__ import annotations

from parley.memory.context.item_lines import names_text, quoted_line
from parley.memory.state.vote_state import Vote
from parley.memory.voting.electorate import list_missing_voters
from parley.memory.voting.outcomes import count_vote, counts_text

_OPTIONS_CHARS = 400
_COUNTS_CHARS = 300


def vote_lines(vote: Vote, name: str | None, *, short: bool = False) -> str:
    """A vote that runs: the question, the options, who has yet to vote, and how it stands.

    `name` is told that its own ballot is missing.
    """
    if vote.status == "called":
        return f"{_head(vote)} waits to be agreed to: {quoted_line(vote.question)}"
    waiting = list_missing_voters(vote)
    own = "; yours is missing" if name in waiting else ""
    head = f"{_head(vote)} is open{own}: {quoted_line(vote.question)}"
    if short:
        return head
    rows = [
        head,
        f"  options, besides abstain: {quoted_line(', '.join(vote.options), _OPTIONS_CHARS)}",
    ]
    if waiting:
        rows.append(f"  not voted yet: {names_text(waiting)}")
    if vote.ballots and not vote.secret:
        counts = counts_text(vote.options, count_vote(vote).tally)
        rows.append(f"  so far: {quoted_line(counts, _COUNTS_CHARS)}")
    return "\n".join(rows)


def failed_vote_line(vote: Vote) -> str:
    """A vote that carried nothing: its question is open still."""
    counts = quoted_line(counts_text(vote.options, vote.tally), _COUNTS_CHARS)
    why = "had no quorum" if vote.status == "short" else "carried nothing"
    return f"{_head(vote)} {why} ({counts}): {quoted_line(vote.question)}"


def _head(vote: Vote) -> str:
    secret = ", secret" if vote.secret else ""
    on = "" if vote.proposal is None else f" on P{vote.proposal}"
    return f"- {vote.handle} ({vote.rule.replace('_', ' ')}{secret}){on}"
