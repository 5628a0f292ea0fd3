"""What the words of an idea stand for."""

from __future__ import annotations

import pytest

from parley.memory.text.word_marks import (
    DENIED,
    HASH_BITS,
    LEFT,
    LIGHT,
    VALUE,
    WORD,
    content_marks,
    word_marks,
)


def kinds(text: str) -> list[int]:
    """Of each mark of `text`, what it stands for, in order."""
    return sorted(mark >> HASH_BITS for mark in content_marks(text))


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("archives", "archive"), ("migration", "migrate"), ("planned", "plan"), ("logs", "log"),
        ("publishing", "published"), ("approval", "approve"), ("thirty", "30"),
        ("Fridays", "Friday"), ("purchase", "buying"), ("companies", "company"),
    ],
)  # fmt: skip
def test_forms_of_a_word_have_one_mark(word: str, other: str) -> None:
    """Endings, numbers in words and synonyms make no difference."""
    assert content_marks(word) == content_marks(other)


def test_words_are_told_by_how_much_they_say() -> None:
    """Numbers and days first, words that every sentence has last, and many say nothing."""
    assert kinds("I propose that we use Friday") == [VALUE, LIGHT]
    assert kinds("keep 1,000 crates") == [VALUE, WORD, WORD]


def test_a_denial_holds_of_the_next_word_that_says_something() -> None:
    """To the end of the sentence at most; an opposite denies, two denials do not."""
    assert kinds("not smoke") == [DENIED, WORD]
    assert kinds("no longer smoke") == [DENIED, WORD, LIGHT]
    assert kinds("Better not. Smoke") == [WORD, LIGHT]
    assert kinds("forbid") == [DENIED, WORD]
    assert kinds("do not forbid") == [WORD]
    assert kinds("not only smoke") == [WORD]


def test_what_is_left_behind_is_marked() -> None:
    """From, replacing, instead of, rather than: the word after them."""
    assert kinds("from gravel to bark") == [LEFT, WORD, WORD]
    assert kinds("bark instead of gravel") == [LEFT, WORD, WORD, LIGHT]
    assert kinds("replace gravel with bark") == [LEFT, WORD, WORD]


def test_marks_are_integers_of_32_bits_in_order_of_their_kind() -> None:
    """So that sorting a fingerprint keeps denials and numbers of a long text."""
    marks = sorted(content_marks("do not keep 30 crates instead of barrels in the new cellar"))
    assert all(0 <= mark < 2**32 for mark in marks)
    order = [mark >> HASH_BITS for mark in marks]
    assert order == sorted(order)
    assert order[0] == DENIED


def test_words_come_with_the_marks_that_they_have() -> None:
    """Silent words and denials are left out."""
    assert [word for _, word in word_marks("Do not move the archives")] == ["move", "archives"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2nd floor, v2", ["2", "nd", "floor", "v2"]),
        ("1.5 MB → 10,000 s.", ["1.5", "mb", "10,000", "s"]),
        ("gravel; 3 barks!", ["gravel", "3", "barks"]),
        ("Straße ≤ 3 – naïve", ["straße", "3", "naïve"]),
        ("a_b-crate", ["b", "crate"]),
        ("crate → bark", ["crate", "bark"]),
        ("数据 3", ["数", "据", "3"]),
    ],
)
def test_words_and_numbers_are_told_apart_beside_any_signs(text: str, words: list[str]) -> None:
    """Numbers keep their points, letters behind digits stand alone, other signs part words."""
    assert [word for _, word in word_marks(text)] == words
