"""A Redis that cannot serve: the address, the cause and the cure; and one that falters."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest
import redis

from parley.bus import Bus
from parley.bus.connection.addresses import hide_password
from parley.bus.contract.errors import BusError, Unavailable
from tests.faults.proxy import LossyProxy
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import Flavour, RedisServer, StartServer
from tests.support.sessions.talks import (
    claim_of,
    commit_of,
    everything,
    fact,
    folded,
    message_draft,
    talk,
)


async def refusal(url: str) -> str:
    with pytest.raises(Unavailable) as refused:
        async with await Bus.connect(url) as bus:
            await talk(bus, "a", 1)
    return str(refused.value)


async def test_a_server_that_is_down_says_so_at_once(tmp_path: Path) -> None:
    """With its address and what to do."""
    async with asyncio.timeout(PATIENCE):
        reason = await refusal(f"unix://{tmp_path}/none")
    assert str(tmp_path) in reason
    assert "start it" in reason


@pytest.mark.parametrize(
    "url",
    ["ftp://somewhere", "redis://ana:secret@[::1", "redis://h/0?colour=red",
     "redis://h/0?decode_responses=true", "redis://h:99999"],
)  # fmt: skip
async def test_an_address_that_is_none_is_refused(url: str) -> None:
    """Before anything is tried."""
    reason = await refusal(url)
    assert "redis://host:port" in reason
    assert "secret" not in reason


async def test_a_server_that_needs_a_password_says_so(
    start_server: StartServer, real_flavour: Flavour
) -> None:
    """And one that was given a wrong one; none of them is shown."""
    server = start_server(real_flavour)
    with server.client() as raw:
        raw.config_set("requirepass", "sesame")
    assert "needs a password" in await refusal(server.url)
    wrong = await refusal(f"unix://:open-sesame@{server.socket}")
    assert "refuses this password" in wrong
    assert "unix://:***@" in wrong
    assert "open-sesame" not in wrong
    async with await Bus.connect(f"unix://:sesame@{server.socket}") as bus:
        await talk(bus, "a", 1)


def test_an_address_is_shown_without_its_password() -> None:
    """Logs and errors carry addresses."""
    assert hide_password("redis://ana:secret@host:6379/0") == "redis://ana:***@host:6379/0"
    assert hide_password("redis://host:6379/0") == "redis://host:6379/0"


async def test_a_replica_says_so(start_server: StartServer, real_flavour: Flavour) -> None:
    """Parley writes; a replica takes no writes."""
    server = start_server(real_flavour)
    with server.client() as raw:
        raw.replicaof("127.0.0.1", 1)
    assert "replica" in await refusal(server.url)


async def test_a_full_server_refuses_entries_and_goes_on_draining(
    start_server: StartServer, real_flavour: Flavour
) -> None:
    """Publishing is refused cleanly; taking, committing and giving back still work."""
    server = start_server(real_flavour)
    with server.client() as raw:
        async with await Bus.connect(server.url) as bus:
            await talk(bus, "a", 50)
            raw.config_set("maxmemory", 1)
            with pytest.raises(Unavailable, match="is full"):
                await bus.publish("a", [message_draft(51)])
            assert (await bus.info("a")).head == 51
            records = await everything(bus, "a")
            claim = await claim_of(bus, "a")
            assert await bus.renew(claim, 60_000)
            await bus.release(claim)
            claim = await claim_of(bus, "a")
            await bus.commit(claim, commit_of(records[-1], "a", facts=[fact(5)]), done=True)
            assert (await bus.info("a")).folded == 51
            await bus.beat("w", {"lanes": ["fold"], "folded": 51})
            await bus.beat("w", {"lanes": ["fold"], "folded": 52})
            assert [worker.stats["folded"] for worker in await bus.workers()] == [52]
            assert "is full" in " ".join((await bus.server()).warnings)
            raw.config_set("maxmemory", 0)
            assert (await bus.publish("a", [message_draft(51)]))[0].seq == 52


async def test_a_full_server_can_be_connected_to(
    start_server: StartServer, real_flavour: Flavour
) -> None:
    """Or nobody could read what it has, and remove it."""
    server = start_server(real_flavour)
    async with await Bus.connect(server.url) as bus:
        await talk(bus, "a", 3)
    with server.client() as raw:
        raw.config_set("maxmemory", 1)
    async with await Bus.connect(server.url) as bus:
        assert len(await everything(bus, "a")) == 4
        await bus.remove("a")


async def test_a_server_that_cannot_write_says_so(
    start_server: StartServer, real_flavour: Flavour
) -> None:
    """MISCONF: the last save failed, and writes are refused."""
    server = start_server(real_flavour)
    async with await Bus.connect(server.url) as bus:
        await talk(bus, "a", 1)
        with server.client() as raw:
            raw.config_set("save", "3600 1")
            server.dir.joinpath("dump.rdb").mkdir()

            def has_failed() -> bool:
                with contextlib.suppress(redis.ResponseError):  # one is running already
                    raw.bgsave()
                return bool(raw.info("persistence")["rdb_last_bgsave_status"] == "err")

            await wait_until(has_failed)
        with pytest.raises(Unavailable, match="disk"):
            await bus.publish("a", [message_draft(2)])


async def test_a_denied_command_is_named_as_such(
    start_server: StartServer, real_flavour: Flavour
) -> None:
    """An ACL that lacks something Parley needs."""
    server = start_server(real_flavour)
    with server.client() as raw:
        raw.acl_setuser("ana", enabled=True, nopass=True, keys=["*"], channels=["*"],
                        commands=["+@all", "-xrange"])  # fmt: skip
    async with await Bus.connect(f"unix://ana:x@{server.socket}") as bus:
        await bus.sessions()
        with pytest.raises(Unavailable, match="denies"):
            await bus.read("a")


async def test_a_server_that_hides_its_settings_is_served_all_the_same(
    start_server: StartServer, real_flavour: Flavour
) -> None:
    """Managed servers deny CONFIG; then durability is unknown, but where INFO says none."""
    durabilities = []
    for aof in (None, "always"):
        server = start_server(real_flavour, aof=aof)
        with server.client() as raw:
            raw.acl_setuser("ana", enabled=True, nopass=True, keys=["*"], channels=["*"],
                            commands=["+@all", "-config"])  # fmt: skip
        address = f"unix://ana:x@{server.socket}"
        async with await Bus.connect(address) as bus:
            durabilities.append((await bus.server()).durability)
        with pytest.raises(Unavailable, match="appendfsync"):
            await Bus.connect(address, require_durable=True)
    assert durabilities == ["none", "unknown"]
    with pytest.raises(Unavailable, match=r"may not ask when .* \+config\|get"):
        await Bus.connect(address, require_durable=True)
    with server.client() as raw:
        raw.acl_setuser("ana", enabled=True, commands=["+config|get"])
    await (await Bus.connect(address, require_durable=True)).aclose()


async def test_durability_is_read_and_may_be_required(
    start_server: StartServer, real_flavour: Flavour
) -> None:
    """`always` alone keeps what it acknowledged."""
    durabilities = []
    for aof in (None, "everysec", "always"):
        server = start_server(real_flavour, aof=aof)
        async with await Bus.connect(server.url) as bus:
            durabilities.append((await bus.server()).durability)
    assert durabilities == ["none", "everysec", "always"]
    (await (await Bus.connect(server.url, require_durable=True)).aclose())
    weak = start_server(real_flavour, aof="everysec")
    with pytest.raises(Unavailable, match="appendfsync always"):
        await Bus.connect(weak.url, require_durable=True)


async def test_eviction_is_warned_of(start_server: StartServer, real_flavour: Flavour) -> None:
    """A server that may drop sessions is no place for them."""
    server = start_server(real_flavour, options={"maxmemory-policy": "allkeys-lru"})
    async with await Bus.connect(server.url) as bus:
        assert any("evict" in line for line in (await bus.server()).warnings)


async def test_the_number_of_buckets_is_fixed_by_who_came_first(
    redis_server: RedisServer,
) -> None:
    """Everyone after reads it from parley:meta."""
    with redis_server.client() as raw:
        raw.hset("parley:meta", "buckets", 16)
    async with await Bus.connect(redis_server.url) as bus:
        assert len(bus.keys.buckets) == 16
        for k in range(40):
            await talk(bus, f"s{k}", 2)
        members = []
        while claims := (await bus.take("fold", "w", lease_ms=60_000)).claims:
            members += [claim.member for claim in claims]
        assert sorted(members) == sorted(f"s{k}" for k in range(40))
        assert {info.session for info in await bus.sessions(0, 100)} == set(members)
        first = [info.session for info in await bus.sessions(0, 30)]
        assert not set(first) & {info.session for info in await bus.sessions(30, 30)}


async def test_forgotten_scripts_are_sent_again(redis_server: RedisServer) -> None:
    """SCRIPT FLUSH, or a failover: matched by the exception's class."""
    async with await Bus.connect(redis_server.url) as bus:
        await talk(bus, "a", 1)
        with redis_server.client() as raw:
            raw.script_flush()
        await bus.publish("a", [message_draft(2)])
        assert (await bus.info("a")).head == 3


