"""Whoever counts the votes of a session, for where nobody arbitrates.

An arbiter counts votes as well as it grants the floor; a session without agents, or
without a floor, has none, and its votes are to end all the same: when every ballot is
in, and when their time is over. A result is a function of the log under an id that
everybody gives it, so it does not matter how many count.
"""

from __future__ import annotations

from typing import Final

from bus import Draft
from bus.drafts import result_id
from bus.entries import Entry
from bus.errors import Conflict, SessionClosed
from listeners.rooms.room import Room
from memory.floor.arbitration import vote_to_count
from memory.voting.course import result

AGAIN_SECONDS: Final = 0.05  # before a vote is looked at anew that a count did not close


class Teller:
    """Counts in `room` until no vote runs; `nonce` tells it from others."""

    def __init__(self, room: Room, nonce: str) -> None:
        self._room, self._nonce = room, nonce

    async def run(self) -> None:
        """Return once no vote runs, or the session is closed."""
        room = self._room
        try:
            while room.memory.votes.running:
                seq = room.seq
                ref, left_ms = vote_to_count(room.memory, room.waited())
                if ref is not None:
                    await count(room, ref, self._nonce)
                await room.moved(seq, AGAIN_SECONDS if left_ms is None else left_ms / 1000)
        except SessionClosed:
            return


async def count(room: Room, ref: int, nonce: str) -> None:
    """Close vote `ref` by its result, or give up one that nobody agreed to.

    An entry that has the id and closed nothing is passed by.
    """
    vote = room.memory.votes.held[ref]
    if vote.status == "called":  # its result, should it be agreed to just now, is to come
        await publish_once(room, f"unagreed:{vote.n}", result(room.memory, ref), nonce)
        return
    await publish_once(room, result_id(vote.n, vote.heard), result(room.memory, ref), nonce)
    if ref in room.memory.votes.running:
        again = f"{result_id(vote.n, vote.heard)}:{nonce}:{room.seq}"
        await room.publish([Draft(again, result(room.memory, ref))])


async def publish_once(room: Room, own: str, entry: Entry, nonce: str) -> None:
    """Publish under an id that everybody gives this step, so that it lands once.

    Where somebody else's entry has the id, under one that `nonce` makes the caller's.
    """
    try:
        await room.publish([Draft(own, entry)])
    except Conflict:
        await room.publish([Draft(f"{own}:{nonce}:{room.seq}", entry)])
