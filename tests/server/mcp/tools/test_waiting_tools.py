"""Waiting for messages: at once with what is there, else as soon as something comes."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import anyio
import httpx2
import pytest
import redis
from redis.asyncio import Redis

from parley.bus import Bus, Draft
from parley.bus.entries import Message
from tests.support.doors.agents import Agent, over_http, text_of
from tests.support.doors.doors import Standing, doors
from tests.support.logs.logs import opened
from tests.support.servers.patience import wait_until
from tests.support.sessions.talks import forget_after, message_draft

SLACK: Final = 4  # commands: a look of the room, or what is left of one, more or less in a stretch
REVOKED: Final = 1  # command a second: the list of revoked tokens, while anybody waits


@dataclass(frozen=True, slots=True)
class Harbour:
    """A server with one session, and agents that sit in it; `requests` are all that they made."""

    d: Standing
    stack: AsyncExitStack
    requests: list[httpx2.Request] = field(default_factory=list)

    async def agent(self, name: str, *, joins: bool = True) -> Agent:
        coming = over_http(self.d, self.d.token(name, role="agent"), sent=self._sent)
        agent = await self.stack.enter_async_context(coming)
        if joins:
            await agent.do("join_session")
        return agent

    async def _sent(self, request: httpx2.Request) -> None:
        self.requests.append(request)

    async def says(self, name: str, content: str, **fields: object) -> int:
        entry = Message(participant=name, content=content, **fields)
        draft = Draft(f"t:{time.monotonic_ns()}", entry)
        (receipt,) = await self.d.deps.backend.bus.publish("harbour", [draft])
        return receipt.seq

    @property
    def seq(self) -> int:
        room = self.d.deps.channels.current("harbour")
        return 0 if room is None else room.seq


@asynccontextmanager
async def standing(redis_url: str) -> AsyncIterator[Harbour]:
    async with doors(redis_url) as d, AsyncExitStack() as stack:
        await d.deps.backend.bus.open("harbour", opened())
        yield Harbour(d, stack)


async def test_what_is_there_is_given_at_once(redis_url: str) -> None:
    """All of it since `after`, in order, without one's own; `after` is where to go on."""
    async with standing(redis_url) as harbour:
        ana = await harbour.agent("ana")
        first = await harbour.says("bo", "Morning.")
        await ana.do("say", content="Morning, bo.")
        last = await harbour.says("bo", "Look at this, @ana.", to=("cy",))
        await wait_until(lambda: harbour.seq >= last)
        began = time.monotonic()
        heard = await ana.do("wait_for_messages", after=first - 1, timeout=25)
        assert time.monotonic() - began < 20
        messages = [(message["content"], message["addressed"]) for message in heard["messages"]]
        assert messages == [("Morning.", False), ("Look at this, @ana.", True)]
        assert heard["after"] >= last
        own = await ana.do("wait_for_messages", after=first, include_own=True)
        assert [message["participant"] for message in own["messages"]] == ["ana", "bo"]


async def test_a_wait_ends_with_a_message(redis_url: str) -> None:
    """It is there within a moment of being said, long before the time is over."""
    async with standing(redis_url) as harbour:
        ana = await harbour.agent("ana")
        waits = asyncio.create_task(ana.do("wait_for_messages", after=harbour.seq, timeout=25))
        await wait_until(lambda: len(_listeners(harbour)) == 1)
        began = time.monotonic()
        await harbour.says("bo", "A ship!")
        heard = await waits
        assert [message["content"] for message in heard["messages"]] == ["A ship!"]
        assert time.monotonic() - began < 20


async def test_nothing_said_is_no_message(redis_url: str) -> None:
    """After the time that was asked for, and with where to wait from."""
    async with standing(redis_url) as harbour:
        ana = await harbour.agent("ana")
        seq = harbour.seq
        heard = await ana.do("wait_for_messages", after=seq, timeout=0.2)
        assert (heard["messages"], heard["after"], heard["more"]) == ([], seq, False)


LONG = pytest.param(20, 20.0, marks=pytest.mark.long)


