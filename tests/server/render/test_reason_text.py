"""What `parley explain` says of an item that what stands around a line revealed."""

from __future__ import annotations

import pytest

from parley.memory.extraction.structure.scorecards import current_scorecards
from parley.server.render.reason_text import explain_score


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            "bare voters >=2; restated same; restated same past votes; bare voters >=3; "
            "restated some",
            "3 or more voters right below it; said again below in the same words after votes",
        ),
        (
            "restates same past votes; restates same; wording >=100; wording >=200; "
            "restates backed >=3",
            "says again what stands above in the same words, after votes on it; "
            "worded like a proposal or a decision; 3 or more voters on what it says again",
        ),
        ("own vote, scribed", "its own speaker votes on it; typed for them by a scribe"),
        ("takes away", "takes away"),
    ],
)
def test_features_are_told_in_words(rule: str, words: str) -> None:
    """Of several steps the highest, of several likenesses the closest; each thing once."""
    assert explain_score(rule) == words


def test_counts_and_votes_are_never_told_as_features() -> None:
    """None of what votes and restatements add to a proposal is shown as the card calls it."""
    card = current_scorecards().proposal
    for feature in card.structure:
        if feature.startswith(("bare voters >", "voters", "restated some", "restated same", "own")):
            assert ">=" not in explain_score(feature)
            assert explain_score(feature) != feature
