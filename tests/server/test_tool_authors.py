"""What a tool is said to have returned has an author at every door: no result is the server's."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from parley import Session
from parley.bus.entries import SessionOpened
from parley.memory.context.tail import TOOLS
from tests.support.doors.agents import over_http, text_of
from tests.support.doors.calls import Parley
from tests.support.doors.doors import doors
from tests.support.doors.sse import streamed
from tests.support.logs.logs import PACK_REFS

PATH: Final = "/v1/sessions/harbour"
RESULT: Final = {"tool": "weather", "arguments": {"city": "Oslo"}, "result": "rain", "ttl": 2}


async def test_a_tools_result_has_an_author_at_every_door(redis_url: str, parley: Parley) -> None:
    """By name where entries are told, and where it is served again, as what participants gave."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", SessionOpened(packs=PACK_REFS))
        token = d.token("mallory")
        async with d.client(token) as mallory:
            put = await mallory.post(f"{PATH}/tools/results", json=RESULT)
            assert put.status_code == 201, put.text
            posed = {**RESULT, "participant": "ana", "by": "ana", "as": "ana"}
            assert (await mallory.post(f"{PATH}/tools/results", json=posed)).status_code >= 400
            rows = (await mallory.get(f"{PATH}/entries")).json()["items"]
            assert [_author(row) for row in rows if _returned(row)] == ["mallory"]
            context = await mallory.get(f"{PATH}/context", params={"profile": "full"})
            texts = [context.json()["text"]]
        async with streamed(d.url, f"{PATH}/events?after=1", token) as stream:
            await stream.next()
            assert _author((await stream.next()).data) == "mallory"
        async with over_http(d, d.token("bo", role="agent")) as bo:
            texts.append(text_of(await bo.call("get_context", session="harbour")))
        async with Session.open("harbour", redis=redis_url) as session:
            texts.append(str(await session.context("ana")))
    own = ("--redis", redis_url)
    words = ("watch", "harbour", "--after", "1", "--limit", "1", "--no-facts")
    watched = await asyncio.to_thread(parley, *own, *words)
    assert "weather returns to mallory: rain" in watched.out
    texts.append((await asyncio.to_thread(parley, *own, "context", "harbour", "--as", "ana")).out)
    assert "Participants" in TOOLS
    for text in texts:
        before, _, served = text.partition(f"## {TOOLS}\n")
        assert "rain" not in before
        head, _, result = served.partition("\n## ")[0].partition("\n")
        assert "by mallory, n 1, " in head
        assert "| rain" in result


def _returned(row: dict[str, Any]) -> bool:
    return bool(row["entry"]["kind"] == "tool.returned")


def _author(row: dict[str, Any]) -> str:
    return str(row["entry"]["participant"])
