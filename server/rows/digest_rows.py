"""The minutes of a session: what it came to, who was on which side, the words that show it. Pure.

`digest` gives plain JSON-ready data; `parley.server.render.command_output` shows it. Numbers of
messages are `n`, as everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator

from parley.memory.ledger.ledger_rows import LedgerItem, Task
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.item_state import Participant
from parley.memory.state.memory import Memory
from parley.memory.state.summary_state import Summary
from parley.memory.statistics.statistics import count_memory
from parley.server.rows.cite_rows import RecordsByNumber, Row, cites_of, origin_row, quote
from parley.server.rows.item_rows import (
    candidate_row,
    decision_row,
    echo_rows,
    item_entries,
    proposal_row,
)
from parley.server.rows.item_shapes import ParticipantStands, SummaryRow
from parley.server.rows.position_rows import Positions
from parley.server.rows.vote_rows import vote_row


def cited(memory: Memory) -> set[int]:
    """The entries whose words the minutes quote."""
    ledger = ledger_of(memory)
    numbers: set[int] = set()
    for item in firm_items(memory):
        numbers.update(item_entries(memory, item))
    origins = [task.origin for task in ledger.tasks] + [right.origin for right in ledger.grants]
    numbers.update(cite.n for cite in cites_of(*origins))
    positions = Positions(memory)
    for participant in memory.participants.values():
        numbers.update(cite.n for cite in positions.contributions(participant))
    return numbers


def firm_items(memory: Memory) -> Iterator[LedgerItem]:
    """The proposals and then the decisions that everybody is shown, the oldest first."""
    ledger = ledger_of(memory)
    for item in (*ledger.proposals(), *ledger.decisions()):
        if item.shelf == "firm":
            yield item


def digest(memory: Memory, records: RecordsByNumber) -> Row:
    """The whole report. `records` holds at least the entries that `cited` asks for;
    what it lacks is cited by number without a quote."""
    ledger, positions = ledger_of(memory), Positions(memory)
    items = [*firm_items(memory)]
    listed = [proposal_row(memory, item, records) for item in items if item.kind == "proposal"]
    return {
        "title": memory.title,
        "closed": memory.closed,
        "messages": memory.messages,
        "participants": len(memory.participants),
        "rulers": ruler_rows(memory, records),
        "decisions": [
            decision_row(memory, item, records) for item in items if item.kind == "decision"
        ],
        "open": [row for row in listed if row["status"] == "active"],
        "settled": [row for row in listed if row["status"] != "active"],
        "candidates": [candidate_row(memory, item) for item in ledger.candidates()],
        "tasks": [task_row(task, records) for task in ledger.tasks],
        "votes": [vote_row(memory, vote) for vote in memory.votes.by_ref.values()],
        "echoes": echo_rows(memory),
        "positions": [
            participant_row(p, positions, records)
            for p in memory.participants.values()
            if p.messages
        ],
        "summaries": summary_rows(memory),
        "statistics": count_memory(memory),
    }


def ruler_rows(memory: Memory, records: RecordsByNumber) -> list[Row]:
    """Who may rule: the chairs, then those whom another gave the right, as a model reads it.

    `on` are handles, empty for everything; a chair has `by` and `evidence` null.
    """
    rows: list[Row] = [
        {"participant": name, "as_read": False, "by": None, "on": [], "evidence": None}
        for name in sorted(memory.chairs)
    ]
    rows += [
        {
            "participant": grant.who,
            "as_read": True,
            "by": grant.by,
            "on": list(grant.targets),
            "evidence": origin_row(grant.origin, records),
        }
        for grant in ledger_of(memory).grants
        if grant.by != grant.who
    ]
    return rows


def task_row(task: Task, records: RecordsByNumber) -> Row:
    """Work that somebody took on, or reports as done, as a model reads it; `on` are handles."""
    return {
        "who": task.who,
        "what": task.what,
        "when": task.when or None,
        "done": task.done,
        "on": list(task.targets),
        "as_read": True,
        "evidence": origin_row(task.origin, records),
    }


def summary_rows(memory: Memory) -> list[SummaryRow]:
    """The standing summaries in the order of the talk, those that cover others first."""
    standing = sorted(memory.summaries.values(), key=lambda s: (s.first, -s.level))
    return [summary_row(summary) for summary in standing]


def summary_row(summary: Summary) -> SummaryRow:
    """What a summary covers, how it was made, and what it says."""
    return {
        "level": summary.level,
        "first": summary.first,
        "last": summary.last,
        "how": summary.how,
        "text": summary.text,
    }


def participant_row(
    participant: Participant, positions: Positions, records: RecordsByNumber
) -> ParticipantStands:
    """One participant's positions and key contributions."""
    rows = positions.of(participant.name)
    return {
        "participant": participant.name,
        "messages": participant.messages,
        "last": rows[-1]["on"] if rows else None,
        "positions": rows,
        "contributions": [
            {"n": cite.n, "quote": quote(cite, records)}
            for cite in positions.contributions(participant)
        ],
    }
