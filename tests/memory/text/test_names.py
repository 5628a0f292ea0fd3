"""Names that read alike are one person's, in the fold as everywhere."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.memory.text.plain_text import plain_name
from tests.support.logs.logs import folded, talk

PUT = ("ana", "I propose that we plant the beans in May.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jos\u00e9", "Jose\u0301"), ("Ben", "Ben "), ("Ben", "Ben\u200b"), ("Ben", "\u2060Ben"),
        ("Ben", "\u2068Ben\u2069"), ("Ben", "Be\u00adn"), ("Ben", "\u061cBen"),
        ("Ana Lima", "Ana  Lima"), ("Ana Lima", "Ana\u00a0Lima"), ("bo", "\ufeffbo"),
    ],
)  # fmt: skip
def test_names_that_read_alike_vote_once(one: str, other: str) -> None:
    memory, _ = folded(talk(PUT, (one, "+1 to P1"), (other, "+1 to P1")))
    assert len(memory.participants) == 2
    assert memory.proposals[1].status == "active"  # one other person is no quorum
    assert list(memory.proposals[1].reactions) == [plain_name(one)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ben", "ben"), ("\u0430na", "ana"), ("Ana Lima", "AnaLima"), ("A", "\uff21")],
)
def test_names_that_only_look_alike_are_two(one: str, other: str) -> None:
    assert plain_name(one) != plain_name(other)


NAMES = st.text(max_size=30)


def check_plain(name: str) -> None:
    """Raises `AssertionError` unless the plain form of `name` is its own plain form."""
    plain = plain_name(name)
    assert plain_name(plain) == plain
    assert bool(plain) == bool(name)
    composed = unicodedata.normalize("NFD", plain)
    if unicodedata.ucd_3_2_0.normalize("NFC", composed) == plain:
        assert plain_name(composed) == plain


@given(NAMES)
def test_a_plain_name_stays_and_is_never_empty(name: str) -> None:
    check_plain(name)


@pytest.mark.long
@settings(max_examples=100_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(NAMES)
def test_many_plain_names_stay(name: str) -> None:
    check_plain(name)
