"""Whoever publishes for a tenant that has all it may have is told so at every door."""

from __future__ import annotations

import anyio.to_thread
import orjson
import pytest

from parley.bus import Bus
from parley.bus.contract.quotas import Quota
from tests.support.doors.calls import Parley
from tests.support.doors.doors import doors
from tests.support.doors.refusals import refusals_of_redis
from tests.support.logs.logs import opened

NAME = "acme.plan"


async def test_a_quota_that_is_used_up_is_told_at_every_door(
    redis_url: str, parley: Parley
) -> None:
    """With what to do; nothing lands."""
    async with await Bus.connect(redis_url) as bus, doors(redis_url) as d:
        await bus.open(NAME, opened())
        await bus.tenancy.set_quota("acme", Quota(sessions=1, bytes=2000))
        said = {"content": "Tea, and so on. " * 200}
        refused = await refusals_of_redis(d, redis_url, parley, said, NAME)
        for door, text in refused.items():
            assert "quota of 2,000 bytes of entries is used up" in text, (door, text)
            assert "have an operator archive or remove sessions, or raise it" in text, (door, text)
        assert orjson.loads(refused["http"])["type"] == "urn:parley:problem:quota"
        assert orjson.loads(refused["http"])["status"] == 403
        assert (await bus.info(NAME)).n == 0
        async with d.client(d.operator()) as operator:
            answer = await operator.post("/v1/sessions", json={"session": "acme.next"})
        assert (answer.status_code, answer.json()["limit"]) == (403, 1)
        words = ("--redis", redis_url, "session", "new", "acme.next")
        ran = await anyio.to_thread.run_sync(lambda: parley(*words))
        assert "quota of 1 sessions is used up" in ran.err


async def test_what_comes_too_fast_for_a_tenant_is_busy_at_every_door(
    redis_url: str, parley: Parley
) -> None:
    """With when to come again."""
    async with await Bus.connect(redis_url) as bus, doors(redis_url) as d:
        await bus.open(NAME, opened())
        await bus.tenancy.set_quota("acme", Quota(rate=1))
        async with d.client(d.token("ana", session=NAME)) as ana:
            answers = [
                await ana.post(f"/v1/sessions/{NAME}/messages", json={"content": f"Tea {k}."})
                for k in range(20)
            ]
        late = next(answer for answer in answers if answer.status_code == 429)
        assert late.json()["type"] == "urn:parley:problem:busy"
        assert 0 < late.json()["retry_after"] <= 1


def test_quotas_are_set_shown_and_lifted(at: Parley) -> None:
    """One limit at a time; status has them too."""
    assert at("session", "new", "acme.plan").code == 0
    set_ = at("quota", "set", "acme", "--sessions", "3", "--bytes", "1.5MiB", "--json")
    (row,) = set_.rows()
    assert row["quota"] == {"sessions": 3, "bytes": 1572864}
    assert (row["tenant"], row["sessions"], row["spend"]) == ("acme", 1, 0)
    assert at("quota", "set", "acme", "--rate", "5", "--sessions", "none").code == 0
    (row,) = at("quota", "ls", "--json").rows()
    assert row["quota"] == {"bytes": 1572864, "rate": 5}
    (status,) = at("status", "--json").rows()
    assert status["tenants"] == [row]
    assert "1.5 MiB" in at("status").out
    assert at("quota", "rm", "acme").code == 0
    assert "no tenant has a quota" in at("quota", "ls").out


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (("acme",), "give what is limited: --sessions, --bytes, --rate or --spend"),
        (("a.b", "--rate", "1"), "its sessions are called TENANT.NAME"),
        (("acme", "--rate", "0"), "1 or more, or 'none'"),
        (("acme", "--bytes", "much"), "write 500, 64KiB, 20MiB"),
        (("acme", "--spend", "5$"), "a whole number, or 'none'"),
    ],
)
def test_a_quota_that_is_none_is_refused(at: Parley, words: tuple[str, ...], cure: str) -> None:
    ran = at("quota", "set", *words)
    assert ran.code != 0
    assert cure in " ".join(ran.err.split())
