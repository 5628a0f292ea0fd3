"""The minutes of a session: what it came to, who stood where, and the words that show it. Pure.

`digest` gives plain JSON-ready data; `parley.server.render.command_output` shows it. Numbers of
messages are `n`, as everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator

from parley.memory.extraction.model_claims.item_overlay import overlay_claims
from parley.memory.state.item_state import Decision, Participant, Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.summary_state import Summary
from parley.memory.statistics.statistics import count_memory
from parley.server.rows.cite_rows import RecordsByNumber, Row, quote
from parley.server.rows.claim_rows import cited_entries, claim_rows
from parley.server.rows.item_rows import (
    decision_row,
    echo_row,
    item_entries,
    position_row,
    proposal_row,
)
from parley.server.rows.item_shapes import SummaryRow
from parley.server.rows.vote_rows import vote_row


def cited(memory: Memory) -> set[int]:
    """The entries whose words the minutes quote."""
    numbers: set[int] = set()
    for item in _items(memory):
        numbers.update(item_entries(item))
    for participant in memory.participants.values():
        numbers.update(cite.n for cite in participant.contributions)
    return numbers | cited_entries(overlay_claims(memory))


def digest(memory: Memory, records: RecordsByNumber) -> Row:
    """The whole report. `records` holds at least the entries that `cited` asks for;
    what it lacks is cited by number without a quote."""
    read = overlay_claims(memory)
    decisions = [d for d in memory.decisions.values() if d.stands]
    proposals = [p for p in memory.proposals.values() if p.stands]
    listed = [proposal_row(memory, proposal, records, read) for proposal in proposals]
    return {
        "title": memory.title,
        "closed": memory.closed,
        "messages": memory.messages,
        "participants": len(memory.participants),
        "decisions": [decision_row(memory, decision, records, read) for decision in decisions],
        "open": [row for row in listed if row["status"] == "active"],
        "settled": [row for row in listed if row["status"] != "active"],
        "reading": claim_rows(read, records),
        "votes": [vote_row(memory, vote) for vote in memory.votes.by_ref.values()],
        "echoes": [echo_row(p, memory) for p in proposals if p.echoes is not None],
        "positions": [
            participant_row(p, records) for p in memory.participants.values() if p.messages
        ],
        "summaries": summary_rows(memory),
        "statistics": count_memory(memory),
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


def _items(memory: Memory) -> Iterator[Proposal | Decision]:
    yield from memory.proposals.values()
    yield from memory.decisions.values()


def participant_row(participant: Participant, records: RecordsByNumber) -> Row:
    """One participant's positions and key contributions."""
    return {
        "participant": participant.name,
        "messages": participant.messages,
        "last": participant.last,
        "positions": [position_row(position) for position in participant.positions.values()],
        "contributions": [
            {"n": cite.n, "quote": quote(cite, records)} for cite in participant.contributions
        ],
    }
