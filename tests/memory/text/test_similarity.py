"""Recognising what was said before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.settings.setting_defaults import EchoSettings
from parley.memory.text.similarity import (
    SIZE,
    SimilarityIndex,
    fingerprint,
    measure_resemblance,
    shared_words,
)

ECHO = EchoSettings().similarity
WORDS = st.sampled_from((
    "not", "never", "from", "instead", "of", "keep", "drop", "raise", "lower", "3", "30", "Monday",
    "rack", "archive", "use", "new", ".", "don't", "without", "数", "据",
))  # fmt: skip
PROPOSALS = st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=80)
TEXTS = st.lists(st.text("abcdefg hij", min_size=1, max_size=60), min_size=1, max_size=20)


@given(st.text(max_size=300))
def test_a_fingerprint_is_small_sorted_and_its_own_likeness(text: str) -> None:
    """At most 24 ascending 32-bit integers, which resemble themselves wholly."""
    made = fingerprint(text)
    assert len(made) <= SIZE
    assert list(made) == sorted(set(made))
    assert all(0 <= each < 2**32 for each in made)
    assert measure_resemblance(made, made) == (1000 if made else 0)


def test_a_fingerprint_is_the_same_in_every_process() -> None:
    """The hashes are stored in memory, so they must never change."""
    assert fingerprint("Move the archive") == fingerprint("let's move the archives!")
    assert fingerprint("Move the archive")[0] == 1619056036


def test_rewording_resembles_and_another_subject_does_not() -> None:
    """Inflection, order of little words and punctuation matter less than content."""
    first = fingerprint("I propose that we move the archive to the new rack")
    again = fingerprint("Let's move our archives to that new rack!")
    other = fingerprint("I propose that we hire a second translator")
    assert measure_resemblance(first, again) >= 700
    assert measure_resemblance(first, other) < 150


def test_numbers_tell_proposals_apart() -> None:
    """Thirty days is not ninety days."""
    thirty, ninety = fingerprint("keep logs for 30 days"), fingerprint("keep logs for 90 days")
    assert measure_resemblance(thirty, ninety) < 500


def test_other_scripts_have_fingerprints() -> None:
    """Ideographs count one by one, and Hebrew words as words."""
    first, second = fingerprint("我们使用数据库"), fingerprint("我们应该使用数据库")
    assert measure_resemblance(first, second) >= 500
    assert fingerprint("אני מציע להזיז את הארכיון")


SAME = (
    ("Keep the logs for 30 days", "Logs should be kept for thirty days"),
    ("Forbid phones in class", "Do not allow phones in class"),
    ("Purchase a second kiln", "Buy a second kiln"),
    ("Open the shop on Sundays", "We could open the shop on Sundays too, at least in the weeks of "
     "the fair, when the square is full of people"),
    ("Replace the gravel with bark", "Bark instead of gravel"),
)  # fmt: skip
OTHER = (
    ("Keep the logs for 30 days", "Keep the logs for 90 days"),
    ("Open the shop on Sundays", "Open the shop on Mondays"),
    ("Allow phones in class", "Do not allow phones in class"),
    ("Raise the rent", "Lower the rent"),
    ("Buy a second kiln", "Sell a second kiln"),
    ("Paint the door of the shed", "Paint the floor of the shed"),
    ("Move from gravel to bark", "Move from bark to gravel"),
    ("Meet in Turin instead of Bari", "Meet in Bari instead of Turin"),
    ("Publish version 1.0 as a note", "Publish version 1.1 as a note"),
)


@pytest.mark.parametrize(("text", "other"), SAME)
def test_the_same_idea_in_other_words_is_an_echo(text: str, other: str) -> None:
    """Inflection, common synonyms, numbers in words, a longer sentence around it."""
    assert measure_resemblance(fingerprint(text), fingerprint(other)) >= ECHO


@pytest.mark.parametrize(("text", "other"), OTHER)
def test_another_idea_in_the_same_words_is_none(text: str, other: str) -> None:
    """Another number, day or object, a denial, the opposite, the other way round."""
    assert measure_resemblance(fingerprint(text), fingerprint(other)) < ECHO


def test_what_two_texts_share_is_told_in_the_words_of_the_later() -> None:
    """The telling words before those that every sentence has, five at most."""
    earlier = fingerprint("Let's move our archives to that new rack")
    later = "I propose that we move the archive to the new rack"
    assert shared_words(later, earlier) == ("archive", "move", "rack", "new")
    assert shared_words("Nothing of the kind", earlier) == ()


@given(PROPOSALS, PROPOSALS)
def test_resemblance_is_symmetric_and_bounded(text: str, other: str) -> None:
    """Either way the same, between 0 and 1000, and wholly of a text and itself."""
    a, b = fingerprint(text), fingerprint(other)
    assert measure_resemblance(a, b) == measure_resemblance(b, a)
    assert 0 <= measure_resemblance(a, b) <= 1000
    assert measure_resemblance(a, a) == (1000 if a else 0)


@given(st.lists(PROPOSALS, max_size=12), PROPOSALS, st.integers(1, 1000))
def test_the_index_is_what_was_added_in_whatever_chunks(
    texts: list[str], wanted: str, at_least: int
) -> None:
    """One index that was asked in between and one filled at once find the same."""
    asked, filled = SimilarityIndex(), SimilarityIndex()
    for ref, text in enumerate(texts, 1):
        asked.add(ref, fingerprint(text))
        asked.nearest(fingerprint(wanted), at_least)
    for ref, text in enumerate(texts, 1):
        filled.add(ref, fingerprint(text))
    nearest = filled.nearest(fingerprint(wanted), at_least)
    assert nearest == asked.nearest(fingerprint(wanted), at_least)


@given(TEXTS, st.integers(1, 1000))
def test_the_index_finds_what_a_full_look_finds(texts: list[str], at_least: int) -> None:
    """For a small index the nearest is the best of all, the highest ref of equals."""
    index = SimilarityIndex()
    prints = {ref: fingerprint(text) for ref, text in enumerate(texts, 1)}
    for ref, each in prints.items():
        index.add(ref, each)
    wanted = fingerprint(texts[0])
    scores = [(measure_resemblance(wanted, each), ref) for ref, each in prints.items()]
    best = max((each for each in scores if each[0] >= at_least and each[0] > 0), default=None)
    assert index.nearest(wanted, at_least) == (None if best is None else (best[1], best[0]))


def test_a_repeat_is_found_among_many_that_share_words() -> None:
    """Words that every text has neither hide the repeat nor slow the look-up."""
    index = SimilarityIndex()
    for ref in range(2000):
        index.add(ref, fingerprint(f"budget plan number {ref} for room {ref * 7 % 97}"))
    nearest = index.nearest(fingerprint("the budget plan, number 700, for room 50"), 800)
    assert nearest is not None
    assert nearest[0] == 700
