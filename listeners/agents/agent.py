"""One agent: listens to a session, and speaks when it has the floor.

    IDLE → GATED → EVALUATING → BIDDING → DRAFTING → COMMITTING → IDLE

It acts on the memory as it stands whenever that moves: answer a vote, use the
floor that it was granted, else let the rules decide whether its model is asked
at all. It has one call at a time; one that nobody waits for any more is
cancelled. The model supplies scores and text and nothing else: who speaks, how
often and at what cost is decided by entries, counters and the publish script.
"""

from __future__ import annotations

from parley.bus.contract.errors import SessionClosed
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.evaluation import Evaluating
from parley.listeners.agents.model_caller import Caller
from parley.listeners.agents.moderator import Moderating
from parley.listeners.agents.speaker import Speaking
from parley.listeners.agents.voter import Voter
from parley.listeners.models.model_port import Speaker
from parley.listeners.rooms.participant import Presence
from parley.listeners.rooms.room import Room
from parley.listeners.spending.prices import Prices
from parley.personas.persona import Persona


class AgentListener:
    """`persona` in a session, under `name`.

    `nonce` tells this process from others that speak for it: give a random one,
    or a fixed one where a run is to be repeated.
    """

    def __init__(
        self,
        room: Room,
        persona: Persona,
        model: Speaker,
        *,
        nonce: str,
        name: str = "",
        prices: Prices | None = None,
    ) -> None:
        self.tally = AgentTally()
        self._persona = persona
        self._me = me = Presence(room, name or persona.name, nonce)
        caller = Caller(room, model, prices or {}, me.name, f"call:{me.key}")
        self._evaluating = Evaluating(me, persona, caller, self.tally)
        self._speaking = Speaking(me, persona, caller, self.tally)
        self._voter = Voter(me, persona, caller, self.tally)
        self._moderating = Moderating(me, persona, caller, self.tally)
        self._sat = False
        self._served = -1  # epoch of the last grant that was used

    @property
    def name(self) -> str:
        return self._me.name

    async def run(self) -> None:
        """Take the seat, and take part until the session closes. Raises `Superseded`."""
        room = self._me.room
        try:
            while room.memory.closed is None:
                seq = room.seq
                await self._keep_seat()
                await room.moved(seq, await self._act())
        except SessionClosed:
            return

    async def leave(self, reason: str = "") -> None:
        """Give the seat up; nothing where the session is closed."""
        if self._me.memory.closed is None:
            await self._me.leave(reason)

    async def _keep_seat(self) -> None:
        """Sit down, at first and where the log lost the seat. Raises `Superseded`."""
        if self._me.seat is None or not self._sat:
            self._sat, self._served = True, -1
            await self._me.sit_down("agent", self._persona)
        self._me.check_seat()

    async def _act(self) -> float | None:
        """Do the one thing that is to be done now, if any; the seconds to look again after."""
        me, floor = self._me, self._me.floor
        if floor.holder == me.canonical:
            if floor.epoch != self._served:
                self._served = floor.epoch
                await self._speaking.use_floor(floor.epoch)
        elif (vote := self._voter.unconfirmed()) is not None:
            await self._voter.agree(vote)
        elif (vote := self._voter.owed()) is not None:
            await self._voter.cast(vote)
        elif self._moderating.asked():
            await self._moderating.grant()
        elif me.settings.policy == "open" and me.canonical in floor.bids:
            await self._speaking.speak_openly(self._evaluating.still)
        else:
            return await self._evaluating.consider()
        return None
