"""The minutes say what it came to, with the words that show it."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from parley.bus.entries import BallotCast, ParticipantJoined, Unknown, VoteInitiated
from parley.listeners.summaries.extracts import message_lines
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from parley.server.minutes.attendance import present_participants
from parley.server.minutes.minutes_report import build_report
from parley.server.plays.demo import bundled
from parley.server.queries.message_search import holds
from parley.server.records.transcript_analysis import analyze
from parley.server.render.digest_text import write_minutes
from parley.server.render.minutes.minutes_html import STYLE
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript
from tests.support.logs.logs import PACKS, numbered, talk


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """The minutes of the bundled deliberation."""
    return analyze(bundled(), resolve_defaults({}, {})).minutes()


def shown(report: dict[str, Any]) -> str:
    """The minutes as a person reads them."""
    page = io.StringIO()
    write_minutes(Console(width=200, file=page), report)
    return page.getvalue()


def test_decisions_come_with_supporters_dissent_and_evidence(report: dict[str, Any]) -> None:
    """At least one was ratified over a dissent that is on the record, quoted."""
    over_dissent = [
        row for row in report["decisions"] if row["status"] == "ratified" and row["dissenters"]
    ]
    assert over_dissent
    for row in over_dissent:
        assert row["supporters"]
        assert row["evidence"]["quote"]
        assert all(voice["quote"] for voice in row["dissenters"])


def test_a_superseded_decision_names_its_successor(report: dict[str, Any]) -> None:
    """Both ends of the link are there."""
    by_handle = {row["handle"]: row for row in report["decisions"]}
    (old,) = [row for row in report["decisions"] if row["status"] == "superseded"]
    assert by_handle[old["superseded_by"]]["supersedes"] == old["handle"]


def test_an_idea_that_was_rejected_before_is_pointed_out(report: dict[str, Any]) -> None:
    """With the message at which it was, about fifty messages ago."""
    (echo,) = report["echoes"]
    assert echo["status"] == "rejected"
    assert echo["n"] - echo["settled_n"] >= 40
    assert f"this idea was already rejected at message {echo['settled_n']}" in shown(report)


def test_everyone_has_positions_and_a_flip_is_marked(report: dict[str, Any]) -> None:
    """A change of sides names both messages."""
    flips = [
        position
        for person in report["positions"]
        for position in person["positions"]
        if position["was"] and position["stance"] != "neutral"
    ]
    assert flips
    assert all(position["was_n"] < position["n"] for position in flips)
    assert "changed from" in shown(report)


def test_open_proposals_summaries_and_statistics_are_there(report: dict[str, Any]) -> None:
    """Nothing of the report is empty for a whole deliberation."""
    assert report["open"]
    assert report["summaries"]
    assert report["statistics"]["messages"] == report["messages"]
    text = shown(report)
    for heading in ("Decisions", "Open proposals", "Said before", "Positions", "Summaries"):
        assert heading in text


def test_words_that_are_not_at_hand_are_cited_by_number(report: dict[str, Any]) -> None:
    """A report without its log still prints."""
    bare = dict(report, decisions=[
        {**row, "evidence": {**row["evidence"], "quote": None}} for row in report["decisions"]
    ])  # fmt: skip
    assert f"[message {bare['decisions'][0]['evidence']['n']}]" in shown(bare)


def test_an_empty_deliberation_has_short_minutes() -> None:
    """Sections without content are left out."""
    line = b'{"index": 0, "agent_id": "Ada", "content": "Anyone here?"}'
    text = shown(analyze(parse_transcript(line), resolve_defaults({}, {})).minutes())
    assert "Decisions" not in text
    assert "1 message by 1 participant" in text


def test_what_was_said_in_several_lines_is_told_in_one() -> None:
    """A break is a space; whatever else a terminal would not show is spelt out."""
    data = b"Tea.\\n\\n  9 Mo: \\u001b[2J no"
    line = b'{"index": 0, "agent_id": "Ada", "act": "propose", "content": "%s"}' % data
    text = shown(analyze(parse_transcript(line), resolve_defaults({}, {})).minutes())
    assert "P1 active Tea. 9 Mo: \\x1b[2J no  (Ada, message 1)" in text
    assert "\\n" not in text
    assert not any(row.lstrip().startswith("9 Mo") for row in text.splitlines())


def test_a_message_of_a_later_version_takes_nothing_from_the_minutes() -> None:
    """What cannot be read here was said by nobody, and finds no search."""
    log = talk(("ana", "I propose tea."), ("bo", "And when?"))
    log += numbered([Unknown("message", b'{"kind":"message","v":2}')], len(log), log[-1].n)
    report = build_report(fold_records(Memory(PACKS), log), log)
    assert report["present"] == [
        {"participant": "ana", "messages": 1, "also": []},
        {"participant": "bo", "messages": 1, "also": []},
    ]
    assert [holds(record, ["tea"], None) for record in log] == [False, True, False, False]
    assert message_lines(log) == [("ana", "I propose tea."), ("bo", "And when?")]


def test_who_joined_or_voted_without_a_word_is_present() -> None:
    """Observers, bots and the server are not."""
    joined = [ParticipantJoined(participant=name) for name in ("ana", "bo")]
    watching = ParticipantJoined(participant="eve", role="observer")
    called = VoteInitiated(participant="ana", content="Tea?")
    cast = BallotCast(participant="bo", re="V1", choice=("accept",))
    log = talk(*joined, watching, ("ana", "Hello."), called, cast, bots=["tool"])
    memory = fold_records(Memory(PACKS), log)
    present = present_participants(memory)
    assert [(row["participant"], row["messages"]) for row in present] == [("ana", 1), ("bo", 0)]


def test_pages_of_minutes_break_no_word_beside_a_cell() -> None:
    """A name in a table is as wide as it is; only the last cell of a row breaks long words."""
    assert "td:not(:last-child){overflow-wrap:break-word}" in STYLE
