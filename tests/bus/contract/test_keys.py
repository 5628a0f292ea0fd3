"""The key layout: one bucket, one slot, and no script beyond its declared keys."""

from __future__ import annotations

import re
import threading

import pytest
import redis
from redis.crc import key_slot

from parley.bus import Bus, Draft
from parley.bus.contract.errors import InvalidEntry
from parley.bus.contract.keys import LANES, Keys, crc16
from parley.bus.contract.quotas import Quota, use_keys
from parley.bus.entries import SummaryMade
from tests.support.servers.patience import PATIENCE
from tests.support.servers.servers import RedisServer
from tests.support.sessions.talks import claim_of, commit_of, everything, fact, snapshot_of, talk


def test_the_checksum_is_that_of_redis_cluster() -> None:
    """The reference value of XMODEM, and every slot as the client computes it."""
    assert crc16(b"123456789") == 0x31C3
    for text in (b"", b"demo", bytes(range(120))):
        assert crc16(text) % 16384 == key_slot(text)


def test_all_keys_of_a_session_and_its_bucket_share_a_slot() -> None:
    """So one script may touch them all on a cluster; 16 buckets spread over slots."""
    layout = Keys(16)
    slots = set()
    for number in range(100):
        keys = layout.of(f"session-{number}")
        bucket = keys.bucket
        names = [
            *keys.appending(), keys.facts, keys.gone, keys.memory("1"), *keys.staged("x"),
            *(key for lane in LANES
              for key in (bucket.due(lane), bucket.claims(lane), bucket.taken(lane, "w"))),
            bucket.dead,
        ]  # fmt: skip
        assert len({key_slot(name.encode()) for name in names}) == 1
        slots.add(key_slot(keys.log.encode()))
    assert len(slots) == 16
    assert len({key_slot(key.encode()) for key in use_keys("acme")}) == 1


@pytest.mark.parametrize("name", ["", "-a", "a b", "a/b", "ü", "x" * 65, "a\n"])
def test_what_is_no_session_id_is_refused(name: str) -> None:
    """An id goes into keys, files and addresses, so it is plain."""
    with pytest.raises(InvalidEntry, match="no session id"):
        Keys(1).of(name)


async def test_no_script_touches_a_key_it_does_not_declare(redis_server: RedisServer) -> None:
    """Redis on one node lets an undeclared key pass; a cluster would not.

    Every verb runs once under MONITOR; what Lua calls must be among the KEYS of
    the script that called.
    """
    lines: list[str] = []
    with redis_server.client() as client, client.monitor() as monitor:
        listener = threading.Thread(target=_listen, args=(monitor, lines))
        listener.start()
        async with await Bus.connect(redis_server.url) as bus:
            await _every_verb(bus)
        with redis_server.client() as other:
            other.ping()
            other.echo("the end")
        listener.join(timeout=PATIENCE)
    assert sum(line.startswith("lua ") for line in lines) > 50
    assert _undeclared(lines) == []


def _listen(monitor: redis.client.Monitor, lines: list[str]) -> None:
    for seen in monitor.listen():  # type: ignore[no-untyped-call]  # untyped in redis-py 8.1
        lines.append(f"{seen['client_type']} {seen['command']}")
        if "the end" in seen["command"]:
            return


def _undeclared(lines: list[str]) -> list[str]:
    declared: set[str] = set()
    wrong = []
    for line in lines:
        origin, *words = line.split()
        if origin != "lua":
            if words[0] in ("EVALSHA", "EVAL"):
                match = re.search(r" (\d+) (parley:.*)$", line)
                assert match, line
                declared = set(match[2].split()[: int(match[1])])
            continue
        key = words[1] if len(words) > 1 else ""
        if key.startswith("parley:") and words[0].upper() != "PUBLISH" and key not in declared:
            wrong.append(line)
    return wrong


async def _every_verb(bus: Bus) -> None:
    await bus.tenancy.set_quota("acme", Quota(sessions=1))
    await talk(bus, "acme.a", 1)
    await bus.remove("acme.a")
    await talk(bus, "a", 3)
    records = await everything(bus, "a")
    claim = await claim_of(bus, "a")
    due = [("effects", "summary:0:1:3", ("summary:0:1:3:extract",)), ("upgrades", "u", ())]
    due.append(("votes", "vote:1:in", ()))
    await bus.commit(
        claim,
        commit_of(records[1], "a", facts=[fact(2)], effects=due, snapshot=snapshot_of(records[1])),
        done=False,
    )
    await bus.renew(claim, 1000)
    await bus.set_aside("a", 4, "test")
    await bus.release(claim)
    (effect,) = (await bus.take("effects", "w", lease_ms=1000)).claims
    made = SummaryMade(level=0, first=1, last=3, how="extract", text="t")
    await bus.finish(effect, "a", Draft("summary:0:1:3:extract", made), records[1].identity)
    (upgrade,) = (await bus.take("upgrades", "w", lease_ms=1000)).claims
    await bus.drop(upgrade)
    (look,) = (await bus.take("votes", "w", lease_ms=1000)).claims
    await bus.drop(look, 0)
    await bus.restore("b", await everything(bus, "a"))
    await bus.restore("b", await everything(bus, "a"), replace=True)
    await bus.redact("a", 1, blank=lambda log, n: log[1].entry, reason="test")
    await bus.close("a", "done")
    await bus.janitor()
    await bus.remove("a")
