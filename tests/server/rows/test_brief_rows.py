"""The Brief: every item in one place, one count an item, a title in words."""

from __future__ import annotations

from operator import le
from typing import Any

import pytest

from parley.bus.entries import BallotCast, ItemCorrected, ParticipantJoined, VoteInitiated
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.memory import Memory
from parley.memory.voting.votes import compute_result
from parley.server.http.bodies.page_responses import Board
from parley.server.render.layer_text import ledger
from parley.server.render.minutes.row_lines import decision as decision_line
from parley.server.rows.brief_rows import brief_row, brief_sentence, waiting_for
from parley.server.rows.digest_rows import digest
from parley.server.rows.page_rows import page_row
from parley.server.verdicts.decision_words import reason_words
from parley.server.verdicts.tallies import Tally, item_tally
from tests.support.logs.logs import PACKS, folded, talk

IDEA = ("ana", "I propose that we move the index to the second disk before Friday.")
FOR = [("bo", "I support P1."), ("cy", "I support P1.")]


def brief_of(*lines: Any, **settings: Any) -> dict[str, Any]:
    memory, _ = folded(talk(*lines, **settings))
    return brief_row(memory)


def test_what_is_in_force_says_what_how_many_and_by_what() -> None:
    """Text, count, the rule in words; and the sentence on top counts it."""
    brief = brief_of(IDEA, *FOR)
    (row,) = brief["decided"]
    assert row["text"] == "we move the index to the second disk before Friday"
    assert row["tally"] == {"support": 3, "oppose": 0, "neutral": 0}
    assert row["basis"] == "adopted"
    assert brief["sentence"] == "Decided 1, nothing open."
    assert (brief["open"], brief["claimed"], brief["candidates"]) == ([], [], [])


def test_a_replaced_decision_stands_beneath_what_replaced_it_and_nowhere_else() -> None:
    """Over several steps: all that came before, the newest first."""
    lines: list[Any] = [
        ("ana", "DECISION: the talk is held on Monday."),
        ItemCorrected(ref="D1", by="bo", op="confirm"),
        ("ana", "DECISION: the talk is held on Tuesday, which replaces D1."),
        ItemCorrected(ref="D2", by="bo", op="confirm"),
    ]
    memory, _ = folded(talk(*lines, chair=["bo"]))
    brief = brief_row(memory)
    (row,) = brief["decided"]
    assert [earlier["ref"] for earlier in row["replaces"]] == ["D1"]
    assert [count for count in brief["counts"].values() if count] == [1]
    assert brief["counts"]["decided"] == 1


def test_claims_wait_apart_until_somebody_confirms_them() -> None:
    """Confirmed by the chair they bind, by that word; dismissed they are gone."""
    claim = ("ana", "[DECISION] We keep the night ferry.")
    brief = brief_of(claim)
    (row,) = brief["claimed"]
    assert (row["ref"], row["status_text"], row["basis"]) == ("D1", "claimed", "marked")
    assert brief["sentence"] == "Nothing is decided yet, unconfirmed 1."
    confirmed = brief_of(claim, ItemCorrected(ref="D1", by="bo", op="confirm"), chair=["bo"])
    assert [row["basis"] for row in confirmed["decided"]] == ["confirmed by a person"]
    dismissed = brief_of(claim, ItemCorrected(ref="D1", by="bo", op="retract"))
    assert (dismissed["decided"], dismissed["claimed"]) == ([], [])


def test_the_strongest_dissent_comes_first_in_its_own_words() -> None:
    """Who gives a reason stands before who only says no; their mark is not told twice."""
    against = [("eve", "-1 to P1"), ("dee", "I oppose P1. The second disk is the older one.")]
    lines = talk(IDEA, *FOR, *against)
    memory, _ = folded(lines)
    row = brief_row(memory, {record.n: record for record in lines})["disputed"][0]
    assert next((d["participant"], d["text"]) for d in row["dissent"]) == (
        "dee", "The second disk is the older one.",
    )  # fmt: skip


