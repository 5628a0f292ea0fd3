"""The rule of decision in words: the same everywhere; and what an item lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.bus.entries import Message
from parley.memory.ledger.decision_rule import RULE, describe_missing
from parley.memory.ledger.message_outcome import message_outcome
from parley.server.mcp.deliberation_grammar import describe_grammar
from tests.support.logs.logs import folded, talk

ROOT = Path(__file__).parents[3]
IDEA = ("ana", "I propose that we move the index to the second disk.")
LINKING = (
    "README.md", "docs/votes.md", "docs/python.md", "docs/tutorial.md", "docs/protocol.md",
    "docs/http.md", "docs/README.md", "docs/cli.md", "docs/mcp.md",
)  # fmt: skip


def test_the_page_and_the_help_of_agents_hold_the_rule_word_for_word() -> None:
    page = (ROOT / "docs" / "decision-rule.md").read_text(encoding="utf-8")
    assert RULE in " ".join(page.replace("\n>", " ").split())
    assert RULE in describe_grammar()


@pytest.mark.parametrize("page", LINKING)
def test_whoever_speaks_of_it_elsewhere_links_to_the_page(page: str) -> None:
    assert "decision-rule.md" in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md", "docs/python.md"])
def test_who_the_chair_is_is_said_where_people_begin(page: str) -> None:
    assert "chair" in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize(("lines", "chair", "handle", "missing"), [
    ((), (), "P1", "P1 needs 2 more supporters"),
    ((("bo", "I support P1."),), (), "P1", "P1 needs one more supporter"),
    ((("ana", "I support P1."),), ("eve",), "P1",
     "P1 needs 2 more supporters, or the chair's word"),
    ((("bo", "I support P1, if it is cheap."),), (), "P1", "P1 needs 2 more supporters"),
    ((("bo", "I oppose P1."),), (), "P1",
     "P1 is opposed by bo: a vote, the chair or their agreement settles it"),
    (tuple((name, "I oppose P1.") for name in ("bo", "cy", "dee", "eve", "fay")), (), "P1",
     "P1 is opposed by bo, cy, dee, 2 more: a vote, the chair or their agreement settles it"),
    ((("bo", "[DECISION P1] It goes to the second disk."),), (), "D1",
     "D1 is claimed, not binding: P1 needs 2 more supporters"),
    ((("bo", "[DECISION] We buy a rack."), ("cy", "I support D1.")), (), "D1",
     "D1 is claimed, not binding: it needs one more supporter"),
    ((("bo", "+1 to P1"), ("cy", "+1 to P1")), (), "P1", ""),
    ((("bo", "+1 to P1"), ("cy", "+1 to P1"), ("dee", "I oppose P1.")), (), "D1",
     "D1 is disputed by dee: a vote, the chair or their agreement settles it"),
])  # fmt: skip
def test_what_is_missing_is_said_in_a_sentence(
    lines: tuple[tuple[str, str], ...], chair: tuple[str, ...], handle: str, missing: str
) -> None:
    memory, _ = folded(talk(IDEA, *lines, chair=list(chair)))
    item = memory.item(handle)
    assert item is not None
    assert describe_missing(memory, item) == missing


def test_what_a_message_did_is_told_of_it_alone() -> None:
    """Handles that it made and touched; the rule only to who rules and settles nothing."""
    claim = Message(participant="bo", content="It goes there.", act="decide", re="P1")
    log = talk(IDEA, ("cy", "Fine weather."), claim, ("cy", "[RATIFY D1]"), ("dee", "accept P1"))
    outcomes = []
    for end in range(2, len(log) + 1):
        memory, _ = folded(log[:end])
        outcomes.append(message_outcome(memory, memory.n))
    made, nothing, claimed, ratified, accepted = outcomes
    assert (made.made, made.touched, made.rule) == (("P1",), (), "")
    assert (nothing.made, nothing.touched, nothing.missing) == ((), (), ())
    assert (claimed.made, claimed.rule) == (("D1",), RULE)
    assert (set(ratified.touched), ratified.rule) == ({"P1", "D1"}, RULE)
    assert (set(accepted.touched), accepted.missing, accepted.rule) == ({"P1", "D1"}, (), "")


def test_a_message_that_says_an_idea_again_is_told_so() -> None:
    log = talk(IDEA, ("cy", "Hm."), ("bo", "I propose that we move the index to the second disk."))
    memory, _ = folded(log)
    (repeat,) = message_outcome(memory, 3).repeats
    assert repeat.says.startswith("P2 was proposed in message 1 as P1, still open")
