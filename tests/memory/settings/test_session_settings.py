"""Settings that few sessions touch: each does what it says, and moves nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from parley.memory.context.context import Context, Request, assemble
from parley.memory.errors import SettingsRefused
from parley.memory.fold.due import due_summaries
from parley.memory.fold.replay import fold_records
from parley.memory.settings.session_settings import parse_settings
from parley.memory.state.memory import Memory
from tests.support.logs.logs import answer, folded, numbered, talk

FILLER = [("eli", f"Remark {k}.") for k in range(8)]
AGREED = [
    ("ana", "[PROPOSAL] Move the index to the second disk"),
    ("bo", "I support P1."),
    ("cy", "I support P1."),
]


def shown(**context: int) -> Context:
    """The full context of a talk of eleven messages, with summaries of two levels."""
    summary = {"interval": 2, "fanout": 2, "keep": 5}
    records = talk(*AGREED, *FILLER, summary=summary, context=context)
    memory, _ = folded(records)
    while effects := due_summaries(memory):
        made = numbered(map(answer, effects), memory.seq, memory.n)
        fold_records(memory, made)
    return assemble(memory, Request("ana", recent=records))


def fold_session(*lines: tuple[str, str], **settings: object) -> Memory:
    return folded(talk(*lines, **settings))[0]


def test_a_quorum_is_how_many_besides_the_proposer_support() -> None:
    """Two are not three."""
    assert fold_session(*AGREED, ratify={"quorum": 2}).proposals[1].status == "accepted"
    assert fold_session(*AGREED, ratify={"quorum": 3}).proposals[1].status == "active"


def test_nearness_reaches_as_far_as_the_window() -> None:
    """A bare word of agreement beyond it is about nothing."""
    lines = (AGREED[0], *FILLER, ("dee", "I agree."))
    assert set(fold_session(*lines, link={"window": 9}).proposals[1].reactions) == {"dee"}
    assert fold_session(*lines, link={"window": 8}).proposals[1].reactions == {}


def test_how_much_alike_an_echo_is_can_be_set() -> None:
    """At 1,000 only the same words are."""
    lines = (AGREED[0], ("dee", "[PROPOSAL] Move the index to the second disk today"))
    assert fold_session(*lines, echo={"similarity": 500}).proposals[2].echoes == 1
    assert fold_session(*lines, echo={"similarity": 1000}).proposals[2].echoes is None


def test_compaction_leaves_what_its_target_says() -> None:
    """A share of the cap, once the threshold is passed."""
    lines = [("ana", f"[PROPOSAL] Paint room {k} of the {k * 7}th floor") for k in range(1, 6)]
    for target, left in ((250, 1), (750, 3)):
        caps = {"proposals": 4, "threshold": 1000, "target": target}
        assert len(fold_session(*lines, caps=caps).full_proposals) == left


def test_a_context_is_as_large_as_its_settings_say() -> None:
    """Its budget, and the messages in it."""
    assert shown(budget_tokens=175).size <= 175 < shown().size
    for recent in (2, 4):
        assert 0 < shown(recent_full=recent).text.count("\n- n ") <= recent


def test_the_prefix_has_its_share_of_the_budget() -> None:
    """What has no room in it is left out, however empty the rest is."""
    assert not shown(recent_full=2, prefix_share=600).dropped
    assert shown(recent_full=2, prefix_share=15).dropped


def test_a_brief_context_has_as_many_messages_as_are_set() -> None:
    """Whatever the full one has."""
    records = talk(*FILLER, context={"recent_brief": 3})
    memory, _ = folded(records)
    assert assemble(memory, Request(profile="brief", recent=records)).text.count("\n- n ") == 3


@pytest.mark.parametrize(
    ("tree", "key", "reason"),
    [
        (
            {"floor.policy": "bid"}, "floor.policy",
            'Input should be nested: {"floor": {"policy": ...}}',
        ),
        (
            {"limits.note.cap": 9}, "limits.note.cap",
            'Input should be nested: {"limits": {"note": {"cap": ...}}}',
        ),
        (
            {"limits": {"note.cap": 9}}, "limits.note.cap",
            'Input should be nested: {"limits": {"note": {"cap": ...}}}',
        ),
        (
            {"floor": {"polcy": "bid"}}, "floor.polcy",
            "There is no such setting; did you mean policy?",
        ),
        ({"flor": {"policy": "bid"}}, "flor", "There is no such setting; did you mean floor?"),
        ({"stage.lights": 1}, "stage.lights", "There is no such setting."),
    ],
)  # fmt: skip
def test_a_setting_that_is_none_is_told_what_there_is(
    tree: dict[str, Any], key: str, reason: str
) -> None:
    """The nested form of a dotted name, or the name that is near."""
    with pytest.raises(SettingsRefused) as refused:
        parse_settings(tree)
    assert (refused.value.key, refused.value.reason) == (key, reason)
