"""The one publish/subscribe connection of a process, which may break at any moment."""

from __future__ import annotations

import anyio
import anyio.to_thread
import redis
from structlog.testing import capture_logs

from parley.bus import Bus
from parley.bus.entries import Record
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import RedisServer
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


async def test_a_refused_subscription_is_made_once_it_is_allowed(
    redis_server: RedisServer,
) -> None:
    """Said once however often it is tried; the next connection has all."""
    with redis_server.client() as raw:
        raw.execute_command("ACL", "SETUSER", "default", "-subscribe")
        async with await Bus.connect(redis_server.url) as bus:
            await talk(bus, "a", 1)
            with capture_logs() as logs:
                async with bus.subscribe("a", 0) as subscription:
                    await wait_until(lambda: _refusals(raw) >= 2)
                    raw.execute_command("ACL", "SETUSER", "default", "+subscribe")
                    await wait_until(lambda: "hints_resumed" in [line["event"] for line in logs])
                    await bus.publish("a", [message_draft(2)])
                    items = [await anext(subscription) for _ in range(3)]
    assert [line["event"] for line in logs] == ["hints_lost", "hints_resumed"]
    assert "denies" in logs[0]["reason"]
    assert [item.id for item in items if isinstance(item, Record)] == ["open", "m1", "m2"]


def _refusals(raw: redis.Redis) -> int:
    calls = raw.info("commandstats").get("cmdstat_subscribe", {})
    return int(calls.get("rejected_calls", 0))