@pytest.mark.real_server("INFO commandstats")
@pytest.mark.parametrize(("clients", "seconds"), [(6, 1.5), LONG])
async def test_a_wait_asks_nobody(redis_url: str, clients: int, seconds: float) -> None:
    """While many wait no more commands reach Redis than while nobody does, and no request comes.

    What there is either way is the room's own look, once a second; the list of revoked tokens is
    read as often, however many wait.
    """
    async with standing(redis_url) as harbour, Redis.from_url(redis_url) as redis:
        agents = [await harbour.agent(f"agent {k}") for k in range(clients)]
        seq = harbour.seq
        idle = await _commands_during(redis, [anyio.sleep(seconds)])
        waits = [
            asyncio.create_task(agent.do("wait_for_messages", after=seq, timeout=25))
            for agent in agents
        ]
        await wait_until(lambda: len(_listeners(harbour)) == clients)
        before = len(harbour.requests)
        waiting = await _commands_during(redis, [anyio.sleep(seconds)])
        asked = len(harbour.requests) - before
        await harbour.says("bo", "A ship!")
        heard = await asyncio.gather(*waits)
    most = idle + SLACK + REVOKED * math.ceil(seconds)
    assert (asked, waiting <= most) == (0, True), (idle, waiting)
    assert all(
        [message["content"] for message in each["messages"]] == ["A ship!"] for each in heard
    )


async def test_a_second_wait_ends_the_first(redis_url: str) -> None:
    """The first says why; the second goes on."""
    async with standing(redis_url) as harbour:
        ana = await harbour.agent("ana")
        seq = harbour.seq
        first = asyncio.create_task(ana.do("wait_for_messages", after=seq, timeout=25))
        await wait_until(lambda: len(_listeners(harbour)) == 1)
        second = asyncio.create_task(ana.do("wait_for_messages", after=seq, timeout=25))
        assert (await first)["superseded"]
        await harbour.says("bo", "Still here?")
        assert [message["content"] for message in (await second)["messages"]] == ["Still here?"]


async def test_a_wait_that_is_given_up_is_forgotten(redis_url: str) -> None:
    """Nobody listens any more for a client that went away."""
    async with standing(redis_url) as harbour:
        ana = await harbour.agent("ana")
        waits = asyncio.create_task(ana.do("wait_for_messages", after=harbour.seq, timeout=25))
        await wait_until(lambda: len(_listeners(harbour)) == 1)
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)
        await wait_until(lambda: not _listeners(harbour))


async def test_much_that_was_said_comes_in_parts(redis_url: str) -> None:
    """A hundred messages at a time, each once, and `more` until all are told."""
    async with standing(redis_url) as harbour:
        ana = await harbour.agent("ana", joins=False)
        drafts = [Draft(f"m{k}", Message(participant="bo", content=f"{k}")) for k in range(250)]
        await harbour.d.deps.backend.bus.publish("harbour", drafts)
        after, contents, parts = 0, [], []
        while True:
            heard = await ana.do("wait_for_messages", after=after, timeout=0.1)
            contents += [message["content"] for message in heard["messages"]]
            parts.append(len(heard["messages"]))
            after = heard["after"]
            if not heard["more"]:
                break
        assert contents == [str(k) for k in range(250)]
        assert parts == [100, 100, 50]


async def test_what_is_not_there_yet_cannot_be_waited_after(redis_url: str) -> None:
    """A cursor beyond the log is refused, with where the log is."""
    async with standing(redis_url) as harbour:
        ana = await harbour.agent("ana")
        assert "not-yet" in await ana.refused("wait_for_messages", after=10_000)


async def test_the_end_of_a_session_ends_every_wait(redis_url: str) -> None:
    """And a wait after it returns at once."""
    async with standing(redis_url) as harbour:
        ana = await harbour.agent("ana")
        waits = asyncio.create_task(ana.do("wait_for_messages", after=harbour.seq, timeout=25))
        await wait_until(lambda: len(_listeners(harbour)) == 1)
        await harbour.d.deps.backend.bus.close("harbour", "all is said")
        assert (await waits)["closed"] == "all is said"
        assert (await ana.do("wait_for_messages", after=harbour.seq))["closed"] == "all is said"


