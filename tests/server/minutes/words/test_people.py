"""Which names are one person's: only where it is plain."""

from __future__ import annotations

import pytest

from parley.server.minutes.words.people import other_names


@pytest.mark.parametrize(
    ("nick", "name"),
    [
        ("ida", "Ida Stone"),
        ("ida1", "Ida_Stone"),
        ("1da", "Ida_Stone"),
        ("istone", "Ida Stone"),
        ("IdaS", "Ida Stone"),
        ("idastone_", "Ida Stone"),
        ("quill", "Ida Stone [quill]"),
        ("QuillX", "QuillX // Ida Stone (office)"),
        ("cornelja", "Cornelia Ash"),
        ("ida_stone", "Ida Stone"),
    ],
)
def test_a_nick_is_made_of_the_name(nick: str, name: str) -> None:
    """First name, initials, both in a row, in brackets, with figures for letters, misspelt once."""
    assert other_names(["Bo Reed", nick, name]) == {nick: name}


@pytest.mark.parametrize(
    "names",
    [
        ["ida", "Ida Stone", "Ida Grey"],  # whose is it?
        ["Ida", "Ida Stone"],  # written as a name, it may be another one's
        ["Citizen", "Citizen_Model"],
        ["agent1", "agent2", "agent12"],
        ["critic", "critic two"],
        ["bo", "Bo Reed"],  # too short to tell
        ["idx", "Ida Stone"],
    ],
)
def test_on_doubt_they_are_two(names: list[str]) -> None:
    """Rather one counted twice than two made one."""
    assert other_names(names) == {}
