"""What a process does for a session: its agents, and an arbiter, in one room."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from parley.bus.connection.tasks import cancel_and_wait
from parley.bus.contract.errors import SessionClosed
from parley.listeners.agents.agent import Agent
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.arbiter import Arbiter, ArbiterTally
from parley.listeners.agents.panel import PanelCaller
from parley.listeners.models.model_port import StreamingModel
from parley.listeners.rooms.participant import Superseded
from parley.listeners.rooms.room import Room
from parley.listeners.spending.prices import Prices
from parley.personas.persona import Persona

OUTAGE_SECONDS: Final = 60.0  # of Redis, that a host waits out; then whoever minds it decides

log = structlog.get_logger("parley.host")


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
    stop: asyncio.Event | None = None,
) -> HostTally:
    """Let `parts` take part in `room` until it closes, or `stop` is set: then they leave.

    A part that another process took over ends by itself; the rest goes on.
    """
    prices = prices or {}
    room.patience_seconds = OUTAGE_SECONDS
    arbiter = Arbiter(room, nonce)
    agents = [
        Agent(room, part.persona, model, nonce=nonce, name=part.name, prices=prices)
        for part in parts
    ]
    closed = asyncio.create_task(arbiter.run(), name=f"parley-arbiter-{room.session}")
    tasks = [
        asyncio.create_task(PanelCaller(room, model, prices).run(), name="parley-panel"),
        *(asyncio.create_task(_run(agent), name=f"parley-agent-{agent.name}") for agent in agents),
    ]
    stopped = asyncio.create_task((stop or asyncio.Event()).wait())
    try:
        await _first_failure(closed, stopped, tasks)
        if stopped.done():
            await cancel_and_wait(*tasks)
            for agent in agents:
                await _leave(agent)
    finally:
        await cancel_and_wait(closed, stopped, *tasks)
    return HostTally({agent.name: agent.tally for agent in agents}, arbiter.tally)


async def _first_failure(
    closed: asyncio.Task[None], stopped: asyncio.Task[bool], agents: list[asyncio.Task[None]]
) -> None:
    """Wait for the end of the session, or the wish to stop; raise what any of them failed with."""
    waiting: set[asyncio.Task[None] | asyncio.Task[bool]] = {closed, stopped, *agents}
    while not closed.done() and not stopped.done():
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    if closed.done() and agents:
        await asyncio.wait(agents)


async def _run(agent: Agent) -> None:
    try:
        await agent.run()
    except Superseded as error:
        log.warning("agent_superseded", participant=agent.name, reason=str(error))


async def _leave(agent: Agent) -> None:
    try:
        await agent.leave("stopped")
    except SessionClosed:
        return
