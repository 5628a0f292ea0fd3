"""The line to Redis through an outage: who asks is told in bounded time, and all at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from parley.bus.connection.addresses import parse_address
from parley.bus.connection.pipeline import Pipeline
from parley.bus.connection.server_address import server_at
from parley.bus.connection.single_node import connect_to
from tests.support.servers.servers import RedisServer

SECONDS: Final = 0.25  # of an exchange
MANY: Final = 600  # more commands than go out together


@asynccontextmanager
async def line(url: str) -> AsyncIterator[Pipeline]:
    pipeline = Pipeline(connect_to(server_at(parse_address(url))), SECONDS, 3)
    try:
        yield pipeline
    finally:
        pipeline.close()


async def asked(at: Pipeline, count: int) -> list[object]:
    """What `count` requests at once came to."""
    asking = (at.send([("PING",)]) for _ in range(count))
    return list(await asyncio.gather(*asking, return_exceptions=True))


async def test_a_server_that_says_nothing_is_tried_twice_for_all_who_wait(tmp_path: Path) -> None:
    """Each in its turn would wait ten times as long, the last one for hours."""
    came: list[asyncio.StreamWriter] = []

    async def heard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(writer)

    silent = await asyncio.start_unix_server(heard, tmp_path / "s")
    async with silent, line(f"unix://{tmp_path}/s") as to:
        replies = await asked(to, MANY)
        assert len(came) <= 2  # connections: one was silent, and so was another
        assert all(isinstance(reply, TimeoutError) for reply in replies)
        for writer in came:
            writer.close()


async def test_all_who_wait_hear_that_a_server_is_gone(tmp_path: Path) -> None:
    """Together with the one that tried again and again; who comes later tries once."""
    async with line(f"unix://{tmp_path}/none") as to:
        replies = await asked(to, MANY)
        assert all(isinstance(reply, FileNotFoundError) for reply in replies)
        assert len({id(reply) for reply in replies}) == 1
        with pytest.raises(FileNotFoundError):
            await to.send([("PING",)])


async def test_a_server_that_answers_again_is_asked_again(redis_server: RedisServer) -> None:
    """Frozen or killed, and back."""
    async with line(redis_server.url) as to:
        assert await to.send([("ECHO", "a")]) == [b"a"]
        redis_server.freeze()
        replies = await asked(to, 3)
        assert all(isinstance(reply, Exception) for reply in replies)
        redis_server.thaw()
        assert await answered(to) == [b"b"]
        redis_server.kill9()
        redis_server.start()
        assert await to.send([("ECHO", "c")]) == [b"c"]


async def answered(to: Pipeline) -> list[object]:
    """What it says once it is asked again."""
    async with asyncio.timeout(10):
        while True:
            try:
                return await to.send([("ECHO", "b")])
            except TimeoutError:
                await asyncio.sleep(SECONDS / 5)
