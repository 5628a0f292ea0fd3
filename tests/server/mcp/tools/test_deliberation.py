"""Two agents come to a ratified decision over MCP, by the official client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Entry, Message, VoteInitiated
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.ledger.decision_rule import RULE
from parley.server.http.tokens.callers import caller_from_claims
from parley.server.mcp.tools.pending_waits import PendingWaits
from parley.server.mcp.tools.tool_call import McpDependencies, ToolCall
from parley.server.mcp.tools.tool_registry import BY_NAME
from tests.support.doors.agents import Agent, Mode, over_http, over_stdio, text_of
from tests.support.doors.doors import doors
from tests.support.logs.logs import PACKS, opened


async def _hears(agent: Agent, after: int) -> dict[str, Any]:
    row: dict[str, Any] = await agent.do("wait_for_messages", after=after, timeout=20)
    return row


async def deliberate(ana: Agent, bo: Agent) -> None:
    """`ana` proposes, `bo` supports, `ana` claims the decision, `bo`, in the chair, ratifies it."""
    await ana.do("join_session", description="keeps the harbour")
    there = await bo.do("join_session")
    assert "ana" in there["participants"]

    waits = asyncio.create_task(_hears(bo, there["after"]))
    made = await ana.do("propose", content="Build a light at the end of the pier.", topic="light")
    assert [row["ref"] for row in made["found"] if row["kind"] == "proposal.made"] == ["P1"]

    heard = await waits
    (message,) = heard["messages"]
    assert (message["participant"], message["act"]) == ("ana", "propose")
    assert message["content"] == "Build a light at the end of the pier."

    agreed = await bo.do("support", ref="P1", why="Ships ground there at night.")
    heard = await _hears(ana, made["seq"])
    assert [row["participant"] for row in heard["messages"]] == ["bo"]

    claimed = await ana.do("decide", content="We build the light.", re="P1")
    assert agreed["seq"] < claimed["seq"]
    assert (claimed["made"], claimed["touched"], claimed["rule"]) == (["D1"], [], RULE)
    lacking = (
        "D1 is claimed, not binding: P1 needs one more supporter, or the word of the chair (bo)"
    )
    assert claimed["missing"] == [lacking]
    ratified = await bo.do("ratify", ref="D1")
    assert (set(ratified["touched"]), ratified["missing"]) == ({"P1", "D1"}, [])

    memory = await ana.do("read_memory", part="decisions")
    (decision,) = memory["decisions"]
    assert (decision["ref"], decision["status"], decision["resolves"]) == ("D1", "ratified", "P1")
    assert (decision["cites"][0]["n"], decision["cites"][0]["quote"]) == (
        claimed["n"], "We build the light.",
    )  # fmt: skip
    assert (await ana.do("leave_session"))["left"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_two_agents_decide_over_http(redis_url: str, mode: Mode) -> None:
    """With the newest protocol and with the one before."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(chair=["bo"]))
        async with (
            over_http(d, d.token("ana", role="agent"), mode=mode) as ana,
            over_http(d, d.token("bo", role="agent", session="harbour"), mode=mode) as bo,
        ):
            await deliberate(ana, bo)


async def test_two_agents_decide_over_standard_input(redis_url: str) -> None:
    """Each a process of its own on one Redis, one of them with the protocol before the newest."""
    async with await Bus.connect(redis_url) as bus:
        await bus.open("harbour", opened(chair=["bo"]))
        async with (
            over_stdio(redis_url, "ana", mode="auto") as ana,
            over_stdio(redis_url, "bo", mode="legacy") as bo,
        ):
            await deliberate(ana, bo)
        memory = await MemoryReader(bus, PACKS).current("harbour")
        assert [decision.status for decision in memory.decisions.values()] == ["ratified"]