def test_an_item_has_one_count_wherever_it_is_shown() -> None:
    """On the proposal, the decision, the board, the minutes; who spoke before the vote is in it."""
    joined = [ParticipantJoined(participant=name) for name in ("ana", "bo", "cy")]
    called = VoteInitiated(participant="ana", content="Move it?", re="P1")
    ballots = [
        BallotCast(participant=name, re="V1", choice=(choice,))
        for name, choice in (("ana", "accept"), ("bo", "accept"), ("cy", "reject"))
    ]
    lines: list[Any] = [*joined, IDEA, ("zoe", "I support P1."), called, *ballots]
    memory, _ = folded(talk(*lines))
    memory, _ = folded(talk(*lines, compute_result(memory, 1)))
    expected = {"support": 3, "oppose": 1, "neutral": 0}
    assert tally_of(memory, "P1") == tally_of(memory, "D1") == expected
    board, minutes = page_row(memory), digest(memory, {})
    shown = [*board["proposals"], *board["decisions"], *minutes["settled"], *minutes["decisions"]]
    assert [row["tally"] for row in shown] == [expected] * 4
    assert next(iter(ledger(memory))).startswith("D1 ratified +3 -1 ~0, ")


def tally_of(memory: Memory, handle: str) -> Tally:
    item = ledger_of(memory).item(handle)
    assert item is not None
    return item_tally(memory, item)


def test_an_open_proposal_is_told_with_who_is_against_it() -> None:
    """In their words, also where they give in: "fine" takes back nothing."""
    lines = talk(IDEA, ("dee", "I still think P1 is wrong, but fine."), ("eve", "I oppose P1."))
    memory, _ = folded(lines)
    (row,) = brief_row(memory, {record.n: record for record in lines})["open"]
    assert [(each["participant"], each["text"], each["n"]) for each in row["dissent"]] == [
        ("dee", "I still think P1 is wrong, but fine.", 2), ("eve", "I oppose P1.", 3),
    ]  # fmt: skip


def test_a_decision_is_never_told_by_a_handle() -> None:
    """A ruling that names its proposal alone is told by what that proposes."""
    memory, _ = folded(talk(IDEA, *FOR[:1], ("cy", "[DECISION] P1 it is, then.")))
    texts = [row["text"] for row in page_row(memory)["decisions"]]
    assert texts == ["we move the index to the second disk before Friday"]


def test_a_proposal_says_that_its_decision_was_replaced() -> None:
    """It was accepted once; what stands now is on its card."""
    later = ("dee", "[DECISION] We move the index to the third disk, which replaces D1.")
    confirmed = ItemCorrected(ref="D2", by="bo", op="confirm")
    memory, _ = folded(talk(IDEA, *FOR, later, confirmed, chair=["bo"]))
    row = next(row for row in page_row(memory)["proposals"] if row["ref"] == "P1")
    assert (row["status"], row["decision"], row["replaced_by"]) == ("accepted", "D1", "D2")


def test_a_running_vote_waits_for_whoever_has_not_voted() -> None:
    """By name, and in the words of who reads."""
    joined = [ParticipantJoined(participant=name) for name in ("ana", "bo", "cy")]
    called = VoteInitiated(participant="ana", content="Move it?", re="P1")
    ballot = BallotCast(participant="ana", re="V1", choice=("accept",))
    brief = brief_of(*joined, IDEA, called, ballot)
    assert brief["counts"]["open"] == 1
    assert waiting_for(brief["waiting"], "bo") == "one vote"
    assert waiting_for(brief["waiting"], "ana") == ""


