"""Voting in a session: what would not be held, or not count, is refused with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from bus.drafts import made
from bus.entries import BallotCast, VoteInitiated, VoteRule
from listeners.rooms import checking
from listeners.rooms.seated import Seated


class Voting(Seated):
    """Calls votes, and casts ballots in them."""

    async def call_vote(
        self,
        question: str,
        *,
        re: str | None = None,
        options: Sequence[str] = (),
        rule: VoteRule | None = None,
        secret: bool | None = None,
        id: str = "",
    ) -> int:
        """Ask the group to vote, on proposal `re` where one is given; gives the entry's `n`.

        The entry goes under `id`, where one is given. Raises `InvalidEntry` where the vote
        would not be held, with the reason.
        """
        entry = made(
            VoteInitiated, participant=self._me.name, content=question, re=re,
            options=tuple(options), rule=rule, secret=secret,
        )  # fmt: skip
        checking.call(self.memory, self._me.name, entry)
        return await self._publish("vote", entry, id)

    async def vote(self, ref: str, *choice: str, why: str = "", id: str = "") -> int:
        """Cast a ballot in vote `ref` (V1): one option or `abstain`; of a ranked vote several.

        Raises `InvalidEntry` for what would not count, naming what does, or did not.
        """
        held, read = checking.ballot(self.memory, self._me.name, ref, choice)
        entry = made(BallotCast, participant=self._me.name, re=held.n, choice=read, content=why)
        n = await self._publish("ballot", entry, id)
        checking.in_time(self.memory, held.n, n)
        return n
