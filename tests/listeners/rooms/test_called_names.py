"""A name as a model writes it is the participant whom people would take it for."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.listeners.rooms.called_names import find_called

NAMES = ("Story_writer", "Ana", "Ana Lima", "Ren\u00e9", "critic")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Story_writer", "Story_writer"), ("Story_writer ", "Story_writer"),
        ("story_writer", "Story_writer"), (r"Story\_writer", "Story_writer"),
        ("Story writer", "Story_writer"), ("@Story_writer", "Story_writer"),
        ("**Story_writer**", "Story_writer"), ("Rene\u0301", "Ren\u00e9"),
        ("Story-writer.", "Story_writer"),
        ("The next speaker is `critic`.", "critic"), ("Ana", "Ana"), ("ana lima", "Ana Lima"),
        ("I give Ana Lima the floor.", "Ana Lima"), ("Ana, then critic", None), ("", None),
        ("nobody", None), ("**", None), ("Anabel", None),
        ("Storywriter", "Story_writer"), ("StoryWriter", "Story_writer"), ("Rene", "Ren\u00e9"),
        ("story", "Story_writer"), ("Lima", "Ana Lima"), ("Ana or Ana Lima", None),
        ("St\u043ery_writer", None), ("critic/Ana", None),
    ],
)  # fmt: skip
def test_a_name_is_taken_as_people_take_it(said: str, meant: str | None) -> None:
    assert find_called(said, NAMES) == meant


def test_a_name_that_reads_as_two_is_nobody() -> None:
    assert find_called("ANA", ("Ana", "ana")) is None
    assert find_called("ana", ("Ana", "ana")) == "ana"


SAID = st.text(max_size=60)
SETS = st.sets(st.text(min_size=1, max_size=12), max_size=5)


def check_called(said: str, names: set[str]) -> None:
    """Raises `AssertionError` if somebody is meant who is not there, or a name means another."""
    assert find_called(said, names) in {*names, None}
    for name in names:
        assert find_called(name, {name}) == name


@given(SAID, SETS)
def test_only_one_of_the_names_is_ever_meant(said: str, names: set[str]) -> None:
    check_called(said, names)


@pytest.mark.long
@settings(max_examples=100_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(SAID, SETS)
def test_only_one_is_meant_in_many(said: str, names: set[str]) -> None:
    check_called(said, names)