def test_a_question_that_came_to_nothing_is_kept_until_it_is_asked_again() -> None:
    """With what was cast, beside what is open; a vote on a proposal is told with that."""
    joined = [ParticipantJoined(participant=name) for name in ("ana", "bo", "cy")]
    called = VoteInitiated(participant="ana", content="Do we meet on Monday?")
    lines: list[Any] = [*joined, called, BallotCast(participant="ana", re="V1", choice=("accept",))]
    memory, _ = folded(talk(*lines))
    lines.append(compute_result(memory, 1))
    memory, _ = folded(talk(*lines))
    (row,) = brief_row(memory)["missed"]
    assert (row["ref"], row["status"], row["tally"]["accept"]) == ("V1", "short", 1)
    board = page_row(memory)["brief"]
    assert (board["missed"], board["votes"], board["counts"]["open"]) == (["V1"], [], 0)
    again = VoteInitiated(participant="bo", content="Do we meet on  monday?")
    assert brief_of(*lines, again)["missed"] == []


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ((3, 1, 0, 1, 4), "Decided 3, disputed 1, open 1."),
        ((4, 0, 2, 0, 2), "Decided 4, unconfirmed 2, nothing open."),
        ((0, 0, 0, 2, 4), "Nothing is decided yet, open 2."),
        ((0, 0, 0, 0, 3), "Nothing is decided yet."),
    ],
)
def test_the_sentence_tells_the_counts(counts: tuple[int, ...], sentence: str) -> None:
    """None is left out but what is 0; candidates are counted nowhere but in their drawer."""
    names = ("decided", "disputed", "claimed", "open", "candidates")
    assert brief_sentence(dict(zip(names, counts, strict=True))) == sentence


def test_the_board_has_the_brief_by_handles() -> None:
    """The page has the rows already."""
    memory, _ = folded(talk(IDEA, *FOR, ("dee", "[DECISION] We keep the night ferry.")))
    board = page_row(memory)
    Board.model_validate(board)
    assert board["brief"]["decided"] == ["D1"]
    assert board["brief"]["claimed"] == ["D2"]
    assert page_row(Memory(PACKS))["brief"]["sentence"] == "Nothing is decided yet."


def test_of_an_entry_that_is_not_at_hand_no_reason_is_told() -> None:
    """A transcript may be read in part."""
    memory, _ = folded(talk(IDEA))
    assert reason_words(memory.proposals[1].origin.cites[0], {}) is None


@pytest.mark.parametrize("secret", [False, True], ids=["public", "secret"])
def test_who_takes_a_side_after_the_vote_is_counted_too(secret: bool) -> None:
    """Nobody twice, and the same in the memory, the minutes and the Brief."""
    joined = [ParticipantJoined(participant=name) for name in ("ana", "bo", "cy")]
    called = VoteInitiated(participant="ana", content="Move it?", re="P1", secret=secret)
    ballots = [
        BallotCast(participant=name, re="V1", choice=(choice,))
        for name, choice in (("ana", "accept"), ("bo", "accept"), ("cy", "reject"))
    ]
    lines: list[Any] = [*joined, IDEA, called, *ballots]
    memory, _ = folded(talk(*lines))
    later = [("dan", "I support D1."), ("cy", "I support D1, now that I see it.")]
    memory, _ = folded(talk(*lines, compute_result(memory, 1), *later))
    tally = tally_of(memory, "D1")
    assert tally == {"support": 3 if secret else 4, "oppose": 1 if secret else 0, "neutral": 0}
    assert tally_of(memory, "P1") == tally
    report = digest(memory, {})
    (row,) = report["decisions"]
    assert row["tally"] == tally
    named = {side: len(row[side]) for side in ("supporters", "dissenters", "abstainers")}
    counts = tally["support"], tally["oppose"], tally["neutral"]
    assert all(map(le, named.values(), counts)), (named, tally)
    shown = f"+{tally['support']} -{tally['oppose']} ~0"
    assert next(iter(ledger(memory))).startswith(f"D1 ratified {shown}, ")
    told = {**row, "wording": None, "alike": None, "drawn_up": False}
    note = decision_line(told, {}, "", "", []).note
    assert note.startswith(
        "3 for, 1 against; by a vote" if secret else "4 for, 0 against; by a vote"
    )
