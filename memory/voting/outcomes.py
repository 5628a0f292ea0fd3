"""What the ballots of a vote come to, and how that is said. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from parley.bus.entries import VoteRule
from parley.memory.state.vote_state import Vote
from parley.memory.text.plain_text import clip
from parley.memory.voting.counting_rules import ABSTAIN, VoteResult, count_ballots

_TALLY_CHARS = 1000  # of counts in words; fifty options with long names would be pages


def count_vote(vote: Vote, rule: VoteRule | None = None, quorum: int | None = None) -> VoteResult:
    """The ballots of `vote` as they stand, counted under its own rule or another.

    A ranked ballot counts under the other rules as its first choice; a single
    choice counts in a ranked vote as a ballot that ranks one.
    """
    valid = {name: ballot.choice for name, ballot in vote.ballots.items() if ballot.choice}
    asked = vote.quorum if quorum is None else quorum
    return count_ballots(rule or _vote_rule(vote), vote.options, valid, vote.electorate, asked)


def _vote_rule(vote: Vote) -> VoteRule:
    """The rule it was called under; what a store holds as text."""
    rule: VoteRule = vote.rule  # type: ignore[assignment]  # parsed at the border
    return rule


def vote_outcome_line(vote: Vote, result: VoteResult) -> str:
    """The outcome on one line: the question, what carried, the counts."""
    what = result.carried or ("no quorum" if result.status == "short" else "nothing carried")
    if vote.secret and result.status == "short":
        counts = f"{sum(result.tally.values())} voted"
    else:
        counts = clip(counts_text(vote.options, result.tally), _TALLY_CHARS)
    return f"{answer_line(vote, what)}. {vote.handle}, {vote.rule.replace('_', ' ')}: {counts}"


def answer_line(vote: Vote, what: str) -> str:
    """The question and what it came to."""
    mark = "" if vote.question.endswith(("?", "!", ".", ":")) else ":"
    return f"{vote.question}{mark} {what}"


def counts_text(options: Sequence[str], counts: dict[str, int]) -> str:
    """Weight by option, in the order of the options, `abstain` last where somebody did."""
    shown = [f"{option} {counts.get(option, 0)}" for option in options]
    if counts.get(ABSTAIN):
        shown.append(f"{ABSTAIN} {counts[ABSTAIN]}")
    return ", ".join(shown)
