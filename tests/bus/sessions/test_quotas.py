"""Quotas of tenants: counted as they publish, refused beyond, and exact where many come at once."""

from __future__ import annotations

import anyio
import pytest

from parley.bus import Bus, Draft
from parley.bus.contract.errors import Busy, Conflict, QuotaExceeded, SessionExists
from parley.bus.contract.quotas import Quota, TenantUse, tenant_of
from parley.bus.entries import Message, SpendReserved, SpendSettled
from parley.bus.log import charges
from tests.support.logs.logs import opened
from tests.support.servers.patience import wait_until
from tests.support.sessions.talks import everything, message_draft


async def use_of(bus: Bus, tenant: str) -> TenantUse:
    """What a tenant has, as it was counted."""
    return next(use for use in await bus.tenancy.list_tenants() if use.tenant == tenant)


async def stored_bytes(bus: Bus, *sessions: str) -> int:
    """What Redis has of their entries."""
    audits = [await bus.audit(session) for session in sessions]
    return sum(len(row.body) for audit in audits for row in audit.rows)


@pytest.mark.parametrize(
    ("session", "tenant"),
    [("acme.plan", "acme"), ("acme.plan.b", "acme"), ("plan", ""), ("acme-plan", ""), ("9.x", "9")],
)
def test_a_tenant_is_what_stands_before_the_first_dot(session: str, tenant: str) -> None:
    assert tenant_of(session) == tenant


async def test_no_more_sessions_are_opened_than_a_tenant_may_have(redis_url: str) -> None:
    """However many come at once; another tenant's are its own, and a removed one makes room."""
    async with await Bus.connect(redis_url) as bus:
        await bus.tenancy.set_quota("acme", Quota(sessions=5))
        refused: list[str] = []

        async def open_one(number: int) -> None:
            try:
                await bus.open(f"acme.{number}", opened())
            except QuotaExceeded as error:
                refused.append(str(error))

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(open_one, number)
        names = [info.session for info in await bus.sessions()]
        assert len(names) == 5
        assert len(refused) == 15
        assert "quota of 5 sessions is used up; have an operator archive or remove" in refused[0]
        assert "parley quota set" in refused[0]
        await bus.open("other.1", opened())
        with pytest.raises(SessionExists):  # and is not counted twice
            await bus.open(names[0], opened())
        await bus.remove(names[0])
        await bus.open("acme.new", opened())
        assert (await use_of(bus, "acme")).sessions == 5


async def test_bytes_are_counted_and_an_end_is_always_taken(redis_url: str) -> None:
    """Of what stands: duplicates and refusals are given back."""
    async with await Bus.connect(redis_url) as bus:
        await bus.tenancy.set_quota("acme", Quota(bytes=3000))
        await bus.open("acme.a", opened())
        await bus.publish("acme.a", [message_draft(1)])
        await bus.publish("acme.a", [message_draft(1), message_draft(2)])
        with pytest.raises(Conflict):
            await bus.publish("acme.a", [message_draft(3), Draft("m1", _said("x" * 90))])
        assert (await use_of(bus, "acme")).bytes == await stored_bytes(bus, "acme.a")
        with pytest.raises(QuotaExceeded, match="quota of 3,000 bytes of entries is used up"):
            await bus.publish("acme.a", [Draft("long", _said("x" * 4000))])
        assert (await use_of(bus, "acme")).bytes == await stored_bytes(bus, "acme.a")
        await bus.publish("acme.a", [_settled("c", 5)] * 1)
        await bus.close("acme.a", "over")
        assert (await bus.info("acme.a")).status == "closed"
        await bus.remove("acme.a")
        assert await use_of(bus, "acme") == TenantUse("acme", Quota(bytes=3000), 0, 0, 5)


async def test_entries_that_come_too_fast_are_told_how_long_to_wait(redis_url: str) -> None:
    """Four seconds' worth at once, over all of its sessions; then at the rate."""
    async with await Bus.connect(redis_url) as bus, await Bus.connect(redis_url) as other:
        await bus.tenancy.set_quota("acme", Quota(rate=2))
        await bus.open("acme.a", opened())
        await bus.open("acme.b", opened())
        refused: Busy | None = None
        for k in range(1000):
            try:
                await (bus, other)[k % 2].publish(f"acme.{'ab'[k % 2]}", [message_draft(k)])
            except Busy as busy:
                refused = busy
                break
        assert refused is not None
        assert "more than the 2 entries a second of its quota" in str(refused)
        assert 0 < refused.retry_after <= 1
        assert len(await everything(bus, "acme.a")) + len(await everything(bus, "acme.b")) >= 8

        async def is_taken() -> bool:
            try:
                await bus.publish("acme.a", [message_draft(99)])
            except Busy:
                return False
            return True

        await wait_until(is_taken)


async def test_what_models_cost_is_counted_by_the_month(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing more is reserved once it is spent; what was under way is settled."""
    async with await Bus.connect(redis_url) as bus:
        await bus.tenancy.set_quota("acme", Quota(spend=100))
        await bus.open("acme.a", opened())
        await bus.publish("acme.a", [_reserved("1"), _reserved("2")])
        await bus.publish("acme.a", [_settled("1", 100)])
        with pytest.raises(QuotaExceeded, match=r"100 micros this month.*wait for the next month"):
            await bus.publish("acme.a", [_reserved("3")])
        await bus.publish("acme.a", [_settled("2", 30)])
        await bus.publish("acme.a", [message_draft(1)])
        assert (await use_of(bus, "acme")).spend == 130
        assert (await bus.tenancy.set_quota("acme", Quota(spend=200))).spend == 130
        monkeypatch.setattr(charges, "month", lambda: "2099-01")
        await bus.publish("acme.a", [_reserved("4")])


async def test_what_was_there_before_is_counted_and_what_is_restored_too(redis_url: str) -> None:
    """In the place of what it replaces; what is refused changes nothing."""
    async with await Bus.connect(redis_url) as bus:
        await bus.open("acme.a", opened())
        await bus.publish("acme.a", [message_draft(k) for k in range(50)])
        size = await stored_bytes(bus, "acme.a")
        use = await bus.tenancy.set_quota("acme", Quota(sessions=2, bytes=2 * size))
        assert (use.sessions, use.bytes) == (1, size)
        records = await everything(bus, "acme.a")
    async with await Bus.connect(redis_url) as bus:
        await bus.restore("acme.b", records)
        await bus.restore("acme.b", records[:20], replace=True)
        with pytest.raises(SessionExists):
            await bus.restore("acme.b", records)
        both = await stored_bytes(bus, "acme.a", "acme.b")
        assert both < 2 * size
        use = await use_of(bus, "acme")
        assert (use.sessions, use.bytes) == (2, both)
        with pytest.raises(QuotaExceeded, match="2 sessions"):
            await bus.restore("acme.c", records[:1])
        assert [info.session for info in await bus.sessions()] == ["acme.b", "acme.a"]
        await bus.tenancy.set_quota("acme", Quota())
        assert await bus.tenancy.list_tenants() == []


def _said(content: str) -> Message:
    return Message(participant="ana", content=content)


def _reserved(call: str) -> Draft:
    entry = SpendReserved(participant="ana", call=call, purpose="draft", tokens=10, micros=50)
    return Draft(f"reserve:{call}", entry)


def _settled(call: str, micros: int) -> Draft:
    return Draft(f"settle:{call}", SpendSettled(participant="ana", call=call, micros=micros))
