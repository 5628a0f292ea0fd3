"""One message said at every door, and what each of them refuses it with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio.to_thread
import orjson
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from parley import Memory, Session
from parley.bus.contract.errors import BusError
from parley.memory.errors import DomainError
from tests.support.doors.agents import over_http
from tests.support.doors.calls import Parley
from tests.support.doors.doors import Standing
from tests.support.doors.gateway_talk import NAME

Fields = dict[str, Any]


async def refusals(d: Standing, redis_url: str, parley: Parley, said: Fields) -> dict[str, str]:
    """What each door answers `said` with, by door. Fails where one takes it."""
    return {
        **await refusals_of_redis(d, redis_url, parley, said, NAME),
        "seat": await _seat(redis_url, said),
        "memory": await _memory(redis_url, said),
    }


async def refusals_of_redis(
    d: Standing, redis_url: str, parley: Parley, said: Fields, name: str
) -> dict[str, str]:
    """Of the doors that write to Redis, what each answers whoever says `said` in `name`."""
    path = f"/v1/sessions/{name}"
    return {
        "http": await _http(d, name, f"{path}/messages", said),
        "batch": await _http(d, name, f"{path}/entries", {"entries": [said]}),
        "websocket": await _websocket(d, name, said),
        "mcp": await _mcp(d, name, said),
        "session": await _session(redis_url, name, said),
        "command": await anyio.to_thread.run_sync(_command, redis_url, parley, name, said),
    }


async def _http(d: Standing, name: str, path: str, body: Fields) -> str:
    async with d.client(d.token("ana", session=name)) as ana:
        answer = await ana.post(path, json=body)
    assert answer.status_code >= 400, answer.text
    return answer.text


async def _websocket(d: Standing, name: str, said: Fields) -> str:
    url = d.url.replace("http", "ws", 1) + f"/v1/sessions/{name}/ws"
    bearer = {"Authorization": f"Bearer {d.token('ana', session=name)}"}
    protocol = [Subprotocol("parley.v1")]
    async with connect(url, additional_headers=bearer, subprotocols=protocol) as socket:
        await socket.recv()
        frame = {"type": "publish", "ref": "1", "entries": [said]}
        await socket.send(orjson.dumps(frame).decode())
        answer = orjson.loads(await socket.recv())
    assert answer["type"] == "nack", answer
    return orjson.dumps(answer["problem"]).decode()


async def _mcp(d: Standing, name: str, said: Fields) -> str:
    async with over_http(d, d.token("ana", session=name), name) as ana:
        await ana.do("join_session")
        return await ana.refused("say", **said)


async def _session(redis_url: str, name: str, said: Fields) -> str:
    async with Session.open(name, redis_url) as session:
        return await _raised(lambda: session.say("ana", **said))


async def _seat(redis_url: str, said: Fields) -> str:
    async with Session.open(NAME, redis_url) as session, session.join("zoe") as zoe:
        return await _raised(lambda: zoe.say(said["content"], act=said["act"], re=said.get("re")))


async def _memory(redis_url: str, said: Fields) -> str:
    async with Session.open(NAME, redis_url) as session:
        memory = Memory.from_json(await session.to_json())

    async def say() -> int:
        return memory.say("ana", **said)

    return await _raised(say)


async def _raised(say: Callable[[], Awaitable[int]]) -> str:
    try:
        await say()
    except (BusError, DomainError) as refused:
        return str(refused)
    raise AssertionError("it was said")


def _command(redis_url: str, parley: Parley, name: str, said: Fields) -> str:
    on = ("--re", said["re"]) if "re" in said else ()
    act = ("--act", said["act"]) if "act" in said else ()
    words = ("say", name, said["content"], *act, *on)
    ran = parley("--redis", redis_url, *words)
    assert ran.code in (1, 2), (ran.out, ran.err)
    return ran.err
