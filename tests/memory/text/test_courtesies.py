"""Sentences that say nothing: greetings and politeness."""

from __future__ import annotations

import pytest

from parley.memory.text.courtesies import is_courtesy, is_offer


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


@pytest.mark.parametrize(
    "text",
    ["If you need more of them, please let me know.", "Feel free to ask.",
     "Let us know if anything is missing!", "If there is anything else, let me know when."],
)  # fmt: skip
def test_offers_of_help_are_told_from_what_is_wanted(text: str) -> None:
    assert is_offer(text)
    for wanted in (f"{text} Move the press.", f"Move the press. {text}"):
        assert not is_offer(wanted)


def test_an_offer_is_looked_for_in_linear_time() -> None:
    assert not is_offer("if you " + "let me know " * 50_000 + "!x")
