"""What deliberating agents cost, and how long they wait: the figures of docs/floor.md, held."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest

from benchmarks.deliberation import deliberate
from benchmarks.tables import cancels, tables


@pytest.mark.parametrize(
    ("turns", "speed", "times", "share"),
    [(24, 40, 2.0, 0.83), pytest.param(60, 1, 1.0, 0.25, marks=pytest.mark.long)],
)
async def test_eight_agents_stay_within_their_figures(
    turns: int, speed: int, times: float, share: float
) -> None:
    """Over real HTTP, with faults: few are asked, turns stay flat, and cost a quarter of it all.

    Whether a listener bids is a coin's toss of the seed and of every word it is
    shown; where one seed asks too many, the median of three counts. What is asked
    of whom goes by the clock too: hurried, on a machine that others keep busy, they
    are held to twice the figures. An agent that is sent everything is beyond those.
    """
    most = 0.3 * times
    runs = [await deliberate(turns=turns, agents=8, speed=speed, seed=2)]
    if runs[0]["evaluations_per_pair"] > most:
        runs += [await deliberate(turns=turns, agents=8, speed=speed, seed=k) for k in (1, 3)]
    assert median(figures["evaluations_per_pair"] for figures in runs) <= most
    for figures in runs:
        assert figures["end"] == ["turns", f"turns:{turns}"]
        assert figures["growth"] <= 1.2 * times
        assert figures["share_of_baseline_at_last"] < share  # the more turns, the less
        assert figures["cached_share"] > 0.2 / times


@pytest.mark.parametrize("rank", ["p50_ms", pytest.param("p99_ms", marks=pytest.mark.long)])
async def test_a_persons_word_stops_a_draft_within_200_ms(rank: str) -> None:
    """At the 99th percentile of a hundred, from the publish to the end of the generation.

    Of three hundreds at most: on a machine that others keep busy, one word in a
    hundred may wait for its turn of a processor; half of them do not.
    """
    figures = [await cancels()]
    while figures[-1][rank] > 200 and len(figures) < 3:
        figures.append(await cancels())
    assert figures[-1][rank] <= 200, figures


@pytest.mark.long
async def test_no_agent_waits_much_longer_than_others() -> None:
    """A hundred sessions of five agents each: the longest wait is at most five times the median."""
    figures: dict[str, Any] = await tables(100, turns=12, processes=2)
    assert figures["wait"]["of"] == 100 * 12
    assert figures["wait"]["ratio"] <= 5
    assert figures["own turns apart"]["ratio"] <= 5
