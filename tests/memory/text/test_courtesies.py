"""Sentences that say nothing: greetings and politeness."""

from __future__ import annotations

import pytest

from parley.memory.text.courtesies import is_courtesy


@pytest.mark.parametrize(
    "text",
    ["Hello everybody!", "Danke.", "你好。", "I appreciate the analogy.",
     "You're absolutely right.", '"Great point!', "Certainly! Here it is.",
     "I apologize for the error."],
)  # fmt: skip
def test_greetings_and_politeness_are_courtesies(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    ["We appreciated the risk, and took it.", "Sure footing matters on ice.", "The point is great.",
     "Highlight the row.", "You are the second speaker.", ""],
)  # fmt: skip
def test_what_says_something_is_none(text: str) -> None:
    assert not is_courtesy(text)
