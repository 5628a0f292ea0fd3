"""Whether to ask for the floor: the rules first, and the model only where they leave it open.

Errors and time-outs are a pass, unless a person waits for an answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from parley.bus import Draft
from parley.bus.entries import FloorBid, FloorPassed, Intent
from parley.listeners.agents import answer_entries
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.model_caller import CallOutcome, ModelCaller
from parley.listeners.agents.prompts import Evaluation, evaluation_prompt
from parley.listeners.agents.spoken_acts import parse_intent
from parley.listeners.rooms.participant import Participant
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
class EvaluationBasis:
    """What an evaluation is based on: entries up to `n`, and what had stirred everyone by then."""

    n: int
    stirred: int
    by_person: bool


class Evaluator:
    """Decides for `presence`; at most one evaluation is under way."""

    def __init__(
        self, presence: Participant, persona: Persona, caller: ModelCaller, tally: AgentTally
    ) -> None:
        self._me, self._persona, self._caller, self._tally = presence, persona, caller, tally
        self._judged_n = 0  # n of the newest message that the gate has judged
        self._answered_n = 0  # and of the newest that an answer was based on

    async def evaluate(self) -> float | None:
        """Bid, pass, ask the model which of them, or do nothing, as the gate decides.

        The seconds after which to consider again though nothing came; None: never.
        """
        verdict = judge_listener(self._me.memory, self._me.canonical)
        if verdict == "evaluate":
            verdict = self._reason_not_to_ask() or verdict
        if verdict == "bid":
            await self._bid(self._basis(), "answer", 3, how="addressed")
        elif verdict == "evaluate":
            await self._judge()
        elif self._me.floor.head > self._judged_n:
            self._tally.gated[verdict] += 1
        self._judged_n = max(self._judged_n, self._me.floor.head)
        queued = verdict == "queued"
        return self._seconds() / PATIENCE if queued else None

    def still_holds(self, stirred: int) -> bool:
        """Whether an evaluation (or an open draft) that began then may still come to something."""
        me = self._me
        return (
            me.floor.stirred == stirred
            and me.floor.holder != me.canonical
            and not me.floor.paused
            and me.memory.closed is None
            and not me.voting()
        )

    async def _judge(self) -> None:
        """By rules here, or by the model; a panel is asked by the arbiter, an order by nobody."""
        settings, basis = self._me.settings, self._basis()
        if settings.policy in ("round_robin", "scripted", "panel"):
            return
        if settings.evaluation == "rules":
            bid = judge_urgency(self._me.memory, self._me.canonical, tuple(self._me.room.recent))
            if bid is None:
                await self._pass(basis, "nothing to add by the rules", how="rules")
            else:
                await self._bid(
                    basis, parse_intent(bid.intent), bid.urgency, re=bid.re,
                    reason=bid.novelty, how="rules",  # why it bids: nothing that it would say
                )  # fmt: skip
        elif settings.evaluation == "self":
            await self._ask(basis)

    async def _ask(self, basis: EvaluationBasis) -> None:
        self._tally.evaluations += 1
        room = self._me.room
        prompt = evaluation_prompt(self._persona, self._me.name, room.memory, tuple(room.talk))
        outcome = await self._caller.ask(
            prompt,
            Evaluation,
            lambda: self.still_holds(basis.stirred),
            self._me.settings.evaluation_ms / 1000,
        )
        self._tally.count_ending(outcome.ending)
        await self._answer(outcome, basis)

    def _seconds(self) -> float:
        """How long an evaluation may take now."""
        return self._caller.seconds("evaluate", self._me.settings.evaluation_ms / 1000)

    async def _answer(self, outcome: CallOutcome[Evaluation], basis: EvaluationBasis) -> None:
        answer = outcome.answer
        if outcome.ending == "cancelled":
            await self._me.publish(outcome.settlement())
        elif answer is not None:
            memory, recent = self._me.memory, self._me.room.recent
            lines = answer_entries.recent_lines(memory, recent)
            terms = answer_entries.read_bid(memory, self._me.canonical, answer, lines)
            if terms is not None:
                await self._bid(
                    basis, terms.intent, terms.urgency, re=terms.re, novelty=terms.novelty,
                    reason=answer.reason, settle=outcome.settlement(),
                )  # fmt: skip
            else:
                await self._pass(
                    basis, answer.reason, ready=answer.act == "done",
                    settle=outcome.settlement("passed"),
                )  # fmt: skip
        elif basis.by_person and outcome.ending != "budget":
            await self._bid(basis, "answer", 1, reason=outcome.ending, settle=outcome.settlement())
        else:
            broke = outcome.ending == "budget"
            await self._pass(
                basis, outcome.ending, ready=broke, failed=not broke, settle=outcome.settlement()
            )

    async def _bid(
        self, basis: EvaluationBasis, intent: Intent, urgency: int, *,
        how: Literal["self", "rules", "addressed"] = "self", re: int | str | None = None,
        novelty: str = "", reason: str = "", settle: Draft | None = None,
    ) -> None:  # fmt: skip
        self._tally.bids += 1
        self._answered_n = basis.n
        entry = FloorBid(
            participant=self._me.name, epoch=self._me.floor.epoch, heard=basis.n,
            urgency=urgency, intent=intent, re=re, novelty=answer_entries.one_line_reason(novelty),
            reason=answer_entries.one_line_reason(reason), how=how,
        )  # fmt: skip
        await self._me.publish(settle, self._me.draft("bid", entry))

    async def _pass(
        self, basis: EvaluationBasis, reason: str, *, how: Literal["self", "rules"] = "self",
        ready: bool = False, failed: bool = False, settle: Draft | None = None,
    ) -> None:  # fmt: skip
        self._tally.passes += 1
        self._answered_n = basis.n
        entry = FloorPassed(
            participant=self._me.name, epoch=self._me.floor.epoch, heard=basis.n,
            ready=ready, failed=failed, reason=answer_entries.one_line_reason(reason), how=how,
        )  # fmt: skip
        await self._me.publish(settle, self._me.draft("pass", entry))

    def _basis(self) -> EvaluationBasis:
        floor = self._me.floor
        by_person = floor.stirred > 0 and floor.hops == 0
        return EvaluationBasis(max(floor.head, floor.stirred), floor.stirred, by_person)

    def _reason_not_to_ask(self) -> str:
        """Why the model need not be asked though the gate would let it; "" where it must."""
        if self._only_acknowledged():
            return "acknowledged"
        if self._is_urgent() or self._is_next():
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
        moderated = settings.policy == "moderated"
        bids = 0 if moderated else sum(has_standing_bid(memory, name) for name in memory.floor.bids)
        more = int(PATIENCE * self._me.room.waited().answer / 1000 / self._seconds())
        due = speaking_deficits(memory)
        waiting = [
            name for name, verdict in judge_listeners(memory, due).items() if verdict == "evaluate"
        ]
        waiting.sort(key=lambda name: -due[name])  # of equals who joined first
        return self._me.canonical in waiting[: max(0, settings.queue - bids) + more]

    def _is_urgent(self) -> bool:
        """Whether the rules say to oppose now: a decision in its field is about to go unopposed."""
        wish = judge_urgency(self._me.memory, self._me.canonical, tuple(self._me.room.recent))
        return wish is not None and wish.intent == "oppose" and wish.urgency > 1

    def _only_acknowledged(self) -> bool:
        """Whether nothing but acknowledgements came since the last answer was given."""
        if not self._answered_n:
            return False
        recent = [record for record in self._me.room.recent if record.n > self._answered_n]
        return bool(recent) and all(
            _ACKNOWLEDGES.fullmatch(getattr(record.entry, "content", "").strip())
            for record in recent
        )
