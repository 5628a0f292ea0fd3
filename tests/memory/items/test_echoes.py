"""An idea that comes back: what it repeats, what they share, why the earlier one failed."""

from __future__ import annotations

import io
from typing import cast

import pytest
from rich.console import Console

from parley.bus.entries import Entry, Message, ParticipantAliased
from parley.memory.context.context import Request, assemble
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.items.echoes import describe_fate
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.server.render.digest_text import write_minutes
from parley.server.render.events.fact_text import fact_line
from parley.server.rows.digest_rows import digest
from tests.support.logs.answers import settled
from tests.support.logs.logs import PACKS, folded, opened, talk

IDEA = ("ana", "I propose that we move the index to the second disk before Friday.")
AGAIN = ("dee", "What if we put the index on to the second disk before Friday, as it was slow?")
REJECTED = (
    IDEA,
    ("bo", "I oppose P1, the second disk is full."),
    ("cy", "-1 to P1"),
    ("eli", "I reject P1."),
)


def rejected(*later: tuple[str, str] | Message) -> tuple[Memory, list[Fact]]:
    """P1 rejected at message 4 for the reason of message 2, then what is said later."""
    return folded(talk(*REJECTED, *later, chair=["eli"]))


def only(facts: list[Fact], kind: str) -> Fact:
    (fact,) = [fact for fact in facts if fact.kind == kind]
    return fact


def test_an_echo_names_the_earlier_one_and_what_they_share() -> None:
    """Handle, message, status, similarity, words, and that words showed it."""
    memory, facts = rejected(AGAIN)
    echo = only(facts, "proposal.echoed")
    assert (echo.ref, echo.data["earlier"], echo.data["earlier_n"]) == ("P2", "P1", 1)
    assert echo.data["similarity"] == memory.proposals[2].similarity >= 700
    assert {"index", "disk", "friday"} <= set(echo.data["shared"])  # type: ignore[call-overload]  # JSON-ready
    assert echo.data["model"] is None


def test_what_was_rejected_and_comes_back_is_told_with_the_reason() -> None:
    """A fact of its own, which cites the dissent."""
    _, facts = rejected(AGAIN)
    again = only(facts, "proposal.reoffered")
    assert (again.ref, again.data["earlier"], again.data["settled_n"]) == ("P2", "P1", 4)
    assert (again.data["because_by"], again.data["because_n"]) == ("bo", 2)
    assert again.data["because"] == "I oppose P1, the second disk is full."
    line = fact_line({"kind": again.kind, "ref": again.ref, "data": again.data})
    assert line == (
        "P2 offers again what was rejected as P1 in message 4, because “I oppose P1, the second "
        "disk is full.” (bo, message 2)"
    )


def test_what_was_withdrawn_or_lapsed_is_offered_again_too() -> None:
    """With nobody's reason, since nobody had their way."""
    _, facts = folded(talk(IDEA, ("ana", "I withdraw P1."), AGAIN))
    assert only(facts, "proposal.reoffered").data["earlier_status"] == "withdrawn"
    quiet = [("cy", f"Line {index} of something else.") for index in range(9)]
    _, facts = folded(talk(IDEA, *quiet, ("bo", "So."), AGAIN, lapse={"after": 10}))
    again = only(facts, "proposal.reoffered")
    assert (again.data["earlier_status"], again.data["because"]) == ("lapsed", None)
    assert again.data["settled_n"] == 11


@pytest.mark.parametrize("status", ["active", "accepted"])
def test_what_stands_is_repeated_but_not_offered_again(status: str) -> None:
    """An open proposal, or one that was accepted, was not given up."""
    votes = [("bo", "+1 to P1"), ("cy", "+1 to P1")] if status == "accepted" else []
    memory, facts = folded(talk(IDEA, *votes, AGAIN))
    assert memory.proposals[1].status == status
    assert only(facts, "proposal.echoed").data["earlier_status"] == status
    assert all(fact.kind != "proposal.reoffered" for fact in facts)


def test_what_is_said_once_it_is_settled_is_no_reason_for_it() -> None:
    """However long: of causes only those before their effect are told."""
    after = ("bo", "I oppose P1, and the second disk is not only full but also slow and old.")
    memory, facts = rejected(after, AGAIN)
    assert only(facts, "proposal.reoffered").data["because_n"] == 4
    assert "(eli, message 4)" in describe_fate(memory, memory.proposals[1])


def test_what_was_given_up_after_its_repeat_was_not_offered_again() -> None:
    """P2 repeated it while it was open; the minutes say that it went later."""
    ruled = ("eli", "I reject P1.")
    memory, facts = folded(talk(IDEA, AGAIN, ruled, chair=["eli"]))
    assert all(fact.kind != "proposal.reoffered" for fact in facts)
    (row,) = digest(memory, {})["echoes"]
    assert (row["reoffered"], row["settled_n"], row["n"]) == (False, 3, 2)
    assert "this idea was rejected later at message 3" in minutes_text(memory)


