"""What part a sentence plays in the minutes of a talk, told by its wordings."""

from __future__ import annotations

import pytest

from parley.memory.summaries.sentence_roles import shipped_roles

ROLES = shipped_roles()


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("We are going with the blue barn after all.", "ruling"),
        ("The owner wants the barn to be blue.", "directive"),
        ("What I wrote about the barn was wrong; that was incorrect.", "correction"),
        ("The root cause is a stuck float below the grate.", "cause"),
        ("All 26 pumps pass the test.", "result"),
        ("I disagree: the pump is too loud for the cellar.", "objection"),
        ("Please drain the cellar before Monday.", "request"),
        ("You're right about the float.", "stance"),
    ],
)
def test_each_role_is_known_by_its_wordings(text: str, role: str) -> None:
    assert ROLES.has(text, role)
    assert ROLES.weigh(text) > ROLES.weigh("The cellar lies below the barn.") == 0


def test_the_two_heaviest_roles_count() -> None:
    """However many a sentence plays."""
    many = "The owner wants it fixed: I disagree, the root cause is a stuck float, and please wait."
    assert ROLES.weigh(many) < 120


@pytest.mark.parametrize(
    ("text", "proposes"),
    [
        ("We should drain the cellar.", True),
        ("How about two pumps?", True),
        ("Let's be honest, the cellar was never dry.", False),
        ("The cellar was drained on Monday.", False),
    ],
)
def test_what_puts_something_forward(text: str, proposes: bool) -> None:
    assert ROLES.proposes(text) is proposes


def test_support_that_grants_and_objects() -> None:
    assert ROLES.contrasts("I agree about the pump, but the cellar is too small for it.")
    assert not ROLES.contrasts("I agree about the pump.")
