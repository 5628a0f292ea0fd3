"""Ballots counted: each rule against a naive count, and what no order may change."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise, permutations
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import VoteRule
from parley.memory.voting.counting_rules import (
    ABSTAIN,
    Choice,
    VoteResult,
    count_ballots,
    find_schulze_winner,
    pairwise_preferences,
)

RULES: tuple[VoteRule, ...] = get_args(VoteRule)
OPTIONS = ("tea", "coffee", "milk", "water")
NAMES = tuple("abcdefghij")
YES_NO = ("accept", "reject")


def ranked_ballots() -> st.SearchStrategy[dict[str, Choice]]:
    order = st.permutations(OPTIONS).flatmap(
        lambda ranks: st.integers(1, len(ranks)).map(lambda most: tuple(ranks[:most]))
    )
    return st.dictionaries(st.sampled_from(NAMES), order | st.just((ABSTAIN,)))


def electorates() -> st.SearchStrategy[dict[str, int]]:
    weights = st.integers(0, 5)
    return st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, weights))


def ballots_of(**given: str) -> dict[str, Choice]:
    return {name: tuple(choice.split(">")) for name, choice in given.items()}


def count(
    rule: VoteRule, ballots: Mapping[str, Choice], quorum: int = 0, **weights: int
) -> VoteResult:
    electors = {**dict.fromkeys(ballots, 1), **weights}
    return count_ballots(rule, YES_NO, ballots, electors, quorum)


@pytest.mark.parametrize(
    ("rule", "yes", "no", "carried"),
    [
        ("majority", 2, 1, "accept"), ("majority", 1, 2, "reject"), ("majority", 2, 2, None),
        ("two_thirds", 2, 1, "accept"), ("two_thirds", 5, 3, None), ("two_thirds", 1, 2, "reject"),
        ("unanimity", 3, 0, "accept"), ("unanimity", 9, 1, None), ("unanimity", 0, 2, "reject"),
        ("consent", 0, 0, "accept"), ("consent", 9, 1, None), ("consent", 9, 0, "accept"),
        ("ranked", 2, 1, "accept"), ("ranked", 2, 2, None), ("majority", 0, 0, None),
    ],
)  # fmt: skip
def test_what_each_rule_carries(rule: VoteRule, yes: int, no: int, carried: str | None) -> None:
    """Exactly half is no majority; two thirds are enough; one objection ends consent."""
    ballots = {f"y{k}": ("accept",) for k in range(yes)} | {f"n{k}": ("reject",) for k in range(no)}
    result = count(rule, ballots)
    assert result.carried == carried
    assert result.status == ("failed" if carried is None else "carried")
    assert result.tally == {"accept": yes, "reject": no, ABSTAIN: 0}


def test_of_several_the_most_carry_nothing_without_more_than_half() -> None:
    """A plurality is no majority."""
    ballots = ballots_of(a="tea", b="tea", c="coffee", d="milk")
    electors = dict.fromkeys("abcde", 1)
    assert count_ballots("majority", OPTIONS, ballots, electors, 0).carried is None
    assert (
        count_ballots("majority", OPTIONS, {**ballots, "e": ("tea",)}, electors, 0).carried == "tea"
    )


def test_weights_count_and_not_heads() -> None:
    """One of weight 5 outvotes three; one of weight 0 is on record and moves nothing."""
    result = count("majority", ballots_of(a="accept", b="reject", c="reject", d="reject"), a=5, d=0)
    assert result.carried == "accept"
    assert result.tally == {"accept": 5, "reject": 2, ABSTAIN: 0}
    assert result.dissenters == ("b", "c", "d")


def test_abstaining_counts_for_the_quorum_alone() -> None:
    """It makes a vote valid and decides nothing."""
    electors = dict.fromkeys("abcd", 1)
    ballots = ballots_of(a="accept", b="abstain")
    assert count_ballots("majority", YES_NO, ballots, electors, 500).carried == "accept"
    assert (
        count_ballots("majority", YES_NO, ballots_of(a="accept"), electors, 500).status == "short"
    )
    everyone = dict.fromkeys("abcd", (ABSTAIN,))
    assert count_ballots("unanimity", YES_NO, everyone, electors, 1000).status == "failed"


def test_a_quorum_is_of_weight_and_met_exactly() -> None:
    """501 of 1000 is not met by half."""
    ballots = ballots_of(a="accept")
    assert count("majority", ballots, 500, a=2, b=2).status == "carried"
    assert count("majority", ballots, 501, a=2, b=2).status == "short"
    assert count("majority", {}, 1).status == "short"
    assert count("consent", {}, 1000, a=1).status == "carried"


def test_strangers_and_choices_that_are_none_count_for_nothing() -> None:
    """Whoever is not of the electorate, and whatever was not on the paper."""
    ballots = ballots_of(a="accept", stranger="reject", b="maybe")
    result = count_ballots("unanimity", YES_NO, {**ballots, "c": ()}, {"a": 1, "b": 1, "c": 1}, 0)
    assert (result.carried, result.supporters, result.dissenters) == (
        "accept",
        ("a",),
        (),
    )


def test_sides_are_about_accepting_whatever_carried() -> None:
    """Of other options, supporters chose the one that carried."""
    result = count("majority", ballots_of(a="accept", b="reject", c="reject", d="abstain"))
    assert (result.supporters, result.dissenters, result.abstainers) == (
        ("a",),
        ("b", "c"),
        ("d",),
    )
    words = count_ballots(
        "majority", OPTIONS, ballots_of(a="tea", b="tea", c="milk"), dict.fromkeys("abc", 1), 0
    )
    assert (words.supporters, words.dissenters) == (("a", "b"), ("c",))


@given(ranked_ballots(), electorates(), st.sampled_from(RULES), st.integers(0, 1000), st.randoms())
def test_no_order_changes_a_count(
    ballots: dict[str, Choice],
    electors: dict[str, int],
    rule: VoteRule,
    quorum: int,
    chance: Random,
) -> None:
    """Of ballots, of names, and of options the order is chance; nothing goes by it."""
    free = rule != "consent"  # which is about the first option
    options = chance.sample(OPTIONS, len(OPTIONS)) if free else OPTIONS
    shuffled = dict(chance.sample(sorted(ballots.items()), len(ballots)))
    voters = dict(chance.sample(sorted(electors.items()), len(electors)))
    result = count_ballots(rule, OPTIONS, ballots, electors, quorum)
    assert count_ballots(rule, options, shuffled, voters, quorum) == result


@given(ranked_ballots(), electorates(), st.sampled_from(("majority", "two_thirds", "unanimity")))
def test_a_naive_count_says_the_same(
    ballots: dict[str, Choice], electors: dict[str, int], rule: VoteRule
) -> None:
    """Paper by paper, one slip for each unit of weight."""
    slips = [choice[0] for name, choice in ballots.items() for _ in range(electors.get(name, 0))]
    slips = [slip for slip in slips if slip != ABSTAIN]
    winners = []
    for option in OPTIONS:
        for_it = slips.count(option)
        others = len(slips) - for_it
        wins = {"majority": for_it > others, "two_thirds": for_it >= 2 * others,
                "unanimity": others == 0}[rule]  # fmt: skip
        winners += [option] if for_it and wins else []
    result = count_ballots(rule, OPTIONS, ballots, electors, 0)
    assert result.carried == (winners[0] if winners else None)


@given(ranked_ballots(), electorates())
def test_ranked_elects_whoever_beats_each_other_one(
    ballots: dict[str, Choice], electors: dict[str, int]
) -> None:
    """The Condorcet winner, counted pair by pair, where there is one."""

    def beats(option: str, other: str) -> bool:
        margin = 0
        for name, choice in ballots.items():
            places = [choice.index(x) if x in choice else 9 for x in (option, other)]
            margin += electors.get(name, 0) * ((places[0] < places[1]) - (places[0] > places[1]))
        return margin > 0

    best = [
        option
        for option in OPTIONS
        if all(beats(option, other) for other in OPTIONS if other != option)
    ]
    if best:
        assert count_ballots("ranked", OPTIONS, ballots, electors, 0).carried == best[0]


@given(ranked_ballots(), electorates())
def test_schulze_is_the_strongest_chain_over_all_chains(
    ballots: dict[str, Choice], electors: dict[str, int]
) -> None:
    """The short loop finds what trying every chain of options finds."""
    pairs = pairwise_preferences(OPTIONS, ballots, electors)

    def strongest(start: str, end: str) -> int:
        between = [option for option in OPTIONS if option not in (start, end)]
        chains = [
            [start, *middle, end] for size in range(3) for middle in permutations(between, size)
        ]
        return max(
            min(pairs[a, b] if pairs[a, b] > pairs[b, a] else 0 for a, b in pairwise(chain))
            for chain in chains
        )

    winners = [
        option
        for option in OPTIONS
        if all(
            strongest(option, other) > strongest(other, option)
            for other in OPTIONS
            if other != option
        )
    ]
    assert find_schulze_winner(OPTIONS, pairs) == (winners[0] if winners else None)


def test_schulze_on_the_example_of_its_paper() -> None:
    """45 voters, five candidates: E, as section 3.1 of the paper has it."""
    groups = {"ACBED": 5, "ADECB": 5, "BEDAC": 8, "CABED": 3, "CAEBD": 7, "CBADE": 2, "DCEBA": 7,
              "EBADC": 8}  # fmt: skip
    ballots = {order: tuple(order) for order in groups}
    result = count_ballots("ranked", "ABCDE", ballots, groups, 500)
    assert result.carried == "E"


def test_a_ranked_tie_carries_nothing() -> None:
    """A circle of three equals has no winner."""
    ballots = ballots_of(a="tea>coffee>milk", b="coffee>milk>tea", c="milk>tea>coffee")
    result = count_ballots("ranked", OPTIONS[:3], ballots, dict.fromkeys("abc", 1), 0)
    assert (result.status, result.carried, result.supporters) == ("failed", None, ())
