"""The floor, its seats and the people of a session as rows: for JSON, the page, routes. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from parley.memory.arbitration.obstacles import find_stopping_vote
from parley.memory.state.memory import Memory
from parley.server.rows.cite_rows import Row

HUES: Final = 16


def floor_row(memory: Memory) -> Row:
    """The floor as JSON-ready data."""
    floor, vote = memory.floor, find_stopping_vote(memory)
    return {
        "policy": memory.settings.floor.policy,
        "epoch": floor.epoch,
        "holder": floor.holder or None,
        "paused": floor.paused or None,
        "bids": [
            {"participant": name, "urgency": bid.urgency, "intent": bid.intent, "re": bid.re}
            for name, bid in sorted(floor.bids.items())
        ],
        "passed": sorted(floor.passes),
        "muted": sorted(name for name, seat in floor.seats.items() if seat.muted),
        "vote": None if vote is None else vote.ref,
        "because": None if vote is None else vote.what,
        "turns": floor.turns,
        "hops": floor.hops,
    }


def seat_rows(memory: Memory) -> list[Row]:
    """The seats, in the order in which they were taken."""
    seats = sorted(memory.floor.seats.items(), key=lambda item: item[1].order)
    return [
        {
            "name": name, "role": seat.role, "present": seat.present, "muted": seat.muted,
            "turns": seat.turns, "interests": list(seat.interests), "listens": seat.listens,
            "answer_ms": seat.answer_ms, "called": seat.addressed > 0,
        }
        for name, seat in seats
    ]  # fmt: skip


def person_rows(memory: Memory, spoken: Iterable[str]) -> list[Row]:
    """Whoever sits, in the order of the seats, then the others of `spoken`, in its order."""
    seats = memory.floor.seats
    names = dict.fromkeys([*sorted(seats, key=lambda name: seats[name].order), *spoken])
    hues = assign_hues([*memory.participants, *seats])
    aliases = _aliases_by_name(memory)
    return [_person_row(memory, name, hues[name], aliases.get(name, [])) for name in names]


def _person_row(memory: Memory, name: str, hue: int, aliases: list[str]) -> Row:
    seat, participant = memory.floor.seats.get(name), memory.participants.get(name)
    cites = participant.contributions if participant else []
    return {
        "name": name,
        "role": seat.role if seat else None,
        "present": seat is not None and seat.present,
        "messages": participant.messages if participant else 0,
        "last": cites[-1].n if cites else None,
        "may": None if seat is None or seat.may is None else list(seat.may),
        "muted": seat is not None and seat.muted,
        "aliases": aliases,
        "hue": hue,
    }


def _aliases_by_name(memory: Memory) -> dict[str, list[str]]:
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
