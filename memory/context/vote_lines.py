"""Votes as lines of a context. Nothing of a secret one says who chose what, or what leads."""

from __future__ import annotations

from parley.memory.context.item_lines import line, names
from parley.memory.state.vote_state import Vote
from parley.memory.voting.electorate import waits_for
from parley.memory.voting.outcomes import counted, counts_text

_OPTIONS_CHARS = 400
_COUNTS_CHARS = 300


def vote_lines(vote: Vote, name: str | None, *, short: bool = False) -> str:
    """A vote that runs: the question, the options, who has yet to vote, and how it stands.

    `name` is told that its own ballot is missing.
    """
    if vote.status == "called":
        return f"{_head(vote)} waits to be agreed to: {line(vote.question)}"
    waiting = waits_for(vote)
    own = "; yours is missing" if name in waiting else ""
    head = f"{_head(vote)} is open{own}: {line(vote.question)}"
    if short:
        return head
    rows = [head, f"  options: {line(', '.join((*vote.options, 'abstain')), _OPTIONS_CHARS)}"]
    if waiting:
        rows.append(f"  not voted yet: {names(waiting)}")
    if vote.ballots and not vote.secret:
        counts = counts_text(vote.options, counted(vote).tally)
        rows.append(f"  so far: {line(counts, _COUNTS_CHARS)}")
    return "\n".join(rows)


def lost_line(vote: Vote) -> str:
    """A vote that carried nothing: its question is open still."""
    counts = line(counts_text(vote.options, vote.tally), _COUNTS_CHARS)
    why = "had no quorum" if vote.status == "short" else "carried nothing"
    return f"{_head(vote)} {why} ({counts}): {line(vote.question)}"


def _head(vote: Vote) -> str:
    secret = ", secret" if vote.secret else ""
    on = "" if vote.proposal is None else f" on P{vote.proposal}"
    return f"- {vote.handle} ({vote.rule.replace('_', ' ')}{secret}){on}"
