"""Holding the floor: draft, and commit under the epoch that was granted.

The publish script refuses a commit whose epoch is over, so a late draft costs
money and harms nothing. A draft is broken off as soon as nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from parley.bus import Draft
from parley.bus.entries import FloorPassed, FloorReleased, Release
from parley.listeners.agents import answer_entries
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.model_caller import CallOutcome, Ending, ModelCaller
from parley.listeners.agents.prompts import speech_prompt
from parley.listeners.rooms.participant import Participant
from parley.personas.persona import Persona

DRAFT_SECONDS: Final = 60.0  # longer than a slow endpoint takes for what is asked of it

_RELEASES: Final[dict[Ending, Release]] = {
    "answered": "silent",
    "budget": "budget",
    "cancelled": "interrupted",
    "late": "failed",
    "failed": "failed",
}


class SpeakingTurn:
    """Drafts and publishes what `presence` says while it has the floor, or under `open`."""

    def __init__(
        self, presence: Participant, persona: Persona, caller: ModelCaller, tally: AgentTally
    ) -> None:
        self._me, self._persona, self._caller, self._tally = presence, persona, caller, tally
        self._open_messages = 0  # messages under the policy `open`

    async def use_floor(self, epoch: int) -> None:
        """Draft and commit, or release; begin anew where a person spoke meanwhile."""
        outcome = await self._draft(lambda stirred: self._may_finish(epoch, stirred))
        for _ in range(self._me.settings.restarts):
            if outcome.ending != "cancelled" or not self._holds_floor(epoch):
                break
            await self._me.publish(outcome.settlement())
            outcome = await self._draft(lambda stirred: self._may_finish(epoch, stirred))
        text = answer_entries.clean_answer(
            outcome.answer or "", self._me.name, self._persona.display
        )
        if text:
            await self._commit(epoch, text, outcome)
        else:
            await self._give_up(epoch, _RELEASES[outcome.ending], outcome)

    async def speak_openly(self, still: Callable[[int], bool]) -> None:
        """Under the policy `open` a bid is its own grant: others may speak at the same time."""
        outcome = await self._draft(still)
        text = answer_entries.clean_answer(
            outcome.answer or "", self._me.name, self._persona.display
        )
        if text:
            self._open_messages += 1
            drafts = self._message_drafts(text, f"say:{self._me.key}:open.{self._open_messages}")
            await self._me.publish(*drafts, outcome.settlement())
            self._tally.commits += 1
        elif outcome.ending == "cancelled":
            await self._me.publish(outcome.settlement())
        else:
            self._tally.silent += 1
            floor = self._me.floor
            silence = FloorPassed(participant=self._me.name, epoch=floor.epoch, heard=floor.head)
            await self._me.publish(outcome.settlement(), self._me.draft("pass", silence))

    async def _draft(self, holds: Callable[[int], bool]) -> CallOutcome[str]:
        self._tally.drafts += 1
        stirred = self._me.floor.stirred
        room = self._me.room
        prompt = speech_prompt(
            self._persona, self._me.name, room.memory, tuple(room.recent), self._me.intent
        )
        outcome = await self._caller.speak(prompt, lambda: holds(stirred), DRAFT_SECONDS)
        self._tally.count_ending(outcome.ending)
        return outcome

    async def _commit(self, epoch: int, text: str, outcome: CallOutcome[str]) -> None:
        drafts = self._message_drafts(text, f"say:{self._me.key}:{epoch}")
        if await self._me.publish_in_epoch(
            epoch, *drafts, outcome.settlement(), self._release_draft(epoch, "spoke")
        ):
            self._tally.commits += 1
        else:
            self._tally.stale += 1
            await self._me.publish(outcome.settlement("discarded"))

    async def _give_up(self, epoch: int, reason: Release, outcome: CallOutcome[str]) -> None:
        self._tally.silent += reason == "silent"
        await self._me.publish(outcome.settlement())
        if self._me.floor.epoch == epoch:
            await self._me.publish_in_epoch(epoch, self._release_draft(epoch, reason))

    def _message_drafts(self, text: str, id: str) -> list[Draft | None]:
        intent = self._me.intent
        message = answer_entries.message_entry(self._me.name, text, intent, self._me.seat)
        vote = answer_entries.vote_entry(self._me.memory, self._me.canonical, text, intent)
        return [Draft(id, message), None if vote is None else Draft(f"{id}:vote", vote)]

    def _release_draft(self, epoch: int, reason: Release) -> Draft:
        entry = FloorReleased(participant=self._me.name, epoch=epoch + 1, reason=reason)
        return Draft(f"release:{self._me.key}:{epoch}", entry)

    def _holds_floor(self, epoch: int) -> bool:
        """Whether the floor is still its own, and nothing came that goes before speaking."""
        me = self._me
        return (
            me.floor.epoch == epoch
            and not me.floor.paused
            and me.memory.closed is None
            and not me.voting()
        )

    def _may_finish(self, epoch: int, stirred: int) -> bool:
        return self._holds_floor(epoch) and self._me.floor.stirred == stirred
