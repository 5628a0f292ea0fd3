"""Whether to ask for the floor: the rules first, and the model only where they leave it open.

Errors and time-outs are a pass, unless a person waits for an answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from parley.bus import Draft
from parley.bus.entries import FloorBid, FloorPassed, Intent
from parley.listeners.agents import agent_drafts
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.model_caller import Called, Caller
from parley.listeners.agents.prompts import Evaluation, should_respond
from parley.listeners.rooms.participant import Presence
from parley.memory.arbitration.bid_scores import speaking_deficits
from parley.memory.arbitration.gate import judge_listener, judge_listeners
from parley.memory.arbitration.urgency import judge_urgency
from parley.memory.floor.bids import has_standing_bid
from parley.personas.persona import Persona

PATIENCE: Final = 2  # times in an evaluation's time without an answer that one more is asked
_ACKNOWLEDGES: Final = re.compile(
    r"\W*(?:(?:\+1|ok(?:ay)?|thanks?(?: you)?|agreed?|sure|yes|yep|got it|noted|will do|great|"
    r"sounds good|makes sense|done)\W*){1,3}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Heard:
    """What an evaluation is based on: entries up to `n`, and what had stirred everyone by then."""

    n: int
    stirred: int
    by_person: bool


class Evaluating:
    """Decides for `presence`; at most one evaluation is under way."""

    def __init__(
        self, presence: Presence, persona: Persona, caller: Caller, tally: AgentTally
    ) -> None:
        self._me, self._persona, self._caller, self._tally = presence, persona, caller, tally
        self._seen = 0  # n of the newest message that the gate has judged
        self._heard = 0  # and of the newest that an answer was based on

    async def consider(self) -> float | None:
        """Bid, pass, ask the model which, or let it be.

        The seconds after which to consider again though nothing came; None: never.
        """
        verdict = judge_listener(self._me.memory, self._me.canonical)
        if verdict == "evaluate":
            verdict = self._without_asking() or verdict
        if verdict == "bid":
            await self._bid(self._now(), "answer", 3, how="addressed")
        elif verdict == "evaluate":
            await self._evaluate()
        elif self._me.floor.head > self._seen:
            self._tally.gated[verdict] += 1
        self._seen = max(self._seen, self._me.floor.head)
        queued = verdict == "queued"
        return self._me.settings.evaluation_ms / 1000 / PATIENCE if queued else None

    def still(self, stirred: int) -> bool:
        """Whether an evaluation (or an open draft) that began then may still come to something."""
        me = self._me
        return (
            me.floor.stirred == stirred
            and me.floor.holder != me.canonical
            and not me.floor.paused
            and me.memory.closed is None
            and not me.voting()
        )

    async def _evaluate(self) -> None:
        """By rules here, or by the model; a panel is asked by the arbiter, an order by nobody."""
        settings, heard = self._me.settings, self._now()
        if settings.policy in ("round_robin", "scripted", "panel"):
            return
        if settings.evaluation == "rules":
            bid = judge_urgency(self._me.memory, self._me.canonical, tuple(self._me.room.recent))
            if bid is None:
                await self._pass(heard, "nothing to add by the rules", how="rules")
            else:
                await self._bid(
                    heard, agent_drafts.as_intent(bid.intent), bid.urgency, re=bid.re,
                    novelty=bid.novelty, how="rules",
                )  # fmt: skip
        elif settings.evaluation == "self":
            await self._ask(heard)

    async def _ask(self, heard: Heard) -> None:
        self._tally.evaluations += 1
        room = self._me.room
        prompt = should_respond(self._persona, self._me.name, room.memory, tuple(room.recent))
        called = await self._caller.ask(
            prompt,
            Evaluation,
            lambda: self.still(heard.stirred),
            self._me.settings.evaluation_ms / 1000,
        )
        self._tally.ended(called.ending)
        await self._answer(called, heard)

    async def _answer(self, called: Called[Evaluation], heard: Heard) -> None:
        answer = called.answer
        if called.ending == "cancelled":
            await self._me.publish(called.settled())
        elif answer is not None and answer.act == "bid":
            await self._bid(
                heard, answer.intent, answer.urgency,
                re=agent_drafts.target_of(self._me.memory, answer), novelty=answer.novelty,
                reason=answer.reason, settle=called.settled(),
            )  # fmt: skip
        elif answer is not None:
            await self._pass(
                heard, answer.reason, ready=answer.ready, settle=called.settled("passed")
            )
        elif heard.by_person and called.ending != "budget":
            await self._bid(heard, "answer", 1, reason=called.ending, settle=called.settled())
        else:
            broke = called.ending == "budget"
            await self._pass(
                heard, called.ending, ready=broke, failed=not broke, settle=called.settled()
            )

    async def _bid(
        self, heard: Heard, intent: Intent, urgency: int, *,
        how: Literal["self", "rules", "addressed"] = "self", re: int | str | None = None,
        novelty: str = "", reason: str = "", settle: Draft | None = None,
    ) -> None:  # fmt: skip
        self._tally.bids += 1
        self._heard = heard.n
        entry = FloorBid(
            participant=self._me.name, epoch=self._me.floor.epoch, heard=heard.n,
            urgency=urgency, intent=intent, re=re, novelty=agent_drafts.short(novelty),
            reason=agent_drafts.short(reason), how=how,
        )  # fmt: skip
        await self._me.publish(settle, self._me.draft("bid", entry))

    async def _pass(
        self, heard: Heard, reason: str, *, how: Literal["self", "rules"] = "self",
        ready: bool = False, failed: bool = False, settle: Draft | None = None,
    ) -> None:  # fmt: skip
        self._tally.passes += 1
        self._heard = heard.n
        entry = FloorPassed(
            participant=self._me.name, epoch=self._me.floor.epoch, heard=heard.n,
            ready=ready, failed=failed, reason=agent_drafts.short(reason), how=how,
        )  # fmt: skip
        await self._me.publish(settle, self._me.draft("pass", entry))

    def _now(self) -> Heard:
        floor = self._me.floor
        by_person = floor.stirred > 0 and floor.hops == 0
        return Heard(max(floor.head, floor.stirred), floor.stirred, by_person)

    def _without_asking(self) -> str:
        """Why the model need not be asked though the gate would let it; "" where it must."""
        if self._only_acknowledged():
            return "acknowledged"
        if self._presses() or self._is_next():
            return ""
        return "queued"

    def _is_next(self) -> bool:
        """Whether it is among the few that are asked at once: those who said least come first.

        All listeners come to the same few, wherever they run. Bids that stand
        need no more company, unless a moderator is to choose among all. Where
        those who are asked do not answer, more are.
        """
        memory, settings = self._me.memory, self._me.settings
        if not settings.queue:
            return True
        chosen = settings.policy == "moderated"
        bids = 0 if chosen else sum(has_standing_bid(memory, name) for name in memory.floor.bids)
        more = PATIENCE * self._me.room.waited().answer // settings.evaluation_ms
        due = speaking_deficits(memory)
        waiting = [
            name for name, said in judge_listeners(memory, due).items() if said == "evaluate"
        ]
        waiting.sort(key=lambda name: -due[name])  # of equals who joined first
        return self._me.canonical in waiting[: max(0, settings.queue - bids) + more]

    def _presses(self) -> bool:
        """Whether it could not wait: a decision in its field is about to stand untested."""
        wish = judge_urgency(self._me.memory, self._me.canonical, tuple(self._me.room.recent))
        return wish is not None and wish.intent == "oppose" and wish.urgency > 1

    def _only_acknowledged(self) -> bool:
        """Whether nothing but acknowledgements came since the last answer was given."""
        if not self._heard:
            return False
        fresh = [record for record in self._me.room.recent if record.n > self._heard]
        return bool(fresh) and all(
            _ACKNOWLEDGES.fullmatch(getattr(record.entry, "content", "").strip())
            for record in fresh
        )