async def test_killed_connections_are_replaced(redis_server: RedisServer) -> None:
    """CLIENT KILL in the middle of the traffic: no error, nothing twice."""
    async with await Bus.connect(redis_server.url) as bus:
        await talk(bus, "a", 1)

        async def publish(first: int) -> None:
            for k in range(first, first + 40):
                await bus.publish("a", [message_draft(k)])

        async with asyncio.TaskGroup() as tasks:
            for first in (100, 200, 300):
                tasks.create_task(publish(first))
            with redis_server.client() as raw:
                for _ in range(20):
                    raw.client_kill_filter(_type="normal", skipme=True)
                    await asyncio.sleep(0.005)
        records = await everything(bus, "a")
        assert len(records) == 122 == len({record.id for record in records})


async def test_a_lost_reply_takes_effect_once(redis_server: RedisServer) -> None:
    """A proxy that forwards and drops the answer: every verb is asked again."""
    async with LossyProxy(redis_server, 0.3, seed=7) as proxy:
        async with await Bus.connect(proxy.url) as bus:
            for name in "abcde":
                await talk(bus, name, 5)
                records = await everything(bus, name)
                assert [record.seq for record in records] == list(range(1, 7))
                await folded(bus, name, effects=[1])
                (effect,) = (await bus.take("effects", "w", lease_ms=60_000)).claims
                assert effect.session == name
                await bus.drop(effect)
                assert (await bus.info(name)).settled
                await bus.restore(name, records, replace=True)
                await bus.remove(name)
        assert proxy.dropped >= 5


