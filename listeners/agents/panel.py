"""One evaluation for all listeners: the floor's evaluation `panel`.

Any process may make the call. Its reservation is an entry of a fixed id, so the
first to land makes it and the others wait; where that one dies, the evaluation's
time runs out and the floor goes on without.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bus import Draft
from bus.entries import FloorBid, FloorPassed
from bus.errors import Conflict, SessionClosed
from listeners.agents import drafting
from listeners.agents.prompting import Panel, PanelBid, who_should_respond
from listeners.models.accounts import Outcome, charge_for, outcome_of, reserve_draft, settle_draft
from listeners.models.port import Completion, Model, ModelError
from listeners.models.prices import Prices
from listeners.models.structured import ask, shape_of
from listeners.rooms.room import Room
from memory.floor.gate import judge
from memory.items import VOICE
from memory.text import clip, one_line

LONGEST: Final = 200


class PanelCaller:
    """Asks `model` on behalf of everyone in `room` who may want to speak."""

    def __init__(self, room: Room, model: Model, prices: Prices) -> None:
        self._room, self._model, self._prices = room, model, prices

    async def run(self) -> None:
        """Ask once an epoch, and anew when something stirred everyone, until the session closes."""
        room = self._room
        try:
            while room.memory.closed is None:
                seq = room.seq
                if names := self._listeners():
                    await self._ask(names)
                await room.moved(seq)
        except SessionClosed:
            return

    def _listeners(self) -> list[str]:
        """Who is to be judged now; nobody where listeners judge themselves."""
        memory = self._room.memory
        settings = memory.settings.floor
        if memory.floor.holder or (settings.policy != "panel" and settings.evaluation != "panel"):
            return []
        return [name for name in sorted(memory.floor.seats) if judge(memory, name) == "evaluate"]

    async def _ask(self, names: list[str]) -> None:
        memory = self._room.memory
        floor = memory.floor
        epoch, stirred, heard = floor.epoch, floor.stirred, max(floor.head, floor.stirred)
        prompt = replace(
            who_should_respond(memory, tuple(self._room.recent), names), shape=shape_of(Panel)
        )
        charge = charge_for(prompt, f"panel:{epoch}:{heard}", VOICE, self._prices)
        try:
            (receipt,) = await self._room.publish([reserve_draft(charge)])
        except Conflict:
            return  # another process asks, of a slightly other moment
        if receipt.duplicate or charge.call not in self._room.memory.ledger.calls:
            return
        answer: Panel | None = None
        completion: Completion | None = None
        outcome: Outcome = "used"
        try:
            answer, completion = await ask(self._model, prompt, Panel)
        except ModelError as error:
            completion, outcome = outcome_of(error)
        drafts = [settle_draft(charge, completion, outcome, self._prices)]
        if self._room.memory.floor.stirred == stirred:
            bids = {} if answer is None else {bid.participant: bid for bid in answer.bids}
            drafts += [self._entry(name, bids.get(name), heard) for name in names]
        await self._room.publish(drafts)

    def _entry(self, name: str, bid: PanelBid | None, heard: int) -> Draft:
        """The bid or pass of `name`; whom the answer does not name passes."""
        memory = self._room.memory
        epoch = memory.floor.epoch
        own = f"panel:{epoch}:{heard}:{memory.floor.seats[name].order}"
        if bid is None or bid.act == "pass":
            ready = bid is not None and bid.ready
            return Draft(own, FloorPassed(
                participant=name, epoch=epoch, heard=heard, ready=ready, how="panel"
            ))  # fmt: skip
        return Draft(own, FloorBid(
            participant=name, epoch=epoch, heard=heard, urgency=bid.urgency, intent=bid.intent,
            re=drafting.target_of(memory, bid), novelty=_short(bid.novelty),
            reason=_short(bid.reason), how="panel",
        ))  # fmt: skip


def _short(text: str) -> str:
    return clip(one_line(text), LONGEST)
