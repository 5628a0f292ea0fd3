"""One evaluation for all listeners: the floor's evaluation `panel`.

Any process may make the call. Its reservation is an entry of a fixed id, so the
first to land makes it and the others wait; where that one dies, the evaluation's
time runs out and the floor goes on without.
"""

from __future__ import annotations

from parley.bus import Draft
from parley.bus.contract.errors import SessionClosed
from parley.bus.entries import FloorBid, FloorPassed
from parley.listeners.agents import answer_entries
from parley.listeners.agents.model_caller import CallOutcome, ModelCaller
from parley.listeners.agents.prompts import Panel, PanelBid, panel_prompt
from parley.listeners.models.model_port import StreamingModel
from parley.listeners.models.patience import Patience
from parley.listeners.rooms.called_names import find_called
from parley.listeners.rooms.room import Room
from parley.listeners.spending.prices import Prices
from parley.memory.arbitration.gate import is_held_up_by_vote, judge_listeners
from parley.memory.floor.seats import present_agents
from parley.memory.voice import VOICE


class PanelCaller:
    """Asks `model` on behalf of every agent in `room` that may want to speak."""

    def __init__(
        self, room: Room, model: StreamingModel, prices: Prices, patience: Patience | None = None
    ) -> None:
        self._room = room
        self._caller = ModelCaller(room, model, prices, VOICE, "panel", patience)
        self._last_call = ""  # the newest call that was tried

    async def run(self) -> None:
        """Ask once an epoch, and anew when something stirred everyone, until the session closes."""
        room = self._room
        try:
            while room.memory.closed is None:
                seq = room.seq
                if names := self._listeners():
                    await self._ask(names)
                await room.wait_past(seq)
        except SessionClosed:
            return

    async def leave(self) -> None:
        """Settle what was asked as it was stopped; nothing where the session is closed."""
        if self._room.memory.closed is None:
            await self._caller.settle_abandoned()

    def _listeners(self) -> list[str]:
        """Who is to be judged now; nobody where listeners judge themselves."""
        memory = self._room.memory
        settings = memory.settings.floor
        if memory.floor.holder or (settings.policy != "panel" and settings.evaluation != "panel"):
            return []
        judged = judge_listeners(memory, sorted(present_agents(memory)))
        return [name for name, verdict in judged.items() if verdict == "evaluate"]

    async def _ask(self, names: list[str]) -> None:
        memory = self._room.memory
        stirred, heard = memory.floor.stirred, max(memory.floor.head, memory.floor.stirred)
        call = f"panel:{memory.floor.epoch}:{heard}"
        if call == self._last_call:
            return
        self._last_call = call
        outcome = await self._judge(names, call, stirred)
        if outcome.charge is None:
            return  # another process asks, or nobody can pay
        bids, is_clear = _bids_of(outcome, names)
        if not is_clear and self._holds(stirred):  # no answer, or names that fit nobody, or two
            if (settlement := outcome.settlement()) is not None:
                await self._room.publish([settlement])
            outcome = await self._judge(names, f"{call}:again", stirred)
            bids = {**bids, **_bids_of(outcome, names)[0]}
        drafts: list[Draft | None] = [outcome.settlement()]
        if self._holds(stirred):
            failed = outcome.answer is None and not bids
            drafts += [
                Draft(f"{call}:{place}", self._entry(name, bids.get(name), heard, failed=failed))
                for place, name in enumerate(names)
            ]
        await self._room.publish([draft for draft in drafts if draft is not None])

    async def _judge(self, names: list[str], call: str, stirred: int) -> CallOutcome[Panel]:
        memory = self._room.memory
        return await self._caller.ask(
            panel_prompt(memory, tuple(self._room.talk), names),
            Panel,
            lambda: self._holds(stirred),
            memory.settings.floor.evaluation_ms / 1000,
            call=call,
        )

    def _holds(self, stirred: int) -> bool:
        """Whether what is asked now may still come to something."""
        memory = self._room.memory
        floor = memory.floor
        return (
            floor.stirred == stirred
            and not floor.paused
            and memory.closed is None
            and not is_held_up_by_vote(memory)
        )

    def _entry(
        self, name: str, bid: PanelBid | None, heard: int, *, failed: bool
    ) -> FloorBid | FloorPassed:
        """The bid or pass of `name`; whom the answer does not name passes."""
        memory = self._room.memory
        epoch = memory.floor.epoch
        lines = answer_entries.recent_lines(memory, self._room.recent)
        terms = None if bid is None else answer_entries.read_bid(memory, name, bid, lines)
        if bid is None or terms is None:
            ready = bid is not None and bid.act == "done"
            return FloorPassed(
                participant=name, epoch=epoch, heard=heard, ready=ready, failed=failed, how="panel"
            )
        return FloorBid(
            participant=name, epoch=epoch, heard=heard, urgency=terms.urgency, intent=terms.intent,
            re=terms.re, novelty=terms.novelty,
            reason=answer_entries.one_line_reason(bid.reason), how="panel",
        )  # fmt: skip


def _bids_of(outcome: CallOutcome[Panel], names: list[str]) -> tuple[dict[str, PanelBid], bool]:
    """The first bid of each of `names`; and False if the panel should be asked again.

    An answer that came late is not asked for again: its time is over.
    """
    bids: dict[str, PanelBid] = {}
    unknown = False
    for bid in () if outcome.answer is None else outcome.answer.bids:
        named = find_called(bid.participant, names)
        unknown = unknown or named is None
        if named is not None:
            bids.setdefault(named, bid)
    is_whole = len(bids) == len(names) or not (unknown or outcome.ending == "failed")
    return bids, is_whole