async def test_a_restart_is_no_error(durable_server: RedisServer) -> None:
    """A publisher that runs through it only waits."""
    async with await Bus.connect(durable_server.url) as bus:
        await talk(bus, "a", 1)

        async def publish() -> None:
            for k in range(2, 302):
                await bus.publish("a", [message_draft(k)])

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(publish())
            for _ in range(3):
                await asyncio.sleep(0.02)
                durable_server.kill9()
                durable_server.start()
        records = await everything(bus, "a")
        assert [record.id for record in records[1:]] == [f"m{k}" for k in range(1, 302)]


async def test_a_cancelled_caller_harms_no_other(redis_server: RedisServer) -> None:
    """Many share one connection; whoever goes, the others are answered."""
    async with await Bus.connect(redis_server.url) as bus:
        await talk(bus, "a", 1)

        async def publish(k: int) -> None:
            await bus.publish("a", [message_draft(k)])

        jobs = [asyncio.create_task(publish(k)) for k in range(2, 402)]
        for k, job in enumerate(jobs):
            if k % 3 == 0:
                await asyncio.sleep(0)
                job.cancel()
        done = await asyncio.gather(*jobs, return_exceptions=True)
        assert all(r is None or isinstance(r, asyncio.CancelledError) for r in done)
        ids = {record.id for record in await everything(bus, "a")}
        assert {f"m{k + 2}" for k, r in enumerate(done) if r is None} <= ids


async def test_an_error_carries_no_content(redis_server: RedisServer) -> None:
    """What people wrote does not end up in logs through an error's text."""
    async with await Bus.connect(redis_server.url) as bus:
        await talk(bus, "a", 1)
        with redis_server.client() as raw:
            raw.set("parley:{0}:s:a:ids:x", "x")
            raw.delete("parley:{0}:s:a:log")
            raw.set("parley:{0}:s:a:log", "no stream")
        with pytest.raises(BusError) as refused:
            await bus.publish("a", [message_draft(2, content="between us")])
        assert "between us" not in str(refused.value)
