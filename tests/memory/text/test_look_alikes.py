"""Names that a person takes for each other have one key."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.memory.text.plain_text import find_look_alikes, look_alike_key


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("ana", "Ana"), ("Ana", "\u0410na"), ("Bo", "B\u03bf"), ("Ana", "\uff21na"),
        ("bo", "b0"), ("Straße", "STRASSE"), ("Ana  Lima", "ana lima "), ("Ben", "Ben\u200b"),
        ("PAX", "\u0420\u0410\u0425"), ("lee", "1ee"), ("office", "o\ufb03ce"),
    ],
)  # fmt: skip
def test_names_that_look_alike_share_a_key(name: str, other: str) -> None:
    assert look_alike_key(name) == look_alike_key(other)
    assert find_look_alikes([name, "zed", other]) == [(name, other)]


@pytest.mark.parametrize(("name", "other"), [("ana", "anna"), ("José", "Jose"), ("bo", "bob")])
def test_names_that_differ_to_the_eye_do_not(name: str, other: str) -> None:
    assert look_alike_key(name) != look_alike_key(other)
    assert find_look_alikes([name, other, name]) == []


NAMES = st.text(max_size=40)


def check_key(name: str) -> None:
    """Raises `AssertionError` unless all normal forms of `name` and of its key share the key."""
    key = look_alike_key(name)
    assert look_alike_key(key) == key
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert look_alike_key(unicodedata.normalize(form, name)) == key


@given(NAMES)
def test_the_key_of_a_key_is_itself_and_normal_forms_do_not_matter(name: str) -> None:
    check_key(name)


@pytest.mark.long
@settings(max_examples=100_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(NAMES)
def test_many_keys_are_their_own(name: str) -> None:
    check_key(name)
