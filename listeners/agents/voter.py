"""An agent's ballot: asked of its model once, and once more where it could not be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from parley.bus.entries import BallotCast, VoteConfirmed
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.ballot_prompt import ballot_question, ballot_shape, read_ballot
from parley.listeners.agents.model_caller import CallOutcome, ModelCaller
from parley.listeners.agents.prompts import vote_prompt
from parley.listeners.rooms.participant import Participant
from parley.memory.state.vote_state import Vote
from parley.memory.text.plain_text import clip, one_line
from parley.memory.voting.electorate import list_electorate
from parley.memory.voting.turnout import pending_votes
from parley.personas.persona import Persona

_UNREAD_CHARS: Final = 200  # of an answer that is no ballot: kept as it was cast
PATIENCE: Final = 2  # times what an evaluation may take: a vote comes once


class Voter:
    """Votes for `presence`."""

    def __init__(
        self, presence: Participant, persona: Persona, caller: ModelCaller, tally: AgentTally
    ) -> None:
        self._me, self._persona, self._caller, self._tally = presence, persona, caller, tally

    def unconfirmed(self) -> Vote | None:
        """The called vote that this participant has not confirmed yet, if any."""
        mine = self._me.canonical
        for vote in pending_votes(self._me.memory):
            is_asked = vote.status == "called" and mine not in vote.agreed
            if is_asked and mine in list_electorate(self._me.memory):
                return vote
        return None

    async def agree(self, vote: Vote) -> None:
        """Agree: an agent is ready whenever it is asked, and its ballot says what it thinks."""
        confirmation = VoteConfirmed(participant=self._me.name, re=vote.n)
        await self._me.publish(self._me.draft("agree", confirmation))

    def pending(self) -> Vote | None:
        """The open vote that waits for this participant's ballot."""
        for vote in pending_votes(self._me.memory):
            if vote.status == "open" and self._me.canonical in vote.electorate:
                cast = vote.ballots.get(self._me.canonical)
                if cast is None or cast.invalid == 1:
                    return vote
        return None

    async def cast(self, vote: Vote) -> None:
        """Ask for a ballot and cast it. Where no answer comes, it is an abstention that says so."""
        self._tally.ballots += 1
        room, ref = self._me.room, vote.ref
        prompt = vote_prompt(
            self._persona, self._me.name, room.memory, tuple(room.recent), ballot_question(vote)
        )
        outcome = await self._caller.speak(
            replace(prompt, shape=ballot_shape(vote)),
            lambda: self._is_open(ref),
            PATIENCE * self._me.settings.evaluation_ms / 1000,
        )
        self._tally.count_ending(outcome.ending)
        ballot = None if outcome.ending == "cancelled" else self._ballot(vote, outcome)
        draft = None if ballot is None else self._me.draft("ballot", ballot)
        await self._me.publish(outcome.settlement(), draft)

    def _is_open(self, ref: int) -> bool:
        vote = self._me.memory.votes.by_ref.get(ref)
        return vote is not None and vote.status == "open" and self._me.memory.closed is None

    def _ballot(self, vote: Vote, outcome: CallOutcome[str]) -> BallotCast:
        name = self._me.name
        if outcome.answer is None:
            why = f"no ballot came: {outcome.ending}"
            return BallotCast(participant=name, re=vote.n, choice=("abstain",), content=why)
        choice, why = read_ballot(vote, outcome.answer)
        if not choice:
            why = clip(one_line(outcome.answer), _UNREAD_CHARS)
        return BallotCast(participant=name, re=vote.n, choice=choice, content=why)
