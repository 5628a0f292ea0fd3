"""A moderator that is an agent: its model names the next speaker among those who ask."""

from __future__ import annotations

from parley.bus import Draft
from parley.bus.entries import FloorGranted, FloorPassed
from parley.listeners.agents import answer_entries
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.model_caller import CallOutcome, ModelCaller
from parley.listeners.agents.prompts import NextSpeaker, moderator_prompt
from parley.listeners.models.model_port import Prompt
from parley.listeners.rooms.called_names import find_called
from parley.listeners.rooms.participant import Participant
from parley.memory.arbitration.arbiter import next_step
from parley.memory.arbitration.gate import judge_listeners, list_grantable_agents
from parley.memory.arbitration.steps import AskModerator
from parley.memory.floor.seats import lease_ms
from parley.personas.persona import Persona


class Moderator:
    """What `presence` does where it has the capability `grant` under the policy `moderated`."""

    def __init__(
        self, presence: Participant, persona: Persona, caller: ModelCaller, tally: AgentTally
    ) -> None:
        self._me, self._persona, self._caller, self._tally = presence, persona, caller, tally
        self._judged: tuple[int, tuple[str, ...]] | None = None  # epoch, and who asked in it

    def is_asked(self) -> bool:
        """Whether the talk waits for this moderator's word now.

        Once everybody has bid or passed, itself included, and once for the same
        bids: where its word is nobody's name, or it cannot pay for one, the
        bids decide when its time is over.
        """
        memory = self._me.memory
        if self._me.settings.policy != "moderated" or not self._bidders():
            return False
        if self._judged == self._question() or self._awaits_answers():
            return False
        step, _ = next_step(memory, self._me.room.waited())
        return isinstance(step, AskModerator) and step.participant == self._me.canonical

    def _bidders(self) -> tuple[str, ...]:
        return tuple(sorted(self._me.floor.bids))

    def _question(self) -> tuple[int, tuple[str, ...]]:
        return self._me.floor.epoch, self._bidders()

    def _awaits_answers(self) -> bool:
        """Whether somebody is still to say whether it wants to speak."""
        memory = self._me.memory
        judged = judge_listeners(memory, list_grantable_agents(memory))
        return any(verdict in ("evaluate", "bid") for verdict in judged.values())

    async def grant(self) -> None:
        """Give the floor to whom the model names; where it names nobody, bids decide."""
        me, room = self._me, self._me.room
        epoch = me.floor.epoch
        self._judged = self._question()
        prompt = moderator_prompt(
            self._persona, me.name, room.memory, tuple(room.talk), sorted(me.floor.bids)
        )
        outcome = await self._ask(prompt, epoch)
        granted = self._grant_draft(outcome, epoch)
        if granted is None and outcome.answer is not None and outcome.answer.participant.strip():
            await me.publish(outcome.settlement())  # a name that fits nobody, or two: once more
            outcome = await self._ask(prompt, epoch)
            granted = self._grant_draft(outcome, epoch)
        if granted is None:
            nobody = FloorPassed(participant=me.name, epoch=epoch, heard=me.floor.head)
            await me.publish(outcome.settlement(), me.draft("pass", nobody))
        elif not await me.publish_in_epoch(epoch, outcome.settlement(), granted):
            await me.publish(outcome.settlement("discarded"))

    async def _ask(self, prompt: Prompt, epoch: int) -> CallOutcome[NextSpeaker]:
        me = self._me
        outcome = await self._caller.ask(
            prompt,
            NextSpeaker,
            lambda: me.floor.epoch == epoch and me.memory.closed is None,
            me.settings.evaluation_ms / 1000,
        )
        self._tally.count_ending(outcome.ending)
        return outcome

    def _grant_draft(self, outcome: CallOutcome[NextSpeaker], epoch: int) -> Draft | None:
        if outcome.answer is None:
            return None
        said = self._me.memory.named(outcome.answer.participant)
        named = find_called(said, self._me.floor.bids)
        if named is None:
            return None
        entry = FloorGranted(
            participant=named, epoch=epoch + 1, by=self._me.name,
            lease_ms=lease_ms(self._me.memory, named),
            reason=answer_entries.one_line_reason(outcome.answer.reason),
        )  # fmt: skip
        return Draft(f"grant:{self._me.key}:{epoch}", entry)
