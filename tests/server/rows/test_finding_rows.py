"""One flat row a finding, by the file's own message indexes."""

from __future__ import annotations

import json
from typing import Any

from parley.server.records.transcript_analysis import analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript


def items(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows for these messages, `index` counting from 10 in steps of 10."""
    lines = [
        json.dumps({"index": 10 * place, "agent_id": row.pop("by"), **row})
        for place, row in enumerate(rows, 1)
    ]
    return analyze(parse_transcript("\n".join(lines).encode()), resolve_defaults({}, {})).items()


def labelled(rows: list[dict[str, Any]], label: str) -> list[dict[str, Any]]:
    """The rows of one label."""
    return [row for row in rows if row["label"] == label]


def test_indexes_are_those_of_the_file() -> None:
    """Also where the file does not count from 0 in steps of 1."""
    rows = items(
        {"by": "Ada", "content": "Morning."},
        {"by": "Ada", "content": "[PROPOSAL] We paint the shed green."},
        {"by": "Bo", "content": "Too dark for me.", "act": "oppose", "re": 20},
    )
    (proposal,) = labelled(rows, "proposal")
    (reaction,) = labelled(rows, "reaction")
    assert proposal["index"] == 20
    assert (reaction["index"], reaction["proposal_index"]) == (30, 20)
    assert reaction["stance"] == "oppose"
    assert [row["index"] for row in rows] == sorted(row["index"] for row in rows)


def test_a_withdrawn_proposal_counts_as_rejected_and_a_lapsed_one_as_active() -> None:
    """The scored vocabulary knows neither word."""
    talk = [{"by": "Ada", "content": "[PROPOSAL] We paint the shed green."}]
    assert labelled(items(*map(dict, talk)), "status")[0]["status"] == "active"
    gone = [*talk, {"by": "Ada", "content": "I take it back.", "act": "withdraw", "re": "P1"}]
    assert labelled(items(*map(dict, gone)), "status")[0]["status"] == "rejected"
    silence = [{"by": "Bo", "content": f"Number {n} on the list."} for n in range(201)]
    assert labelled(items(*map(dict, [*talk, *silence])), "status")[0]["status"] == "active"


def test_a_decision_names_the_proposal_it_settles() -> None:
    """Claimed ones too, with the index of what they resolve."""
    rows = items(
        {"by": "Cy", "content": "[DECISION] Tea is at four."},
        {"by": "Ada", "content": "[PROPOSAL] We paint the shed green."},
        {"by": "Bo", "content": "[DECISION] We paint the shed green."},
    )
    settled = {row["index"]: row["proposal_index"] for row in labelled(rows, "decision")}
    assert settled == {10: None, 30: 20}


def test_the_latest_reaction_in_a_message_stands() -> None:
    """One row a message and proposal."""
    rows = items(
        {"by": "Ada", "content": "[PROPOSAL] We paint the shed green."},
        {"by": "Bo", "content": "I support P1. No, wait: I oppose P1."},
    )
    assert [row["stance"] for row in labelled(rows, "reaction")] == ["oppose"]


def test_every_row_says_whence_it_comes() -> None:
    """How, rule, confidence and an id, whatever the label."""
    rows = items(
        {"by": "Ada", "content": "[PROPOSAL] We paint the shed green."},
        {"by": "Bo", "content": "+1 to P1"},
        {"by": "Cy", "content": "[DECISION] We paint the shed green."},
    )
    assert {row["label"] for row in rows} == {"proposal", "reaction", "decision", "status"}
    for row in rows:
        assert all(row[key] is not None for key in ("how", "rule", "confidence", "id")), row
