"""What the page shows of a memory: slim rows, newest first, cites without their words. Pure.

It is asked for at every step of a slider, of sessions of any length: each list has
`MOST` rows at most, and what is not shown is not worked out. `more` counts the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any, Final, TypeVar

from parley.memory.extraction.model_claims.item_overlay import (
    ClaimedItem,
    ClaimOverlay,
    listed_status,
    overlay_claims,
)
from parley.memory.items import echoes
from parley.memory.state.item_state import Decision, Origin, Proposal
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import uncovered_summaries
from parley.memory.text.plain_text import clip
from parley.server.rows.digest_rows import position_row
from parley.server.rows.floor_rows import floor_row
from parley.server.rows.goal_rows import page_goal_rows
from parley.server.rows.vote_rows import vote_row

MOST: Final = 200  # rows of a list
HUES: Final = 16
_TEXT: Final = 240  # characters of a proposal, or of a summary that another covers

Row = dict[str, Any]
_One = TypeVar("_One")


def page_row(memory: Memory) -> Row:
    """The whole board. `status` knows open and closed alone."""
    more: dict[str, int] = {}
    read = overlay_claims(memory)

    def listed(name: str, items: Sequence[_One], row: Callable[[_One], Row]) -> list[Row]:
        if len(items) > MOST:
            more[name] = len(items) - MOST
        return [row(item) for item in islice(items, MOST)]

    proposals = [p for p in reversed(memory.proposals.values()) if p.stands]
    decisions = [d for d in reversed(memory.decisions.values()) if d.stands]
    votes = list(reversed(memory.votes.held.values()))
    repeats = [p for p in proposals if p.echoes is not None]
    return {
        "n": memory.n,
        "seq": memory.seq,
        "title": memory.title,
        "goal": memory.settings.goal or None,
        "status": "open" if memory.closed is None else "closed",
        "closed": memory.closed,
        "participants": listed("participants", participant_rows(memory), dict),
        "proposals": listed(
            "proposals", proposals, lambda proposal: _proposal(memory, read, proposal)
        ),
        "decisions": listed("decisions", decisions, lambda proposal: _decision(read, proposal)),
        "reading": listed("reading", list(reversed(read.items.values())), _read),
        "lanes": listed("lanes", _lanes(memory), dict),
        "summaries": _summaries(memory, more),
        "votes": listed("votes", votes, lambda proposal: vote_row(memory, proposal)),
        "goals": listed("goals", page_goal_rows(memory), dict),
        "floor": floor(memory),
        "usage": usage(memory),
        "circling": listed("circling", repeats, lambda proposal: _echo(memory, proposal)),
        "more": more,
    }


def participant_rows(memory: Memory) -> list[Row]:
    """Everybody who spoke or has a seat: those with seats in their order, then by messages."""
    seats, shade = memory.floor.seats, assign_hues([*memory.participants, *memory.floor.seats])
    names = dict.fromkeys([*sorted(seats, key=lambda name: seats[name].order), *_by_talk(memory)])
    known = aliases_by_name(memory)
    return [_person(memory, name, shade[name], known.get(name, [])) for name in names]


def aliases_by_name(memory: Memory) -> dict[str, list[str]]:
    """The other names of each participant that has some, in order."""
    aliases: dict[str, list[str]] = {}
    for alias in sorted(memory.aliases):
        aliases.setdefault(memory.named(memory.aliases[alias]), []).append(alias)
    return aliases


def assign_hues(names: Iterable[str]) -> dict[str, int]:
    """A hue of 16 for each name; no two of the first 16, in the order of their hashes, share one.

    It hangs on the names alone: whoever asks gets the same ones.
    """
    hues: dict[str, int] = {}
    taken: set[int] = set()
    digests = {name: blake2b(name.encode(), digest_size=8).digest() for name in names}
    for name in sorted(digests, key=lambda name: (digests[name], name)):
        hue = int.from_bytes(digests[name], "big") % HUES
        while hue in taken and len(taken) < HUES:
            hue = (hue + 1) % HUES
        taken.add(hue)
        hues[name] = hue
    return hues


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


def _person(memory: Memory, name: str, hue: int, aliases: list[str]) -> Row:
    person, seat = memory.participants.get(name), memory.floor.seats.get(name)
    return {
        "name": name,
        "hue": hue,
        "role": None if seat is None else seat.role,
        "present": seat is not None and seat.present,
        "messages": 0 if person is None else person.messages,
        "muted": seat is not None and seat.muted,
        "aliases": aliases,
    }


def _proposal(memory: Memory, read: ClaimOverlay, proposal: Proposal) -> Row:
    stances: dict[str, list[str]] = {"support": [], "oppose": [], "neutral": []}
    for name, reaction in proposal.reactions.items():
        stances[reaction.stance].append(name)
    why = echoes.find_reason(memory, proposal)
    return {
        "ref": proposal.handle,
        "status": listed_status(read, proposal),
        "text": clip(proposal.text or proposal.topic, _TEXT),
        "topic": proposal.topic,
        "participant": proposal.participant,
        "n": proposal.born,
        "cites": _cites(proposal.origin),
        "stances": stances,
        "tally": dict(zip(stances, proposal.tally, strict=True)),
        "tentative": proposal.tentative,
        "amends": _handle("P", proposal.amends),
        "echoes": _handle("P", proposal.echoes),
        "settled_n": echoes.settling_entry(proposal),
        "because": None if why is None else why._asdict(),
    }


def _decision(read: ClaimOverlay, decision: Decision) -> Row:
    origin = decision.ratified or decision.origin
    return {
        "ref": decision.handle,
        "status": listed_status(read, decision),
        "topic": decision.topic,
        "outcome": decision.outcome,
        "participant": decision.participant,
        "n": decision.born,
        "cites": [*_cites(decision.origin), *_cites(decision.ratified), *_cites(decision.disputed)],
        "resolves": _handle("P", decision.resolves),
        "superseded_by": _handle("D", decision.superseded_by),
        "supporters": list(decision.supporters),
        "dissenters": list(decision.dissenters),
        "dissent": [
            {"participant": name, "cites": _cites(origin)}
            for name, origin in decision.dissenters.items()
        ],
        "abstainers": list(decision.abstainers),
        "tentative": decision.tentative,
        "how": origin.how,
        "rule": origin.rule,
        "confidence": origin.confidence,
    }


def _read(claimed_item: ClaimedItem) -> Row:
    """What a model alone reads in a message."""
    fields = ("kind", "status", "topic", "participant")
    row = {name: getattr(claimed_item, name) for name in fields}
    return {
        "ref": claimed_item.handle,
        **row,
        "n": claimed_item.born,
        "cites": _cites(claimed_item.origin),
    }


def _lanes(memory: Memory) -> list[Row]:
    """Who stood where, whoever spoke most first."""
    spoken = memory.participants
    return [
        {
            "participant": name,
            "positions": [position_row(position) for position in positions.values()],
        }
        for name in _by_talk(memory)
        if (positions := spoken[name].positions)
    ]


def _summaries(memory: Memory, more: dict[str, int]) -> list[Row]:
    """Those that cover the talk, in full, then what they cover, the highest and newest first."""
    top = uncovered_summaries(memory)
    shown = {(summary.level, summary.first) for summary in top}
    below = [summary for key, summary in memory.summaries.items() if key not in shown]
    below.sort(key=lambda summary: (-summary.level, -summary.first))
    top.sort(key=lambda summary: -summary.first)
    if len(memory.summaries) > MOST:
        more["summaries"] = len(memory.summaries) - MOST
    rows = [(summary, summary.text) for summary in top] + [
        (summary, clip(summary.text, _TEXT)) for summary in below
    ]
    return [
        {
            "level": summary.level,
            "first": summary.first,
            "last": summary.last,
            "how": summary.how,
            "text": text,
        }
        for summary, text in rows[:MOST]
    ]


def _echo(memory: Memory, proposal: Proposal) -> Row:
    """A proposal that repeats an earlier one, and what became of that."""
    earlier = memory.proposals[proposal.echoes or 0]
    return {
        "ref": proposal.handle,
        "n": proposal.born,
        "participant": proposal.participant,
        "repeats": earlier.handle,
        "repeats_n": earlier.born,
        "status": earlier.status,
        "settled_n": echoes.settling_entry(earlier),
        "similarity": proposal.similarity,
        "reoffered": earlier.status in echoes.GIVEN_UP,
    }


def _cites(origin: Origin | None) -> list[list[int]]:
    return [] if origin is None else [[cite.n, cite.start, cite.end] for cite in origin.cites]


def _handle(letter: str, ref: int | None) -> str | None:
    return None if ref is None else f"{letter}{ref}"