def minutes_text(memory: Memory) -> str:
    console = Console(file=io.StringIO(), width=200)
    write_minutes(console, digest(memory, {}))
    return cast("io.StringIO", console.file).getvalue()


def test_the_context_says_what_it_repeats_and_the_minutes_why() -> None:
    """Who proposes it again reads what became of it and where."""
    memory, _ = rejected(AGAIN)
    text = assemble(memory, Request(participant="dee", profile="full", budget=4000)).text
    assert "repeats P1, rejected at n 4)" in text
    (row,) = digest(memory, {})["echoes"]
    assert row["reoffered"] is True
    assert row["because"] == {
        "participant": "bo", "n": 2, "text": "I oppose P1, the second disk is full.",
    }  # fmt: skip


def test_an_echo_is_what_it_was_after_a_restart() -> None:
    """The bytes hold similarity, words and voices."""
    memory, _ = rejected(AGAIN, ("bo", "Still full, P2."))
    again = load(dump(memory), PACKS)
    assert dump(again) == dump(memory)
    assert describe_fate(again, again.proposals[1]) == describe_fate(memory, memory.proposals[1])


def flip(*between: tuple[str, str] | Message) -> tuple[Fact, Memory]:
    """bo's change of sides on P1, after what others said in between."""
    before = ("bo", "I oppose P1, the second disk is full.")
    memory, facts = folded(talk(IDEA, before, *between, ("bo", "I support P1 now.")))
    return only(facts, "position.flipped"), memory


def test_a_flip_names_what_another_said_last_on_it() -> None:
    """A stance, or any message about it; what was said of nothing moved nobody."""
    fact, memory = flip(("cy", "I support P1, we bought a disk."), ("dee", "Lunch?"))
    assert (fact.data["was_n"], fact.data["moved_by"], fact.data["moved_n"]) == (2, "cy", 3)
    position = memory.participants["bo"].positions["P1"]
    assert (position.moved_by, position.moved_n) == ("cy", 3)
    asked = Message(participant="dee", content="It has 2 TB free.", act="inform", re="P1")
    fact, _ = flip(("cy", "+1 to P1"), asked)
    assert (fact.data["moved_by"], fact.data["moved_n"]) == ("dee", 4)


def test_a_flip_that_nothing_preceded_names_nobody() -> None:
    """Nor does what the one who turned said before."""
    fact, _ = flip(("cy", "Lunch?"), ("bo", "P1 is what I mean."))
    assert (fact.data["moved_by"], fact.data["moved_n"]) == (None, None)


def test_who_moved_somebody_is_told_where_positions_are() -> None:
    """In the context of the one who turned, and in the minutes."""
    _, memory = flip(("cy", "I support P1, we bought a disk."))
    text = assemble(memory, Request(participant="bo", profile="full", budget=4000)).text
    assert "was oppose at n 2, moved by cy at n 3" in text
    rows = {row["participant"]: row["positions"] for row in digest(memory, {})["positions"]}
    assert (rows["bo"][0]["moved_by"], rows["bo"][0]["moved_n"]) == ("cy", 3)


def test_nobody_moves_themself_under_another_name() -> None:
    """An alias that makes two speakers one takes back what the one moved the other by."""
    _, memory = flip(("cy", "I support P1, we bought a disk."))
    joined, _ = folded(talk(
        IDEA, ("bo", "I oppose P1, the second disk is full."),
        ("cy", "I support P1, we bought a disk."), ("bo", "I support P1 now."),
        ParticipantAliased(alias="cy", participant="bo"),
    ))  # fmt: skip
    assert memory.participants["bo"].positions["P1"].moved_by == "cy"
    assert joined.participants["bo"].positions["P1"].moved_by == ""


def test_when_an_embedding_answers_leaves_no_trace() -> None:
    """A repeat that it finds stands at its proposal; no summary is told of it, early or late."""
    tree = {"echo": {"how": "embedding"}, "summary": {"interval": 2}}
    log: list[Entry] = [
        opened(**tree),
        *(
            Message(participant=who, content=text)
            for who, text in (
                ("ana", "[PROPOSAL] Paint the shed green."),
                ("bo", "[PROPOSAL] Give the hut the colour of leaves."),
                ("cy", "Hm."),
                ("ana", "Yes."),
                ("bo", "Well."),
            )
        ),
    ]
    at_once, late = settled(log).memory, settled(log, [0] * len(log)).memory
    assert at_once.proposal(2).echoes == 1  # type: ignore[union-attr]  # it is there
    assert dump(late) == dump(at_once)
