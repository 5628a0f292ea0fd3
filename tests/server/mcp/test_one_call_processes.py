"""`parley mcp` by a client that starts a process for each call, as LangChain's does."""

from __future__ import annotations

from typing import Any

from parley.server.basics import agent_verbs
from tests.support.doors.agents import over_stdio
from tests.support.doors.doors import doors
from tests.support.logs.logs import opened


async def test_every_core_tool_works_in_a_process_of_its_own(redis_url: str) -> None:
    """Nobody joined in the process that speaks; who joined before keeps what they are."""
    called = set[str]()

    async def one(name: str, tool: str, **arguments: Any) -> Any:
        called.add(tool)
        async with over_stdio(redis_url, name) as agent:
            return await agent.do(tool, **arguments)

    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        joined = await one("ana", "join_session", description="looks after the harbour")
        proposed = await one("ana", "propose", content="Build a light.")
        assert [fact["ref"] for fact in proposed["found"] if fact["kind"] == "proposal.made"]
        await one("ben", "support", ref="P1", why="Boats need it.")
        await one("cy", "oppose", ref="P1", why="It costs too much.")
        await one("cy", "say", content="What would a buoy cost?", act="ask", re="P1")
        await one("ben", "decide", content="We build a light.", re="P1")
        await one("ben", "call_vote", question="A light?", options=["yes", "no"])
        await one("cy", "vote", ref="V1", choice=["no"])
        heard = await one("ana", "wait_for_messages", after=joined["cursor"])
        assert "Boats need it." in [message["content"] for message in heard["messages"]]
        assert "Build a light" in (await one("ana", "get_context"))["text"]
        memory = (await one("ana", "read_memory", part="all"))["proposals"]
        assert memory[0]["oppose"] == ["cy"]
    assert {verb.name for verb in agent_verbs.CORE} <= called