async def test_a_server_that_ends_lets_nobody_wait(redis_url: str) -> None:
    """Shutting down takes no longer for those who wait."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with over_http(d, d.token("ana", role="agent")) as ana:
            joined = await ana.do("join_session")
            waits = asyncio.create_task(
                ana.do("wait_for_messages", after=joined["after"], timeout=25)
            )
            channel = d.deps.channels.channel("harbour")
            await wait_until(lambda: len(channel._live) == 1)
            d.deps.closing.set()
            assert (await waits)["messages"] == []


async def test_a_cursor_of_another_past_is_told(redis_url: str) -> None:
    """The log went back while the server was away, and grew beyond the cursor by other entries."""
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        async with standing(redis_url) as harbour:
            await bus.publish("harbour", [message_draft(k) for k in range(60)])
            ana = await harbour.agent("ana", joins=False)
            heard = await ana.do("wait_for_messages", after=0, timeout=0)
        assert (heard["after"], heard["cursor"][:3]) == (61, "61-")
        with redis.Redis.from_url(redis_url) as raw:
            forget_after(raw, "harbour", seq=20, n=19)
        await bus.publish("harbour", [message_draft(1000 + k) for k in range(50)])
        async with doors(redis_url) as d, over_http(d, d.token("ana", role="agent")) as ana:
            at_once = {"timeout": 0, "include_own": True}
            for after, reset in ((heard["cursor"], True), ("99-9f3c07aa", True), (61, False)):
                came = await ana.do("wait_for_messages", after=after, **at_once)
                assert (came["after"], came["reset"]) == (70, reset)
                assert [row["n"] for row in came["messages"]] == ([] if reset else [*range(61, 70)])
            again = await ana.do("wait_for_messages", after=came["cursor"], **at_once)
            assert (again["after"], again["reset"]) == (70, False)
            waited = await ana.call("wait_for_messages", session="harbour", after=61, timeout=0)
            assert f"after={again['cursor']}." in text_of(waited)
            for rubbish in ("61-9f3c", "garbage", str(2**64), 2**64, -1):
                assert "after" in await ana.refused("wait_for_messages", after=rubbish)


async def test_the_cursor_of_a_number_is_checked_like_any_other(redis_url: str) -> None:
    """Who waits behind a seq, and hears nothing, keeps a cursor that another past refuses."""
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        async with standing(redis_url) as harbour:
            await bus.publish("harbour", [message_draft(k) for k in range(60)])
            ana = await harbour.agent("ana", joins=False)
            heard = await ana.do("wait_for_messages", after=61, timeout=0)
            assert heard["messages"] == []
        with redis.Redis.from_url(redis_url) as raw:
            forget_after(raw, "harbour", seq=20, n=19)
        await bus.publish("harbour", [message_draft(1000 + k) for k in range(50)])
        async with doors(redis_url) as d, over_http(d, d.token("ana", role="agent")) as ana:
            came = await ana.do("wait_for_messages", after=heard["cursor"], timeout=0)
            assert came["reset"]


@pytest.mark.long
async def test_the_longest_wait_ends_with_a_message(redis_url: str) -> None:
    """A word after twenty seconds is heard by who waits for twenty-five."""
    async with standing(redis_url) as harbour:
        ana = await harbour.agent("ana")
        waits = asyncio.create_task(ana.do("wait_for_messages", after=harbour.seq, timeout=25))
        await anyio.sleep(20)
        assert not waits.done()
        began = time.monotonic()
        await harbour.says("bo", "At last.")
        assert [wait["content"] for wait in (await waits)["messages"]] == ["At last."]
        assert time.monotonic() - began < 4


def _listeners(harbour: Harbour) -> set[object]:
    return set(harbour.d.deps.channels.channel("harbour")._live)


async def _commands_during(redis: Redis, work: Iterable[Awaitable[object]]) -> int:
    before = await _commands(redis)
    await asyncio.gather(*work)
    return await _commands(redis) - before


async def _commands(redis: Redis) -> int:
    """Every command so far but our own."""
    stats = await redis.info("commandstats")
    return sum(row["calls"] for name, row in stats.items() if name != "cmdstat_info")
