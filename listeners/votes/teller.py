"""Whoever counts the votes of a session, for where nobody arbitrates.

An arbiter counts votes as well as it grants the floor; a session without agents, or
without a floor, has none, and its votes are to end all the same: when every ballot is
in, and when their time is over. A result is a function of the log under an id that
everybody gives it, so it does not matter how many count.
"""

from __future__ import annotations

from typing import Final

from parley.bus import Draft
from parley.bus.contract.errors import Conflict, Fenced, SessionClosed
from parley.bus.entries import Entry
from parley.listeners.rooms.room import Room
from parley.listeners.votes.vote_results import result_draft
from parley.memory.arbitration.arbiter import find_vote_to_end
from parley.memory.voting.turnout import find_open_vote

AGAIN_SECONDS: Final = 0.05  # before a vote is looked at anew that a count did not close


class VoteTeller:
    """Counts in `room` until no vote runs; `nonce` tells it from others."""

    def __init__(self, room: Room, nonce: str) -> None:
        self._room, self._nonce = room, nonce

    async def run(self) -> None:
        """Return once no vote runs, or the session is closed."""
        room = self._room
        try:
            while room.memory.votes.running:
                seq = room.seq
                ref, left_ms = find_vote_to_end(room.memory, room.waited())
                if ref is not None:
                    await publish_result(room, ref, self._nonce)
                await room.wait_past(seq, AGAIN_SECONDS if left_ms is None else left_ms / 1000)
        except SessionClosed:
            return


async def publish_result(room: Room, ref: int, nonce: str) -> None:
    """Close vote `ref` by its result, or give up one that nobody agreed to.

    An entry that has the id and closed nothing is passed by. Of a log that was replaced
    meanwhile nothing is said: there it may be another vote.
    """
    vote, incarnation = room.memory.votes.by_ref[ref], room.incarnation
    draft = result_draft(room.memory, vote)
    try:
        await publish_once(room, draft.id, draft.entry, nonce, incarnation)
        again = find_open_vote(room.memory, vote.n)
        if again is not None and result_draft(room.memory, again).id == draft.id:
            own = Draft(f"{draft.id}:{nonce}:{room.seq}", draft.entry)
            await room.publish([own], incarnation=incarnation)
    except Fenced:  # the room begins anew
        return


async def publish_once(
    room: Room, own: str, entry: Entry, nonce: str, incarnation: str = ""
) -> None:
    """Publish under an id that everybody gives this step, so that it lands once.

    Where another entry has the id since before this was decided, under one that `nonce`
    makes the caller's. Where one came just now, it may have done it: that is to be seen.
    """
    decided_at = room.seq
    try:
        await room.publish([Draft(own, entry)], incarnation=incarnation)
    except Conflict as conflict:
        if conflict.seq > decided_at:
            await room.wait_until_folded(conflict.seq)
            return
        draft = Draft(f"{own}:{nonce}:{room.seq}", entry)
        await room.publish([draft], incarnation=incarnation)
