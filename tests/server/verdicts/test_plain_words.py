"""What an item asks for: without praise, lead and reasons; and what asks for nothing."""

from __future__ import annotations

import pytest

from parley.server.verdicts.plain_words import (
    ask_words,
    asks_for_something,
    is_fragment,
    is_question,
    item_words,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "Excellent! Let's draft the plan with a small share for lamps. This will show we care.",
            "draft the plan with a small share for lamps.",
        ),
        (
            "That sounds reasonable. We could pay for a trial of the lamps, if the council agrees.",
            "pay for a trial of the lamps, if the council agrees.",
        ),
        ("I suggest that we look at the price of the lamps.", "we look at the price of the lamps."),
        (
            "Thanks! What if we move the boats to the south side?",
            "move the boats to the south side?",
        ),
        (
            "We paint the boat red. The oars stay blue.",
            "We paint the boat red. The oars stay blue.",
        ),
        ("Let's do it.", "Let's do it."),  # nothing would be left
        ("Super! Wir streichen das Boot rot.", "Super! Wir streichen das Boot rot."),
    ],
)
def test_what_is_asked_for_stands_alone(text: str, words: str) -> None:
    """In the words that it was said in; a text of another language is left alone."""
    assert ask_words(text) == words
    assert item_words(text, "writing/propose: let's") == words
    assert item_words(text, "tag/proposal") == text  # somebody worded it so


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Let's draft the plan with a share for lamps.", True),
        ("The boats of the yard should lie on the south side.", True),
        ("I'd appreciate that! It's a step in the right direction. We can build on that.", False),
        ("Lamps are undeniably important to the people of the town.", False),
        ("Wir streichen das Boot rot.", True),  # who could tell?
    ],
)
def test_thanks_and_opinions_ask_for_nothing(text: str, asks: bool) -> None:
    """However many agree with them."""
    assert asks_for_something(text) is asks


@pytest.mark.parametrize("text", ["not do that", "we keep it", "it is not necessary", "go on"])
def test_what_says_nothing_alone_is_a_fragment(text: str) -> None:
    """Nobody who was not there could tell what it is about."""
    assert is_fragment(text)
    assert not is_fragment("keep the lamps of the north pier")


def test_a_question_to_others_decides_nothing() -> None:
    """ "What should I do?" was agreed to, but what is decided is what it came to."""
    assert is_question("Work: What should I do while you wrap up?")
    assert is_question("Confirm, or do you want to see it first")
    assert not is_question("Should we paint the boat red?")
