"""The one publish/subscribe connection of a process, which may break at any moment."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
import pytest
import redis
from redis.asyncio.client import PubSub
from structlog.testing import capture_logs

from parley.bus import Bus
from parley.bus.entries import Record
from tests.support.servers.patience import wait_until
from tests.support.sessions.talks import message_draft, talk

ROUNDS = 60
READERS = 8


async def test_subscribers_come_and_go_while_the_connection_is_cut(
    redis_url: str, raw: redis.Redis
) -> None:
    """Whoever enters or leaves at that moment hears nothing of it, and hints come again."""
    async with await Bus.connect(redis_url) as bus:
        for session in range(READERS):
            await talk(bus, f"s{session}", 2)

        async def read(session: str) -> None:
            for _ in range(ROUNDS):
                async with bus.subscribe(session, 0) as subscription:
                    async for item in subscription:
                        if item.seq == 3:
                            break

        async def cut() -> None:
            while True:
                await anyio.to_thread.run_sync(lambda: raw.client_kill_filter(_type="pubsub"))
                await anyio.sleep(0.003)

        async with anyio.create_task_group() as cutting:
            cutting.start_soon(cut)
            async with anyio.create_task_group() as reading:
                for session in range(READERS):
                    reading.start_soon(read, f"s{session}")
            cutting.cancel_scope.cancel()
        await wait_until(lambda: raw.pubsub_numsub("parley:{0}:wake")[0][1] > 0)


@pytest.mark.parametrize("error", [RuntimeError("read() called"), AttributeError("writelines")])
async def test_a_broken_connection_is_replaced(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Whatever the library raises of it, in whichever task: the next connection has all."""
    async with await Bus.connect(redis_url) as bus:
        await talk(bus, "a", 1)
        broken = 3

        async def fail(self: PubSub, *args: Any) -> Any:
            nonlocal broken
            broken -= 1
            if broken >= 0:
                raise error
            return await sound(self, *args)

        sound = PubSub.execute_command
        monkeypatch.setattr(PubSub, "execute_command", fail)
        with capture_logs() as logs:
            async with bus.subscribe("a", 0) as subscription:
                await wait_until(lambda: "hints_resumed" in [line["event"] for line in logs])
                await bus.publish("a", [message_draft(2)])
                items = [await anext(subscription) for _ in range(3)]
        assert [item.id for item in items if isinstance(item, Record)] == ["open", "m1", "m2"]
