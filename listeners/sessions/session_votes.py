"""Voting in a session: what would not be held, or not count, is refused with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from parley.bus.contract.drafts import validate_entry
from parley.bus.entries import BallotCast, VoteExtended, VoteInitiated, VoteRule
from parley.listeners.rooms.seat import SeatHolder
from parley.listeners.sessions import argument_checks


class SessionVotes(SeatHolder):
    """Calls votes, gives them time, and casts ballots in them."""

    async def call_vote(
        self,
        question: str,
        *,
        re: str | None = None,
        options: Sequence[str] = (),
        rule: VoteRule | None = None,
        secret: bool | None = None,
        seconds: int | None = None,
        id: str = "",
    ) -> int:
        """Ask the group to vote, on proposal `re` where one is given; gives the entry's `n`.

        It is counted after `seconds`; None: as the session has it. The entry goes under `id`,
        where one is given. Raises `InvalidEntry` where the vote would not be held, with the
        reason.
        """
        entry = validate_entry(
            VoteInitiated, participant=self._me.name, content=question, re=re,
            options=tuple(options), rule=rule, secret=secret, seconds=seconds,
        )  # fmt: skip
        argument_checks.check_call(self.memory, self._me.name, entry)
        return await self._publish("vote", entry, id)

    async def extend_vote(self, ref: str, seconds: int, id: str = "") -> None:
        """Have the open vote `ref` (V1) counted `seconds` later than it would be.

        Raises `InvalidEntry` where it is not open, also by the time that this lands, or this
        participant may not.
        """
        vote = argument_checks.check_extension(self.memory, self._me.name, ref, seconds)
        entry = validate_entry(VoteExtended, participant=self._me.name, re=vote.n, seconds=seconds)
        n = await self._publish("extend", entry, id)
        argument_checks.check_extended(self.memory, vote.n, n)

    async def vote(self, ref: str, *choice: str, why: str = "", id: str = "") -> int:
        """Cast a ballot in vote `ref` (V1): one option or `abstain`; of a ranked vote several.

        Raises `InvalidEntry` for what would not count, naming what does, or did not.
        """
        vote, ballot_choice = argument_checks.check_ballot(self.memory, self._me.name, ref, choice)
        entry = validate_entry(
            BallotCast, participant=self._me.name, re=vote.n, choice=ballot_choice, content=why
        )
        n = await self._publish("ballot", entry, id)
        argument_checks.check_in_time(self.memory, vote.n, n)
        return n
