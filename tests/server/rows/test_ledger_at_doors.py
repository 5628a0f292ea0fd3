"""One ledger at every door: what a model reads is shown and marked, what was denied is nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from typing import Any, Final

import orjson
import pytest
from rich.console import Console

from parley.bus.entries import ItemCorrected, Record
from parley.memory.fold.apply import apply
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.statistics.statistics import count_memory
from parley.server.http.bodies.page_responses import Board, BriefRow
from parley.server.library.memory_rows import list_decisions, list_positions, list_proposals
from parley.server.mcp.tools import result_text, tool_results
from parley.server.mcp.tools.result_rows import add_quotes, memory_tree
from parley.server.minutes.brief_report import build_brief
from parley.server.minutes.minutes_report import build_report
from parley.server.queries.explanation import build_explanation
from parley.server.queries.log_queries import Replay
from parley.server.render.digest_text import write_minutes
from parley.server.render.item_text import write_item
from parley.server.render.layer_text import ledger as ledger_lines
from parley.server.render.minutes import brief_text
from parley.server.render.minutes.minutes_forms import render
from parley.server.render.session_text import view_lines
from parley.server.render.stats_text import statistics_lines
from parley.server.rows.digest_rows import digest
from parley.server.rows.finding_rows import finding_rows
from parley.server.rows.layer_rows import ledger as ledger_tree
from parley.server.rows.page_rows import page_row
from tests.support.logs.logs import PACKS
from tests.support.logs.read_talk import (
    CANDIDATE,
    DENIED,
    FIRM,
    READ_ONLY,
    RETRACTED,
    RULING,
    STRUCK,
    read_talk,
)

Door = Callable[[Memory, list[Record]], str]


def printed(write: Callable[[Console], None]) -> str:
    out = StringIO()
    write(Console(file=out, width=200, no_color=True))
    return out.getvalue()


def by_n(records: list[Record]) -> dict[int, Record]:
    return {record.n: record for record in records if record.n}


def as_json(row: object) -> str:
    return orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS).decode()


def brief_of(memory: Memory, records: list[Record]) -> dict[str, Any]:
    row = build_brief(memory, by_n(records))
    BriefRow.model_validate(row)
    return row


def library(memory: Memory, records: list[Record]) -> str:
    rows = by_n(records)
    firm = [list_proposals(memory, rows), list_decisions(memory, rows), list_positions(memory)]
    return as_json(firm)


def page(memory: Memory, records: list[Record]) -> str:
    board = page_row(memory)
    Board.model_validate(board)
    return as_json({name: rows for name, rows in board.items() if name != "apart"})


def tool_memory(memory: Memory, records: list[Record]) -> str:
    tree = add_quotes(memory_tree(memory, "all"), by_n(records))
    return result_text.memory_text(tool_results.Memory.model_validate(tree))


def tool_brief(memory: Memory, records: list[Record]) -> str:
    return result_text.brief_text(tool_results.Brief.model_validate(brief_of(memory, records)))


def minutes_in(form: Any) -> Door:
    def door(memory: Memory, records: list[Record]) -> str:
        return render(build_report(memory, records, "read"), form).decode()

    return door


DOORS: Final[dict[str, Door]] = {
    "library": library,
    "page": page,
    "mcp memory": tool_memory,
    "mcp brief": tool_brief,
    "chat": lambda memory, _: "\n".join(view_lines(memory, "memory")),
    "memory": lambda memory, records: printed(
        lambda console: write_minutes(console, digest(memory, by_n(records)))
    ),
    "memory --json": lambda memory, records: as_json(digest(memory, by_n(records))),
    "brief": lambda memory, records: printed(
        lambda console: brief_text.write(console, brief_of(memory, records))
    ),
    "brief --json": lambda memory, records: as_json(brief_of(memory, records)),
    "minutes text": minutes_in("text"),
    "minutes markdown": minutes_in("md"),
    "minutes html": minutes_in("html"),
    "minutes json": lambda memory, records: as_json(_without_evidence(memory, records)),
}
IN_WORDS: Final = ("mcp memory", "memory", "brief", "minutes text")


def _without_evidence(memory: Memory, records: list[Record]) -> dict[str, Any]:
    """A report without the words of messages that its lines link to."""
    report = build_report(memory, records, "read")
    return {name: part for name, part in report.items() if name != "evidence"}


@pytest.mark.parametrize("door", DOORS)
def test_what_was_denied_or_retracted_is_in_no_view(door: str) -> None:
    """A model's denial of what rules read in prose, and a person's word on anything."""
    shown = DOORS[door](*read_talk())
    for words in ("sail to the office", "ail home", "meeting on the moon"):
        assert words not in shown
    for handle in (DENIED, RETRACTED, STRUCK):
        assert f'"{handle}"' not in shown
        assert f"{handle} " not in shown


@pytest.mark.parametrize("door", IN_WORDS)
def test_sides_that_a_model_reads_are_counted_and_marked(door: str) -> None:
    """A proposal under a read objection is not "0 for, 0 against"."""
    shown = DOORS[door](*read_talk())
    assert "1 for" in shown or "for bo (as read)" in shown
    assert "1 against" in shown or "against cy (as read)" in shown
    assert "as read" in shown


def test_rows_count_the_sides_that_a_model_reads() -> None:
    """On every row of the proposal alike; the condition stands with the side."""
    memory, records = read_talk()
    rows = [
        *list_proposals(memory, by_n(records)),
        *page_row(memory)["proposals"],
        *brief_of(memory, records)["open"],
    ]
    tallies = [row["tally"] for row in rows if row.get("handle", row.get("ref")) == FIRM]
    assert tallies == [{"support": 1, "oppose": 1, "neutral": 0}] * 3
    row = next(row for row in list_proposals(memory, {}) if row["handle"] == FIRM)
    told = [(side["participant"], side["as_read"], side["counted"]) for side in row["reactions"]]
    assert told == [("cy", True, False), ("bo", True, False)]
    assert row["reactions"][1]["condition"] == "the backup is done"
    positions = [(row["participant"], row["on"], row["as_read"]) for row in list_positions(memory)]
    assert [row for row in positions if row[1] == FIRM] == [("cy", FIRM, True), ("bo", FIRM, True)]


@pytest.mark.parametrize("door", DOORS)
def test_a_ruling_as_read_is_shown_and_never_called_ratified(door: str) -> None:
    """With its outcome, wherever decisions are."""
    shown = DOORS[door](*read_talk())
    assert RULING in shown
    assert "two nodes" in shown
    assert "ratified" not in shown.replace('"ratified":null', "")
    assert "as read" in shown or '"as_read":true' in shown


@pytest.mark.parametrize("door", ["mcp memory", "brief", "memory", "minutes text", "chat"])
def test_a_ruling_says_that_it_changed_what_it_accepted(door: str) -> None:
    """In the words of its outcome."""
    assert "accepted with changes" in DOORS[door](*read_talk())


def test_a_reading_is_one_list_with_what_the_fold_found() -> None:
    """By the message that items were born in, with what a model says of them."""
    memory, records = read_talk()
    rows = list_proposals(memory, by_n(records))
    assert [row["handle"] for row in rows] == [FIRM, READ_ONLY]
    row = rows[1]
    assert (row["status"], row["status_text"]) == ("accepted", "accepted with changes (as read)")
    assert (row["relation"], row["related"]) == ("alternative", [FIRM])
    assert row["question"] == "Where does the index live?"
    assert row["statement"] == "Run a read replica in the north hall."
    assert row["ending"] == {
        "word": "accepted_with_changes", "by": "eli", "right": "chair", "reporter": None,
        "detail": "two nodes", "n": 10, "decision": RULING,
    }  # fmt: skip
    (decision,) = list_decisions(memory, by_n(records))
    assert (decision["handle"], decision["settles"], decision["as_read"]) == (
        RULING, [READ_ONLY], True,
    )  # fmt: skip


def test_the_brief_counts_a_ruling_as_decided() -> None:
    """Nothing is said to be undecided once somebody who may rule did so."""
    brief = brief_of(*read_talk())
    assert brief["sentence"] == "Decided 1, open 1."
    assert [row["ref"] for row in brief["decided"]] == [RULING]
    assert "Nothing" not in DOORS["minutes text"](*read_talk())


def test_candidates_are_in_their_drawer_and_in_no_count() -> None:
    """With how often such a finding is right."""
    memory, records = read_talk()
    brief = brief_of(memory, records)
    (row,) = brief["candidates"]
    assert (row["ref"], brief["counts"]["candidates"]) == (CANDIDATE, 1)
    assert row["why"].startswith("found by the rules for wording")
    for part in ("decided", "disputed", "claimed", "open"):
        assert CANDIDATE not in [row["ref"] for row in brief[part]]
    drawers = {"mcp brief": "1 candidate, counted nowhere"}
    for door in ("mcp memory", "chat", "library", "minutes text", "minutes markdown"):
        assert "archive" not in DOORS[door](memory, records)
    for door, words in drawers.items():
        assert words in DOORS[door](memory, records)
    asked = memory_tree(memory, "candidates")
    assert [row["ref"] for row in asked["candidates"]] == [CANDIDATE]
    assert asked["proposals"] == []
    assert ledger_tree(memory)["candidates"][0]["ref"] == CANDIDATE


def test_tasks_and_rights_that_a_model_reads_are_told() -> None:
    """Among the actions, in place of what rules read in the message; and who may rule."""
    memory, records = read_talk()
    report = build_report(memory, records, "read")
    (task,) = [row for row in report["actions"] if row["n"] == 11]
    assert (task["who"], task["text"], task["due"]) == (
        "cy",
        "Order two nodes",
        "before the weekend",
    )
    assert (task["as_read"], task["decision"]) == (True, RULING)
    assert [row["text"] for row in brief_of(memory, records)["actions"] if row["n"] == 11] == [
        "Order two nodes"
    ]
    text = DOORS["minutes text"](memory, records)
    assert "May rule: eli (chair), dee (says eli, as read)" in text
    assert [row["participant"] for row in digest(memory, {})["rulers"]] == ["eli", "dee"]


def test_explain_says_who_denied_an_item_and_why() -> None:
    """A model with its reason, and a person."""
    memory, records, facts = Memory(PACKS), read_talk()[1], list[Fact]()
    for record in records:
        facts += apply(memory, record)
    replay = Replay(memory=memory, records=by_n(records), facts=facts)
    by_model = build_explanation(replay, DENIED)
    assert (by_model["status_text"], by_model["denied"]["reason"]) == ("denied", "irony")
    said = printed(lambda console: write_item(console, by_model))
    assert "a model reads it otherwise: it is not meant in earnest" in said
    for handle in (RETRACTED, STRUCK):
        assert build_explanation(replay, handle)["denied"]["says"] == "a person retracted it"
    assert "denied" in "\n".join(ledger_lines(memory))
    denied = {row["ref"] for row in ledger_tree(memory)["denied"]}
    assert {DENIED, RETRACTED} <= denied


def test_findings_come_from_the_ledger() -> None:
    """What a model denied is left out; what it reads is in, with its sides."""
    memory, records, facts = Memory(PACKS), read_talk()[1], list[Fact]()
    for record in records:
        facts += apply(memory, record)
    rows = finding_rows(facts, memory, lambda n: n)
    told = {(row["index"], row["label"], row.get("proposal_index")) for row in rows}
    assert told == {
        (4, "candidate", None),
        (5, "proposal", None), (5, "status", 5), (6, "reaction", 5), (7, "reaction", 5),
        (9, "proposal", None), (9, "status", 9), (10, "decision", 9),
        (10, "reaction", 9),  # who rules on it
    }  # fmt: skip
    assert [row.get("kind") for row in rows if row["label"] == "candidate"] == ["proposal"]
    status = next(row for row in rows if row["label"] == "status" and row["index"] == 9)
    assert (status["status"], status["how"]) == ("accepted", "model")


def test_stats_count_candidates_and_what_was_denied() -> None:
    """Apart from the items; and the readings."""
    lines = "\n".join(statistics_lines(count_memory(read_talk()[0])))
    assert "1 candidate, counted nowhere; 2 items denied" in lines
    assert "extraction: 1 stretch read by a model" in lines


def test_a_person_confirms_a_candidate() -> None:
    """From then on it is firm."""
    memory, records = read_talk(ItemCorrected(ref=CANDIDATE, by="eli", op="confirm"))
    item = ledger_of(memory).item(CANDIDATE)
    assert item is not None
    assert item.shelf == "firm"
    assert CANDIDATE in [row["ref"] for row in brief_of(memory, records)["open"]]
    assert json.loads(DOORS["brief --json"](memory, records))["candidates"] == []
