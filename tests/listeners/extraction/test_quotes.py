"""Where a message says what a model quotes: folded to compare, told in exact characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.listeners.extraction.quotes import locate_quote


@pytest.mark.parametrize(
    ("content", "quote", "words"),
    [
        ("We should ship it on Friday.", "ship it on Friday", "ship it on Friday"),
        ("We should\n  ship   it.", "should ship it", "should\n  ship   it"),
        ("We\u2019ll \u201cship\u201d it \u2014 now", 'We\'ll "ship" it - now', None),
        ("the \ufb01nal o\ufb03ce", "final office", "\ufb01nal o\ufb03ce"),
        ("the \ufb01nal word", "nal word", "nal word"),
        ("cafe\u0301 at nine", "caf\u00e9 at", "cafe\u0301 at"),
        ("\uff26\uff55\uff4c\uff4c width", "full width", "\uff26\uff55\uff4c\uff4c width"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8", "\ud55c\uad6d", None),
        ("zero\u200bwidth it is", "zerowidth it", "zero\u200bwidth it"),
        ("Stra\u00dfe 9", "STRASSE 9", "Stra\u00dfe 9"),
        ("yes, +1 from me", "+1", "+1"),
        ("Ship it. Ship it.", '"Ship it."', "Ship it."),
        ("we keep the old one for now", "the old one\u2026", "the old one"),
        ("\U0001f44d ship", "ship", "ship"),
    ],
)
def test_a_quote_is_found_in_other_dress(content: str, quote: str, words: str | None) -> None:
    """And what is cited are the characters of the message itself."""
    place = locate_quote(content, quote)
    assert place is not None
    assert content[slice(*place)] == (content if words is None else words)


@pytest.mark.parametrize(
    ("content", "quote"),
    [
        ("We ship it.", "We shipped it"),
        ("We ship it.", ""),
        ("We ship it.", " \n "),
        ("We ship it.", "..."),
        ("We ship it.", "\u200b"),
        ("", "x"),
        ("a b", "ab"),
    ],
)
def test_what_is_not_said_is_not_found(content: str, quote: str) -> None:
    """Nor is a quote of nothing."""
    assert locate_quote(content, quote) is None


_TEXTS = st.text(
    st.one_of(
        st.sampled_from(
            "ab \n\u00df\ufb01\u0301\u200b\u2019\u201c\u3000\u1112\u1161\u11ab\u0130\uff21"
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)


@given(_TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_whatever_a_message_says_can_be_quoted(content: str, start: int, end: int) -> None:
    """Any part of it with a letter in it is found, in a place that is not empty."""
    quote = content[start:end]
    place = locate_quote(content, quote)
    if place is not None:
        assert 0 <= place[0] < place[1] <= len(content)
    if quote.isascii() and quote.isalnum() and content.isascii():
        assert place is not None
        assert content[slice(*place)].casefold() == quote.casefold()


@given(_TEXTS, _TEXTS)
def test_no_quote_raises(content: str, quote: str) -> None:
    """Whatever either holds."""
    place = locate_quote(content, quote)
    assert place is None or content[slice(*place)]
