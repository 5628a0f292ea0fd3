"""What the page shows of a memory: slim rows, newest first, cites without their words. Pure.

It is asked for at every step of a slider, of sessions of any length: each list has
`MOST` rows at most, and what is not shown is not worked out. `more` counts the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final, TypeVar

from parley.memory.ledger.ledger_view import Ledger, ledger_of
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import uncovered_summaries
from parley.memory.text.plain_text import clip
from parley.server.rows.brief_rows import brief_index
from parley.server.rows.cite_rows import Row, pick
from parley.server.rows.digest_rows import summary_row
from parley.server.rows.floor_rows import floor_row, person_rows
from parley.server.rows.goal_rows import page_goal_rows
from parley.server.rows.item_rows import (
    SHORT,
    echo_rows,
    page_decision_row,
    page_echo_row,
    page_proposal_row,
)
from parley.server.rows.item_shapes import SummaryRow
from parley.server.rows.position_rows import Positions
from parley.server.rows.vote_rows import vote_row

MOST: Final = 200  # rows of a list
_APART: Final = 1000  # handles
_One = TypeVar("_One")


def page_row(memory: Memory) -> Row:
    """The whole board. `status` knows open and closed alone."""
    more: dict[str, int] = {}
    ledger = ledger_of(memory)

    def listed(name: str, items: Sequence[_One], row: Callable[[_One], Row]) -> list[Row]:
        if len(items) > MOST:
            more[name] = len(items) - MOST
        return [row(item) for item in islice(items, MOST)]

    proposals = [item for item in ledger.proposals() if item.shelf == "firm"][::-1]
    decisions = [item for item in ledger.decisions() if item.shelf == "firm"][::-1]
    votes = list(reversed(memory.votes.by_ref.values()))
    repeats = echo_rows(memory)[::-1]
    return {
        "n": memory.n,
        "seq": memory.seq,
        "title": memory.title,
        "goal": memory.settings.goal or None,
        "status": "open" if memory.closed is None else "closed",
        "closed": memory.closed,
        "participants": listed("participants", _participant_rows(memory), dict),
        "brief": brief_index(memory),
        "proposals": listed(
            "proposals", proposals, lambda proposal: page_proposal_row(memory, proposal)
        ),
        "decisions": listed("decisions", decisions, lambda item: page_decision_row(memory, item)),
        "apart": _apart(ledger),
        "lanes": listed("lanes", _lanes(memory), dict),
        "summaries": _summaries(memory, more),
        "votes": listed("votes", votes, lambda vote: vote_row(memory, vote)),
        "goals": listed("goals", page_goal_rows(memory), dict),
        "floor": floor(memory),
        "usage": usage(memory),
        "circling": listed("circling", repeats, page_echo_row),
        "edited": {str(n): [edit.n, edit.by] for n, edit in memory.edited.items()},
        "more": more,
    }


def _apart(ledger: Ledger) -> list[str]:
    """The handles of what is no firm item, the newest: the talk shows no marks of them."""
    items = [item for item in (*ledger.proposals(), *ledger.decisions()) if item.shelf != "firm"]
    return [item.handle for item in sorted(items, key=lambda item: -item.born)[:_APART]]


def _participant_rows(memory: Memory) -> list[Row]:
    """Everybody who spoke or has a seat: those with seats in their order, then by messages."""
    return [
        pick(row, "name", "hue", "role", "present", "messages", "muted", "aliases")
        for row in person_rows(memory, _by_talk(memory))
    ]


def floor(memory: Memory) -> Row:
    """The floor, and who asks for it: the most urgent first, of equals who asked first."""
    bids = memory.floor.bids
    queue = sorted(bids, key=lambda name: (-bids[name].urgency, bids[name].turn, name))
    return {**floor_row(memory), "queue": queue}


def usage(memory: Memory) -> Row:
    """What the session spent, in all and by whom; those who spent most first."""
    ledger = memory.ledger
    spent = sorted(ledger.accounts.items(), key=lambda account: (-account[1].tokens, account[0]))
    return {
        "tokens": ledger.total.tokens,
        "micros": ledger.total.micros,
        "by": [
            {"participant": name, "tokens": account.tokens, "micros": account.micros}
            for name, account in spent[:MOST]
        ],
    }


def _by_talk(memory: Memory) -> list[str]:
    spoken = memory.participants
    return sorted(spoken, key=lambda name: (-spoken[name].messages, name))


def _lanes(memory: Memory) -> list[Row]:
    """Who stood where, whoever spoke most first."""
    positions = Positions(memory)
    rows = [{"participant": name, "positions": positions.of(name)} for name in _by_talk(memory)]
    return [row for row in rows if row["positions"]]


def _summaries(memory: Memory, more: dict[str, int]) -> list[SummaryRow]:
    """The summaries that cover the talk, whole, then what they cover, highest and newest first."""
    top = uncovered_summaries(memory)
    shown = {(summary.level, summary.first) for summary in top}
    below = [summary for key, summary in memory.summaries.items() if key not in shown]
    below.sort(key=lambda summary: (-summary.level, -summary.first))
    top.sort(key=lambda summary: -summary.first)
    if len(memory.summaries) > MOST:
        more["summaries"] = len(memory.summaries) - MOST
    rows = [summary_row(summary) for summary in (*top, *below)[:MOST]]
    for row in rows[len(top) :]:
        row["text"] = clip(row["text"], SHORT)
    return rows
