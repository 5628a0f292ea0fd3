"""A process that hosts agents for tests: `python -m tests.support.processes.host_process <JSON>`.

Keys: url, session, agents (names), answer (of tests.support.sessions.talkers), nonce; seconds,
the time to a first token; budget, tokens of each agent.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from parley.bus import Bus
from parley.listeners.agents.host import HostedPart, host_agents
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import enter_room
from parley.personas.persona import Budget
from tests.support.logs.logs import PACKS
from tests.support.sessions.talkers import ANSWERS, persona


async def main(options: dict[str, Any]) -> None:
    model = ScriptedModel(
        ANSWERS[options["answer"]],
        seed=options.get("seed", 0),
        first_token_seconds=options.get("seconds", 0.0),
    )
    budget = Budget(tokens=options.get("budget"))
    async with (
        await Bus.connect(options["url"]) as bus,
        enter_room(RedisLog(MemoryReader(bus, PACKS), options["session"])) as room,
    ):
        parts = [HostedPart(name, persona(name, budget=budget)) for name in options["agents"]]
        await host_agents(room, parts, model, nonce=options["nonce"])


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