async def test_who_acts_has_heard_what_was_acknowledged_before(redis_url: str) -> None:
    """By whatever door: an item that the session has is not refused for being new."""
    async with doors(redis_url) as d:
        bus = d.deps.backend.bus
        await bus.open("harbour", opened())
        token = d.token("bo", role="agent")
        caller = caller_from_claims(d.deps.keyring.verify(token, d.deps.clock()))
        door = McpDependencies(d.deps, PendingWaits())

        def call(tool: str, **given: Any) -> Awaitable[Any]:
            """Called as it is: nothing is waited for on the way."""
            args = BY_NAME[tool].args.model_validate({"session": "harbour", **given})
            return BY_NAME[tool].run(ToolCall(door, caller, args))

        async def say(name: str, entry: Entry) -> None:
            await bus.publish("harbour", [Draft(name, entry)])

        await call("join_session")
        await say("p", Message(participant="ana", content="Build a light.", act="propose"))
        supported = await call("support", ref="P1")
        assert [fact.kind for fact in supported.found] == ["reaction.changed"]
        await say("v", VoteInitiated(participant="ana", content="Build it?", re="P1"))
        assert "ballot.cast" in [
            fact.kind for fact in (await call("vote", ref="V1", choice=["accept"])).found
        ]


async def test_a_vote_closes_when_everybody_voted(redis_url: str) -> None:
    """Though the floor is open and nobody counts; both hear how it ended."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(chair=["ana"]))
        async with (
            over_http(d, d.token("ana", role="agent", may=["vote"])) as ana,
            over_http(d, d.token("bo", role="agent")) as bo,
        ):
            await ana.do("join_session")
            after = (await bo.do("join_session"))["after"]
            await ana.do("propose", content="Build a light.")
            called = await ana.do("call_vote", question="Build it?", proposal="P1")
            assert (called["ref"], called["waiting"]) == ("V1", ["ana", "bo"])
            await ana.do("vote", ref="V1", choice=["accept"])
            await bo.do("vote", ref="1", choice="accept", why="It is dark out there.")
            for agent in (ana, bo):
                heard = await agent.do("wait_for_messages", after=after, timeout=10)
                closed = [fact["says"] for fact in heard["facts"] if fact["kind"] == "vote.closed"]
                assert len(closed) == 1
            memory = await bo.do("read_memory")
            (vote,), (decision,) = memory["votes"], memory["decisions"]
            assert (vote["status"], vote["carried"]) == ("carried", "accept")
            assert (decision["resolves"], decision["status"]) == ("P1", "ratified")


async def test_a_ballot_without_a_reason_is_told_without_an_empty_line(redis_url: str) -> None:
    """In the Brief and in the memory: nothing stands behind a fence with nothing in it."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with (
            over_http(d, d.token("ana", role="agent", may=["vote"])) as ana,
            over_http(d, d.token("bo", role="agent")) as bo,
            over_http(d, d.token("cy", role="agent")) as cy,
        ):
            for agent in (ana, bo, cy):
                await agent.do("join_session")
            await ana.do("propose", content="Build a light at the end of the pier.")
            await ana.do("call_vote", question="A light?", proposal="P1")
            for agent, choice in ((ana, "accept"), (bo, "accept"), (cy, "reject")):
                await agent.do("vote", ref="V1", choice=[choice])
            brief = await ana.do("read_brief")
            assert [row["text"] for row in brief["decided"][0]["dissent"]] == [None]
            answers = [
                text_of(await ana.call(tool, session="harbour"))
                for tool in ("read_brief", "read_memory")
            ]
    for answer in answers:
        assert "| " not in answer.splitlines(), answer
    assert "against it: cy" in answers[0].splitlines()


async def test_a_question_that_came_to_nothing_is_in_the_brief(redis_url: str) -> None:
    """Whoever reads it over MCP learns that it is open still."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(chair=["ana"]))
        async with (
            over_http(d, d.token("ana", role="agent", may=["vote"])) as ana,
            over_http(d, d.token("bo", role="agent")) as bo,
        ):
            for agent in (ana, bo):
                await agent.do("join_session")
            await ana.do("call_vote", question="A light?")
            for agent, choice in ((ana, "accept"), (bo, "reject")):
                await agent.do("vote", ref="V1", choice=[choice])
            brief = await ana.do("read_brief")
            text = text_of(await ana.call("read_brief", session="harbour"))
    assert [(row["ref"], row["status"]) for row in brief["missed"]] == [("V1", "failed")]
    assert "V1 came to nothing (failed):" in text.splitlines()
