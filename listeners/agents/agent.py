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
from parley.listeners.agents.evaluation import Evaluator
from parley.listeners.agents.model_caller import ModelCaller
from parley.listeners.agents.moderator import Moderator
from parley.listeners.agents.speaking_turn import SpeakingTurn
from parley.listeners.agents.voter import Voter
from parley.listeners.models.model_port import StreamingModel
from parley.listeners.models.patience import Patience
from parley.listeners.rooms.participant import Participant
from parley.listeners.rooms.room import Room
from parley.listeners.spending.prices import Prices
from parley.personas.persona import Persona


class Agent:
    """`persona` in a session, under `name`.

    `nonce` tells this process from others that speak for it: give a random one,
    or a fixed one where a run is to be repeated. Its seat says how long `patience` may wait.
    """

    def __init__(
        self,
        room: Room,
        persona: Persona,
        model: StreamingModel,
        *,
        nonce: str,
        name: str = "",
        prices: Prices | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.tally = AgentTally()
        self._persona = persona
        self._me = me = Participant(room, name or persona.name, nonce)
        caller = ModelCaller(room, model, prices or {}, me.name, f"call:{me.key}", patience)
        self._patience, self._caller = patience, caller
        self._evaluator = Evaluator(me, persona, caller, self.tally)
        self._speaker = SpeakingTurn(me, persona, caller, self.tally)
        self._voter = Voter(me, persona, caller, self.tally)
        self._moderator = Moderator(me, persona, caller, self.tally)
        self._is_seated = False
        self._used_epoch = -1  # epoch of the last grant that was used

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
                await room.wait_past(seq, await self._act())
        except SessionClosed:
            return

    async def leave(self, reason: str = "stopped") -> None:
        """Settle what was asked, and give the seat up; nothing where the session is closed."""
        if self._me.memory.closed is None:
            await self._caller.settle_abandoned()
            await self._me.leave(reason)

    async def _keep_seat(self) -> None:
        """Sit down, at first and where the log lost the seat. Raises `Superseded`."""
        if self._me.seat is None or not self._is_seated:
            self._is_seated, self._used_epoch = True, -1
            longest = None if self._patience is None else self._patience.answer_ms
            await self._me.sit_down("agent", self._persona, answer_ms=longest)
        self._me.check_seat()

    async def _act(self) -> float | None:
        """Do the one thing that is to be done now, if any; the seconds to look again after."""
        me, floor = self._me, self._me.floor
        if floor.holder == me.canonical:
            if floor.epoch != self._used_epoch:
                self._used_epoch = floor.epoch
                await self._speaker.use_floor(floor.epoch)
        elif (vote := self._voter.unconfirmed()) is not None:
            await self._voter.agree(vote)
        elif (vote := self._voter.pending()) is not None:
            await self._voter.cast(vote)
        elif self._moderator.is_asked():
            await self._moderator.grant()
        elif me.settings.policy == "open" and me.canonical in floor.bids:
            await self._speaker.speak_openly(self._evaluator.still_holds)
        else:
            return await self._evaluator.evaluate()
        return None
