"""What a process does for a session: its agents, and an arbiter, in one room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import open_task_group, wait_unless_set
from parley.bus.contract.errors import SessionClosed
from parley.listeners.agents.agent import Agent
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.arbiter import Arbiter, ArbiterTally
from parley.listeners.agents.panel import PanelCaller
from parley.listeners.models.model_port import StreamingModel
from parley.listeners.models.patience import Patience
from parley.listeners.rooms.participant import Superseded
from parley.listeners.rooms.room import Room
from parley.listeners.spending.prices import Prices
from parley.personas.persona import Persona

_OUTAGE_SECONDS: Final = 60.0  # of Redis, that a host waits out; then whoever minds it decides

log = EventLog("parley.host")


@dataclass(frozen=True, slots=True)
class HostedPart:
    """A persona that takes part under `name`."""

    name: str
    persona: Persona


@dataclass(frozen=True, slots=True)
class HostTally:
    """What was done here: by agent, and by the arbiter."""

    agents: dict[str, AgentTally]
    arbiter: ArbiterTally


async def host_agents(
    room: Room,
    parts: Sequence[HostedPart],
    model: StreamingModel,
    *,
    nonce: str,
    prices: Prices | None = None,
    stop: anyio.Event | None = None,
    patience_seconds: float | None = None,
) -> HostTally:
    """Let `parts` take part in `room` until it closes, or `stop` is set: then they leave.

    A part that another process took over ends by itself; the rest goes on. A call of
    `model` may take `patience_seconds`, or as long as the session gives where that is more.
    """
    prices = prices or {}
    patience = None if patience_seconds is None else Patience(patience_seconds)
    room.patience_seconds = _OUTAGE_SECONDS
    arbiter = Arbiter(room, nonce, patience_seconds or 0.0)
    agents = [
        Agent(
            room,
            part.persona,
            model,
            nonce=nonce,
            name=part.name,
            prices=prices,
            patience=patience,
        )
        for part in parts
    ]
    stop = stop or anyio.Event()
    async with open_task_group() as group:
        closed = anyio.Event()
        group.start_soon(_arbitrate, arbiter, closed, name=f"parley-arbiter-{room.session}")
        panel = PanelCaller(room, model, prices, patience)
        async with open_task_group() as seats:
            seats.start_soon(panel.run, name="parley-panel")
            for agent in agents:
                seats.start_soon(_run, agent, name=f"parley-agent-{agent.name}")
            await wait_unless_set(stop, closed.wait())
            if stop.is_set():
                seats.cancel_scope.cancel()
        if stop.is_set():
            await _leave(panel)
            for agent in agents:
                await _leave(agent)
        group.cancel_scope.cancel()
    return HostTally({agent.name: agent.tally for agent in agents}, arbiter.tally)


async def _arbitrate(arbiter: Arbiter, closed: anyio.Event) -> None:
    await arbiter.run()
    closed.set()


async def _run(agent: Agent) -> None:
    try:
        await agent.run()
    except Superseded as error:
        log.warning("agent_superseded", participant=agent.name, reason=str(error))


async def _leave(leaver: Agent | PanelCaller) -> None:
    try:
        await leaver.leave()
    except SessionClosed:
        return
