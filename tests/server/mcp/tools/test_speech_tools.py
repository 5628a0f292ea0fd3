"""Agents speak one at a time over MCP as well, where the session says so."""

from __future__ import annotations

import asyncio
import re

from parley.bus import Draft
from parley.bus.entries import FloorMuted, FloorPaused
from tests.support.doors.agents import over_http, text_of
from tests.support.doors.doors import doors
from tests.support.logs.logs import opened
from tests.support.servers.patience import cancel_and_wait, wait_until
from tests.support.sessions.rooms import BID


async def test_what_an_agent_says_waits_for_the_floor(redis_url: str) -> None:
    """Two speak at once; both are heard, each in its own turn."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(floor=BID))
        async with (
            over_http(d, d.token("ana", role="agent")) as ana,
            over_http(d, d.token("bo", role="agent")) as bo,
        ):
            joined = await ana.do("join_session")
            assert any("One speaks at a time" in line for line in joined["how_to"])
            await bo.do("join_session")
            results = await asyncio.gather(
                ana.do("propose", content="Build a light at the pier."),
                bo.do("say", content="Who keeps the harbour at night?"),
            )
            assert {row["n"] for row in results} == {1, 2}
            read = await ana.do("read_messages", first=1, last=2)
            assert {row["participant"] for row in read["messages"]} == {"ana", "bo"}


async def test_who_is_not_given_the_floor_is_told_what_to_do(redis_url: str) -> None:
    """While it is paused nobody is; nothing is published, and the words can be said again."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(floor=BID, chair=["cy"]))
        async with over_http(d, d.token("ana", role="agent")) as ana:
            await ana.do("join_session")
            await d.deps.backend.bus.publish("harbour", [Draft("p", FloorPaused(by="cy"))])
            why = await ana.refused("say", content="A light, please.", wait=0.3)
            assert why.startswith("floor-not-granted:")
            assert "wait_for_messages" in why
            assert (await d.deps.backend.bus.info("harbour")).n == 0


async def test_a_wait_tells_when_the_floor_is_ours(redis_url: str) -> None:
    """A bid, then a wait that ends with the grant; what is said next is said in that turn."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(floor=BID))
        async with over_http(d, d.token("ana", role="agent")) as ana:
            after = (await ana.do("join_session"))["after"]
            await ana.do("bid_for_floor", urgency=3, intent="propose", novelty="a light")
            for _ in range(3):
                heard = await ana.do("wait_for_messages", after=after, timeout=10)
                after = heard["after"]
                if heard["floor"]["yours"]:
                    break
            assert heard["floor"]["yours"]
            result = await ana.do("say", content="I propose a light at the pier.")
            assert "P1" in [fact["ref"] for fact in result["found"]]
            said = text_of(await ana.call("say", session="harbour", content="That is all of it."))
            assert "Floor:" not in said
            passed = await ana.do("pass_floor", ready=True)
            assert not passed["yours"]


async def test_a_bid_that_takes_the_floor_says_until_when(redis_url: str) -> None:
    """Nobody else asked: it is ours before the call is over."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(floor=BID))
        async with over_http(d, d.token("ana", role="agent")) as ana:
            await ana.do("join_session")
            bid = text_of(await ana.call("bid_for_floor", session="harbour"))
            assert re.fullmatch(r"Floor: yours until 20\S+Z\. Say it now, or pass\.", bid), bid
            why = await ana.refused("bid_for_floor", urgency=4)
            assert "Input should be 0 to 3." in why


async def test_people_need_no_floor(redis_url: str) -> None:
    """Their tokens say that they are people."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(floor=BID))
        async with over_http(d, d.token("mia", role="person")) as mia:
            joined = await mia.do("join_session")
            assert joined["role"] == "person"
            assert (await mia.do("say", content="Morning.", wait=0))["n"] == 1


async def test_who_is_muted_is_told_so(redis_url: str) -> None:
    """Where everybody else speaks when they like."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with over_http(d, d.token("ana", role="agent")) as ana:
            await ana.do("join_session")
            await d.deps.backend.bus.publish("harbour", [Draft("m", FloorMuted(participant="ana"))])
            heard = await ana.do("wait_for_messages", after=2, timeout=10)
            assert [fact["kind"] for fact in heard["facts"]] == ["floor.muted"]
            why = await ana.refused("say", content="A light, please.")
            assert why.startswith("floor-not-granted: ")
            assert "muted" in why


async def test_a_word_that_is_given_up_leaves_no_bid(redis_url: str) -> None:
    """A host that ends a call asks for nothing any more; the next word has a turn of its own."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(floor=BID, chair=["cy"]))
        async with over_http(d, d.token("ana", role="agent")) as ana:
            await ana.do("join_session")
            await d.deps.backend.bus.publish("harbour", [Draft("p", FloorPaused(by="cy"))])
            room = d.deps.channels.current("harbour")
            assert room is not None
            floor = room.memory.floor
            for _ in range(2):
                call = asyncio.create_task(ana.call("say", session="harbour", content="A light?"))
                await wait_until(lambda: "ana" in floor.bids)
                await cancel_and_wait(call)
                await wait_until(lambda: "ana" not in floor.bids)
            assert not floor.holder
