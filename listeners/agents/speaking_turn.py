"""Holding the floor: draft, and commit under the epoch that was granted.

The publish script refuses a commit whose epoch is over, so a late draft costs
money and harms nothing. A draft is broken off as soon as nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import anyio

from parley.bus import Draft
from parley.bus.entries import FloorPassed, FloorReleased, Release
from parley.listeners.agents import answer_entries
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.answer_entries import (
    SpokenAnswer,
    keep_valid_tags,
    read_answer,
    recent_lines,
)
from parley.listeners.agents.model_caller import CallOutcome, Ending, ModelCaller
from parley.listeners.agents.prompts import speech_prompt
from parley.listeners.agents.transcript_form import Names
from parley.listeners.rooms.participant import Participant
from parley.personas.persona import Persona

_NEARLY_ALL: Final = 0.9  # of a lease, which begins a moment before the draft
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
        """Draft and commit, or release; begin anew where a person spoke meanwhile.

        An answer with a fault is asked for anew once, for one of the drafts that a
        holder may begin; a second one is silence.
        """

        def holds(stirred: int) -> bool:
            return self._may_finish(epoch, stirred)

        outcome, answer = await self._draft(holds)
        fault = ""
        for _ in range(self._me.settings.restarts):
            if not self._holds_floor(epoch):
                break
            if outcome.ending == "cancelled":
                await self._me.publish(outcome.settlement())
            elif answer.fault and not fault:
                fault = answer.fault
                await self._me.publish(outcome.settlement("discarded"))
            else:
                break
            outcome, answer = await self._draft(holds, fault)
        if answer.text:
            await self._commit(epoch, answer, outcome)
        else:
            await self._give_up(epoch, _RELEASES[outcome.ending], outcome)

    async def speak_openly(self, still: Callable[[int], bool]) -> None:
        """Under the policy `open` a bid is its own grant: others may speak at the same time."""
        outcome, answer = await self._draft(still)
        if answer.fault and self._me.settings.restarts:
            await self._me.publish(outcome.settlement("discarded"))
            outcome, answer = await self._draft(still, answer.fault)
        if answer.text:
            self._open_messages += 1
            drafts = self._message_drafts(answer, f"say:{self._me.key}:open.{self._open_messages}")
            await self._me.publish(*drafts, outcome.settlement())
            self._tally.commits += 1
        elif outcome.ending == "cancelled":
            await self._me.publish(outcome.settlement())
        else:
            self._tally.silent += 1
            floor = self._me.floor
            silence = FloorPassed(participant=self._me.name, epoch=floor.epoch, heard=floor.head)
            await self._me.publish(outcome.settlement(), self._me.draft("pass", silence))

    async def _draft(
        self, holds: Callable[[int], bool], fault: str = ""
    ) -> tuple[CallOutcome[str], SpokenAnswer]:
        """How the call ended, and what the answer says; `fault` was a first answer's."""
        self._tally.drafts += 1
        stirred = self._me.floor.stirred
        room = self._me.room
        prompt = speech_prompt(
            self._persona, self._me.name, room.memory, tuple(room.talk), self._me.intent, fault
        )
        floor, epoch = self._me.floor, self._me.floor.epoch
        seconds = (floor.lease_ms or self._me.settings.lease_ms) / 1000
        began = anyio.current_time()
        outcome = await self._caller.speak(prompt, lambda: holds(stirred), seconds)
        had_it_all = anyio.current_time() - began >= _NEARLY_ALL * seconds
        if outcome.ending == "cancelled" and self._expired(epoch, had_it_all=had_it_all):
            self._caller.report_late("draft", seconds)
            outcome = replace(outcome, ending="late")
        self._tally.count_ending(outcome.ending)
        return outcome, self._read(outcome, prompt.user, fault)

    def _read(self, outcome: CallOutcome[str], shown: str, refused: str) -> SpokenAnswer:
        memory, completion = self._me.memory, outcome.completion
        own = {self._me.name, self._me.canonical}
        names = Names(own, {*memory.floor.seats, *memory.participants} - own)
        answer = read_answer(
            outcome.answer or "",
            names,
            self._persona.display,
            recent_lines(memory, self._me.room.recent),
            cut=completion is not None and completion.cut,
            shown=shown,
            persona=self._persona.body,
            refused=refused,
        )
        return keep_valid_tags(memory, self._me.name, answer, self._me.intent, refused)

    async def _commit(self, epoch: int, answer: SpokenAnswer, outcome: CallOutcome[str]) -> None:
        drafts = self._message_drafts(answer, f"say:{self._me.key}:{epoch}")
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

    def _message_drafts(self, answer: SpokenAnswer, id: str) -> list[Draft | None]:
        intent, memory = self._me.intent, self._me.memory
        message = answer_entries.message_entry(
            memory, self._me.name, answer.text, intent, answer.supports
        )
        vote = answer_entries.vote_entry(memory, self._me.canonical, answer.text, intent)
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

    def _expired(self, epoch: int, *, had_it_all: bool) -> bool:
        """Whether its lease ran out before the draft was there.

        The floor says so until somebody is granted it anew, which may have come by now.
        """
        floor, mine = self._me.floor, self._me.canonical
        return floor.epoch > epoch and (
            had_it_all or (floor.epoch == epoch + 1 and mine in floor.passes)
        )

    def _may_finish(self, epoch: int, stirred: int) -> bool:
        return self._holds_floor(epoch) and self._me.floor.stirred == stirred
