"""Holding the floor: draft, and commit under the epoch that was granted.

The publish script refuses a commit whose epoch is over, so a late draft costs
money and harms nothing. A draft is broken off as soon as nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from parley.bus import Draft
from parley.bus.entries import FloorPassed, FloorReleased, Release
from parley.listeners.agents import agent_drafts
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.model_caller import Called, Caller, Ending
from parley.listeners.agents.prompts import what_to_say
from parley.listeners.rooms.participant import Presence
from parley.personas.persona import Persona

DRAFT_SECONDS: Final = 60.0  # longer than a slow endpoint takes for what is asked of it

_RELEASES: Final[dict[Ending, Release]] = {
    "answered": "silent",
    "budget": "budget",
    "cancelled": "interrupted",
    "late": "failed",
    "failed": "failed",
}


class Speaking:
    """What `presence` does with the floor."""

    def __init__(
        self, presence: Presence, persona: Persona, caller: Caller, tally: AgentTally
    ) -> None:
        self._me, self._persona, self._caller, self._tally = presence, persona, caller, tally
        self._openly = 0  # messages under the policy `open`

    async def use_floor(self, epoch: int) -> None:
        """Draft and commit, or release; begin anew where a person spoke meanwhile."""
        called = await self._drafted(lambda stirred: self._may_finish(epoch, stirred))
        for _ in range(self._me.settings.restarts):
            if called.ending != "cancelled" or not self._holds(epoch):
                break
            await self._me.publish(called.settled())
            called = await self._drafted(lambda stirred: self._may_finish(epoch, stirred))
        text = agent_drafts.said(called.answer or "", self._me.name, self._persona.display)
        if text:
            await self._commit(epoch, text, called)
        else:
            await self._give_up(epoch, _RELEASES[called.ending], called)

    async def speak_openly(self, still: Callable[[int], bool]) -> None:
        """Under the policy `open` a bid is its own grant: others may speak at the same time."""
        called = await self._drafted(still)
        text = agent_drafts.said(called.answer or "", self._me.name, self._persona.display)
        if text:
            self._openly += 1
            spoken = self._spoken(text, f"say:{self._me.key}:open.{self._openly}")
            await self._me.publish(*spoken, called.settled())
            self._tally.commits += 1
        elif called.ending == "cancelled":
            await self._me.publish(called.settled())
        else:
            self._tally.silent += 1
            floor = self._me.floor
            nothing = FloorPassed(participant=self._me.name, epoch=floor.epoch, heard=floor.head)
            await self._me.publish(called.settled(), self._me.draft("pass", nothing))

    async def _drafted(self, holds: Callable[[int], bool]) -> Called[str]:
        self._tally.drafts += 1
        stirred = self._me.floor.stirred
        room = self._me.room
        prompt = what_to_say(
            self._persona, self._me.name, room.memory, tuple(room.recent), self._me.intent
        )
        called = await self._caller.speak(prompt, lambda: holds(stirred), DRAFT_SECONDS)
        self._tally.ended(called.ending)
        return called

    async def _commit(self, epoch: int, text: str, called: Called[str]) -> None:
        spoken = self._spoken(text, f"say:{self._me.key}:{epoch}")
        if await self._me.landed(epoch, *spoken, called.settled(), self._released(epoch, "spoke")):
            self._tally.commits += 1
        else:
            self._tally.stale += 1
            await self._me.publish(called.settled("discarded"))

    async def _give_up(self, epoch: int, reason: Release, called: Called[str]) -> None:
        self._tally.silent += reason == "silent"
        await self._me.publish(called.settled())
        if self._me.floor.epoch == epoch:
            await self._me.landed(epoch, self._released(epoch, reason))

    def _spoken(self, text: str, id: str) -> list[Draft | None]:
        intent = self._me.intent
        said = agent_drafts.message(self._me.name, text, intent, self._me.seat)
        call = agent_drafts.vote_call(self._me.memory, self._me.canonical, text, intent)
        return [Draft(id, said), None if call is None else Draft(f"{id}:vote", call)]

    def _released(self, epoch: int, reason: Release) -> Draft:
        entry = FloorReleased(participant=self._me.name, epoch=epoch + 1, reason=reason)
        return Draft(f"release:{self._me.key}:{epoch}", entry)

    def _holds(self, epoch: int) -> bool:
        """Whether the floor is still its own, and nothing came that goes before speaking."""
        me = self._me
        return (
            me.floor.epoch == epoch
            and not me.floor.paused
            and me.memory.closed is None
            and not me.voting()
        )

    def _may_finish(self, epoch: int, stirred: int) -> bool:
        return self._holds(epoch) and self._me.floor.stirred == stirred
