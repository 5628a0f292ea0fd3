"""Counting ballots under a rule. Pure, integers only; no order of ballots or names matters.

The same ballots may be counted under one rule and then another. A ranked vote is
counted by Schulze's method (M. Schulze, "A new monotonic, clone-independent,
reversal symmetric, and Condorcet-consistent single-winner election method",
Social Choice and Welfare 36, 2011): an option beats another when the strongest
chain of pairwise wins from it is stronger than the strongest one back, a chain
being as strong as its weakest link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from parley.bus.entries import VoteRule

ABSTAIN: Final = "abstain"

Choice = tuple[str, ...]  # one option, `abstain`, or of a ranked vote several, best first
Ballots = Mapping[str, Choice]  # by name
Electorate = Mapping[str, int]  # weight by name
Outcome = Literal["carried", "failed", "short"]
Pairs = dict[tuple[str, str], int]  # weight that prefers the first to the second


@dataclass(frozen=True, slots=True)
class VoteResult:
    """What ballots come to; names in alphabetical order.

    `count_ballots` has every option and `abstain`; of a ranked vote it counts first
    choices. Supporters chose what carried; of a question to accept, whoever
    would accept, whatever carried.
    """

    rule: VoteRule
    status: Outcome
    carried: str | None
    tally: dict[str, int]
    supporters: tuple[str, ...]
    dissenters: tuple[str, ...]
    abstainers: tuple[str, ...]


def count_ballots(
    rule: VoteRule, options: Sequence[str], ballots: Ballots, electorate: Electorate, quorum: int
) -> VoteResult:
    """`ballots` counted under `rule`; `quorum` is per mille of the electorate's weight.

    Ballots of others than the electorate, and ballots for nothing that is an
    option, count for nothing. Under consent silence is a yes, so no quorum is asked.
    """
    cast = {
        name: ballots[name]
        for name in sorted(ballots)
        if name in electorate and _first(ballots[name]) in (*options, ABSTAIN)
    }
    weights = dict.fromkeys((*options, ABSTAIN), 0)
    for name, choice in cast.items():
        weights[choice[0]] += electorate[name]
    if is_short(rule, sum(weights.values()), electorate, quorum):
        return _result(rule, "short", None, options, cast, weights)
    carried = _carried(rule, options, cast, electorate, weights)
    status: Outcome = "failed" if carried is None else "carried"
    return _result(rule, status, carried, options, cast, weights)


def _first(choice: Choice) -> str | None:
    return choice[0] if choice else None


def is_short(rule: str, cast: int, electorate: Electorate, quorum: int) -> bool:
    """True where ballots of the weight `cast` are below `quorum`, per mille of the whole."""
    if rule == "consent" or not quorum:
        return False
    return not cast or cast * 1000 < quorum * sum(electorate.values())


def _carried(
    rule: VoteRule,
    options: Sequence[str],
    ballots: Ballots,
    electorate: Electorate,
    weights: Mapping[str, int],
) -> str | None:
    chosen = sum(weights[option] for option in options)
    if rule == "consent":
        return options[0] if weights[options[0]] == chosen else None
    if not chosen:
        return None
    if rule == "ranked":
        return find_schulze_winner(options, pairwise_preferences(options, ballots, electorate))
    most = max(options, key=lambda option: weights[option])
    enough = {
        "majority": 2 * weights[most] > chosen,
        "two_thirds": 3 * weights[most] >= 2 * chosen,
        "unanimity": weights[most] == chosen,
    }
    return most if enough[rule] else None


def _result(
    rule: VoteRule,
    status: Outcome,
    carried: str | None,
    options: Sequence[str],
    cast: Ballots,
    weights: dict[str, int],
) -> VoteResult:
    wanted = "accept" if "accept" in options else carried
    sides: dict[str, list[str]] = {"for": [], "against": [], "neither": []}
    for name, choice in cast.items():
        if choice[0] == ABSTAIN:
            sides["neither"].append(name)
        elif wanted is not None:
            sides["for" if choice[0] == wanted else "against"].append(name)
    return VoteResult(rule, status, carried, weights, *map(tuple, sides.values()))


# -- ranked --------------------------------------------------------------------


def pairwise_preferences(options: Sequence[str], ballots: Ballots, electorate: Electorate) -> Pairs:
    """For each two options the weight that prefers the first to the second.

    What a ballot does not rank stands below all that it ranks, and no higher
    than the rest.
    """
    pairs = {(option, other): 0 for option in options for other in options if option != other}
    for name, choice in ballots.items():
        rank = {option: place for place, option in enumerate(choice)}
        for option, other in pairs:
            if rank.get(option, len(options)) < rank.get(other, len(options)):
                pairs[option, other] += electorate.get(name, 0)
    return pairs


def find_schulze_winner(options: Sequence[str], pairs: Pairs) -> str | None:
    """The option that beats every other; None where a tie leaves several unbeaten."""
    strength = {(a, b): won if won > pairs[b, a] else 0 for (a, b), won in pairs.items()}
    for through in options:
        for option in options:
            for other in options:
                if through not in (option, other) and option != other:
                    chain = min(strength[option, through], strength[through, other])
                    strength[option, other] = max(strength[option, other], chain)
    winners = [
        option
        for option in options
        if all(
            strength[option, other] > strength[other, option]
            for other in options
            if other != option
        )
    ]
    return winners[0] if len(winners) == 1 else None
