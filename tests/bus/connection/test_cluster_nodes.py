"""Commands find the node that has their key, and follow it."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
import pytest
import redis
from anyio import to_thread

from parley.bus.connection.connections import Connections
from parley.bus.contract.errors import Unavailable
from parley.bus.scripts.lua import Scripts
from tests.support.servers.clusters import ClusterServers, needs_cluster
from tests.support.servers.patience import wait_until

pytestmark = needs_cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[ClusterServers]:
    """Three primaries."""
    with ClusterServers(3) as servers:
        yield servers


async def test_commands_of_many_slots_are_answered_in_their_order(cluster: ClusterServers) -> None:
    """Over all nodes at once; a slot in the middle of a migration is followed by the key."""
    connections = Connections(cluster.urls, Scripts())
    keys = [f"k{number}" for number in range(60)]
    try:
        await connections.commands([("HSET", key, "v", key) for key in keys])
        values = await connections.commands([("HMGET", key, "v") for key in keys])
        assert values == [[key.encode()] for key in keys]
        slot = redis.crc.key_slot(b"{a}1")
        for number in range(40):
            await connections.command("HSET", f"{{a}}{number}", "v", number)
        to = (cluster.owner(slot) + 1) % 3
        answers: list[bytes] = []

        async def ask_on() -> None:
            while cluster.owner(slot) != to:
                number = len(answers) % 40
                (value,) = await connections.command("HMGET", f"{{a}}{number}", "v")
                answers.append(value)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask_on)
            await to_thread.run_sync(lambda: cluster.migrate(slot, to))
        assert answers == [str(number % 40).encode() for number in range(len(answers))]
        assert await connections.commands([("HMGET", "{a}7", "v")] * 2) == [[b"7"]] * 2
        assert len(await connections.on_each("PING")) == 3
    finally:
        await connections.aclose()


async def test_a_node_that_stays_away_is_named_and_the_others_serve(
    cluster: ClusterServers,
) -> None:
    """Without a replica nobody takes its place; what it had is there once it is back."""
    connections = Connections(cluster.urls, Scripts())
    keys = [f"n{number}" for number in range(30)]
    node = cluster.nodes[2]
    try:
        await connections.commands([("HSET", key, "v", 1) for key in keys])
        away = [k for k in keys if cluster.owner(redis.crc.key_slot(k.encode())) == 2]
        node.kill9()
        for key in set(keys) - set(away):
            assert await connections.command("HMGET", key, "v") == [b"1"]
        with pytest.raises(Unavailable, match="does not answer"):
            await connections.command("HMGET", away[0], "v")
    finally:
        node.start()
        await wait_until(cluster.is_whole)
        assert await connections.command("HMGET", away[0], "v") == [b"1"]
        await connections.aclose()
