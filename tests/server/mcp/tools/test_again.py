"""A tool that is called again under its key: the same receipt, and nothing is said twice."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest

from parley.bus import Draft
from parley.bus.entries import ItemCorrected
from parley.server.mcp.tools.tool_registry import TOOLS
from tests.support.doors.agents import over_http
from tests.support.doors.arguments import ARGUMENTS
from tests.support.doors.doors import doors
from tests.support.logs.logs import opened
from tests.support.sessions.rooms import BID

KEYED: Final = (
    "propose",
    "say",
    "support",
    "oppose",
    "call_vote",
    "extend_vote",
    "vote",
    "decide",
    "ratify",
)
RECEIPT: Final = ("n", "seq", "ref")


def test_every_tool_that_says_something_takes_a_key() -> None:
    """And only those; its description is that of HTTP."""
    for tool in TOOLS:
        field = tool.args.model_fields.get("key")
        assert (field is not None) == (tool.name in (*KEYED, "confirm_vote")), tool.name
        assert field is None or "nothing is said twice" in str(field.description)


async def test_a_call_that_is_repeated_is_told_what_it_did(redis_url: str) -> None:
    """Each of them; also the ballot that closed its vote, and a ratified decision."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(chair=["ana"]))
        token = d.token("ana", role="agent", may=["vote"])
        async with over_http(d, token) as ana:
            await ana.do("join_session")
            for tool in KEYED:
                given = {
                    name: value for name, value in ARGUMENTS[tool].items() if name != "session"
                }
                first = await ana.do(tool, **given, key=f"{tool}!")
                head = (await d.deps.backend.bus.info("harbour")).head
                again = await ana.do(tool, **given, key=f"{tool}!")
                assert (await d.deps.backend.bus.info("harbour")).head == head, tool
                assert _receipt(again) == _receipt(first), tool
                assert tool == "vote" or again.get("found") == first.get("found")
                assert again.get("duplicate", True), tool
                assert not first.get("duplicate", False), tool


def _receipt(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row.get(name) for name in RECEIPT}


async def test_a_vote_that_is_agreed_to_twice_is_agreed_to_once(redis_url: str) -> None:
    """By everybody, and then it is open; whoever agreed is told so again."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(vote={"confirm": "all"}))
        async with (
            over_http(d, d.token("ana", role="agent", may=["vote"])) as ana,
            over_http(d, d.token("bo", role="agent")) as bo,
        ):
            for agent in (ana, bo):
                await agent.do("join_session")
            await ana.do("propose", content="Build a light.")
            called = await ana.do("call_vote", question="Build it?", proposal="P1")
            assert called["status"] == "called"
            assert "called" in await bo.refused("vote", ref="V1", choice=["accept"])
            for _ in range(2):
                agreed = await bo.do("confirm_vote", ref="V1", key="yes")
                assert agreed["status"] == "open"
            assert "nobody has to agree" in await bo.refused("confirm_vote", ref="V1")


async def test_a_key_is_for_one_call(redis_url: str) -> None:
    """Other words under the same key are refused, and another's key is another key."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with (
            over_http(d, d.token("ana", role="agent")) as ana,
            over_http(d, d.token("bo", role="agent")) as bo,
        ):
            for agent in (ana, bo):
                await agent.do("join_session")
                assert not (await agent.do("say", content="Morning.", key="a"))["duplicate"]
            why = await ana.refused("say", content="Evening.", key="a")
            assert why.startswith("conflict:")
            assert "another key" in why
            assert (await ana.refused("say", content="x", key="a b")).startswith("invalid:")


@pytest.mark.parametrize("key", ["k", None], ids=["the same", "different"])
async def test_words_of_one_seat_wait_for_one_another(redis_url: str, key: str | None) -> None:
    """Where the floor is needed; what is repeated while it waits is said once."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(floor={**BID, "cooldown": 0}))
        async with over_http(d, d.token("ana", role="agent")) as ana:
            await ana.do("join_session")
            words = ["A light?", "A light?" if key else "A crane?"]
            results = await asyncio.gather(
                *(ana.do("say", content=word, key=key) for word in words)
            )
            assert sorted(result["n"] for result in results) == ([1, 1] if key else [1, 2])
            assert sorted(result["duplicate"] for result in results) == [False, bool(key)]


async def test_a_word_on_an_item_that_was_struck_since_is_told_again(redis_url: str) -> None:
    """It stands where it stood; a new one is for nothing, by `say` as by its own tool."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with over_http(d, d.token("ana", role="agent")) as ana:
            await ana.do("join_session")
            await ana.do("propose", content="Build a light.")
            arguments = {"content": "Yes.", "act": "support", "re": "P1"}
            first = [
                await ana.do("support", ref="P1", key="a"),
                await ana.do("decide", content="So be it.", re="P1", key="b"),
                await ana.do("say", **arguments, key="c"),
            ]
            await d.deps.backend.bus.publish(
                "harbour", [Draft("s", ItemCorrected(ref="P1", op="retract", by="bo"))]
            )
            again = [
                await ana.do("support", ref="P1", key="a"),
                await ana.do("decide", content="So be it.", re="P1", key="b"),
                await ana.do("say", **arguments, key="c"),
            ]
            assert [result["n"] for result in again] == [result["n"] for result in first]
            assert all(result["duplicate"] for result in again)
            assert (await ana.refused("support", ref="P1")).startswith("no-item:")
            assert (await ana.refused("say", **arguments)).startswith("no-item:")
