"""The rule of decision in words: the same everywhere; and what an item lacks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley import Memory as Parley
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


FEW = ", and only one other took part so far; no chair is named"


@pytest.mark.parametrize(("lines", "chair", "handle", "missing"), [
    ((), (), "P1", "P1 needs 2 more supporters"),
    ((("bo", "I support P1."),), (), "P1", f"P1 needs one more supporter{FEW}"),
    ((("bo", "I support P1."), ("cy", "Fine weather.")), (), "P1", "P1 needs one more supporter"),
    ((("ana", "I support P1."),), ("eve",), "P1",
     "P1 needs 2 more supporters, or the word of the chair (eve)"),
    ((("bo", "I support P1, if it is cheap."),), (), "P1",
     f"P1 needs 2 more supporters{FEW}"),
    ((("bo", "I oppose P1."),), (), "P1",
     "P1 is opposed by bo: a vote or their agreement settles it"),
    ((("bo", "I oppose P1."),), ("eve", "fay"), "P1",
     "P1 is opposed by bo: a vote, a chair (eve, fay) or their agreement settles it"),
    (tuple((name, "I oppose P1.") for name in ("bo", "cy", "dee", "eve", "fay")), (), "P1",
     "P1 is opposed by bo, cy, dee, 2 more: a vote or their agreement settles it"),
    ((("bo", "[DECISION P1] It goes to the second disk."),), (), "D1",
     f"D1 is claimed, not binding: P1 needs 2 more supporters{FEW}"),
    ((("eve", "[DECISION P1] It goes to the second disk."),), ("Eve",), "D1",
     "D1 is claimed, not binding: P1 needs 2 more supporters, or the word of the chair (Eve); "
     "'eve' is not the chair 'Eve'"),
    ((("eve", "accept P1"),), ("Eve",), "P1",
     "P1 needs one more supporter, or the word of the chair (Eve); 'eve' is not the chair 'Eve'"),
    ((("bo", "[AMEND P1] We back it up weekly, on tape."),), (), "P1",
     "P1 is replaced by P2 by bo, which needs its own supporters"),
    ((("bo", "[DECISION] We buy a rack."), ("cy", "I support D1.")), (), "D1",
     "D1 is claimed, not binding: it needs one more supporter"),
    ((("bo", "+1 to P1"), ("cy", "+1 to P1")), (), "P1", ""),
    ((("bo", "+1 to P1"), ("cy", "+1 to P1"), ("dee", "I oppose P1.")), (), "D1",
     "D1 is disputed by dee: a vote or their agreement settles it"),
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


_SAID = st.sampled_from([
    "I support P1.", "I oppose P1.", "+1 to P1", "I support P1, if it is cheap.", "Sounds good.",
    "I am neutral on P1.", "accept P1", "Fine weather.",
])  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(["ana", "bo", "cy", "dee", "eve"]), _SAID), max_size=9))
def test_there_is_one_count_of_sides(lines: list[tuple[str, str]]) -> None:
    """The tally is the rows by side, and what is missing is counted from the same rows."""
    local = Parley(settings={"ratify": {"quorum": 3}})
    for who, words in (("ana", "I propose a light at the pier."), *lines):
        local.say(who, words)
    row = local.proposals[0]
    rows = row["reactions"]
    stances = [each["stance"] for each in rows]
    assert row["tally"] == {each: stances.count(each) for each in ("support", "oppose", "neutral")}
    if row["status"] != "active" or "oppose" in stances:
        return
    counted = [
        each["participant"]
        for each in rows
        if each["stance"] == "support" and each["counted"] and not each["conditional"]
    ]
    more = 3 - len(set(counted) - {"ana"})
    item = local.state.item("P1")
    assert item is not None
    count = "one more supporter" if more == 1 else f"{more} more supporters"
    assert describe_missing(local.state, item).startswith(f"P1 needs {count}")
