"""A reader chooses the parts of a context."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.context import prefix, shared_decisions, tail
from parley.memory.context.context import Request, assemble
from parley.memory.context.parts import PARTS, Part, blocks_of, read_parts
from parley.memory.errors import UnknownPart
from parley.server.library.local_memory import Memory as Talk
from tests.memory.laws.test_laws_of_contexts import NAMES, SAYINGS, check_once, talk_of

CHOICES = st.sets(st.sampled_from(PARTS)).map(read_parts)


def test_every_block_is_in_one_part() -> None:
    """No block is lost, and none is shown for two parts."""
    named = Counter(name for part in PARTS for name in blocks_of((part,)) or ())
    assert named.keys() == {*prefix.BLOCKS, *tail.BLOCKS, tail.RECENT, shared_decisions.BLOCK}
    assert set(named.values()) == {1}


@given(
    st.lists(st.tuples(NAMES, SAYINGS), min_size=1, max_size=60), CHOICES,
    st.integers(300, 4000), st.sampled_from(["full", "brief"]),
)  # fmt: skip
def test_only_what_is_asked_for_is_shown(
    lines: list[tuple[str, str]], parts: tuple[Part, ...], budget: int, profile: str
) -> None:
    """Whatever is said, under any budget: and the rest is not counted as left out."""
    talk = talk_of(lines)
    request = Request("ana", "brief" if profile == "brief" else "full", budget, talk._newest)
    context = assemble(
        talk.state, Request("ana", request.profile, budget, talk._newest, parts=parts)
    )
    wanted = blocks_of(parts or PARTS) or frozenset()
    assert {block.name for block in context.blocks} <= {*wanted, "frame", "left out"}
    assert {*context.dropped, *context.shortened} <= wanted
    assert context.size <= budget
    check_once(context)
    if parts in ((), PARTS):
        assert context == assemble(talk.state, request)


@pytest.fixture
def talk() -> Talk:
    """A proposal, a side and forty remarks, which are summarised."""
    remarks = [("bo", f"Sample {index} has nothing new in it.") for index in range(40)]
    return talk_of([("ana", "I propose that we rest."), ("bo", "+1 to P1"), *remarks])


def test_the_ledger_alone_has_no_message_and_no_summary(talk: Talk) -> None:
    """What a framework needs that keeps the transcript."""
    text = talk.context("ana", parts=["ledger"])
    assert "- P1 ana n 1: " in text
    assert "Sample" not in text
    assert "left out" not in text


def test_messages_alone(talk: Talk) -> None:
    """All of them, as they fit."""
    text = talk.context("ana", parts=["recent"])
    assert text.count("\n- n ") == 42
    assert "P1 ana" not in text


def test_summaries_without_messages_are_of_all_that_is_summarised(talk: Talk) -> None:
    """They are shown although every message would fit, since none is asked for."""
    text = talk.context("ana", parts=["summary"])
    assert "Messages 1–12 (extract)" in text
    assert "\n- n 42 " not in text


def test_a_part_that_does_not_exist_is_refused(talk: Talk) -> None:
    """With the names of those that do."""
    with pytest.raises(UnknownPart, match="no part 'leger'; its parts are ledger, summary"):
        talk.context("ana", parts=["leger"])  # type: ignore[list-item]
