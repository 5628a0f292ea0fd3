"""The tenants that have a quota: set, counted, listed, removed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson
from msgspec.structs import replace

from parley.bus.connection.connections import Connections
from parley.bus.contract.errors import BusError
from parley.bus.contract.keys import Keys
from parley.bus.contract.quotas import (
    TENANTS,
    Quota,
    TenantUse,
    check_tenant,
    decode_quota,
    encode_quota,
    tenant_of,
    use_keys,
)
from parley.bus.log.charges import month

_PAGE: Final = 1000
_SETTLED: Final = b'"spend.settled"'


class Tenancy:
    """Which tenants may have how much, and what they have."""

    def __init__(self, connections: Connections, keys: Keys) -> None:
        self._connections, self._keys = connections, keys

    async def set_quota(self, tenant: str, quota: Quota) -> TenantUse:
        """Puts `quota` in force, and counts anew what the tenant has; one of nothing ends it.

        Other processes go by it within five seconds. What is published while it is counted may be
        left out: set it again at a quiet time. Raises `InvalidEntry` for a name that is none.
        """
        own, sessions = use_keys(check_tenant(tenant))
        if quota.limits_nothing:
            await self._connections.command("HDEL", TENANTS, tenant)
            await self._connections.command("UNLINK", own, sessions)
            return TenantUse(tenant, quota, 0, 0, 0)
        await self._connections.command("HSET", TENANTS, tenant, encode_quota(quota))
        counted: dict[str, int] = {}
        spent = 0
        for session in await self._sessions_of(tenant):
            counted[session], micros = await self._count(session)
            spent += micros
        await self._connections.command("UNLINK", sessions)
        if counted:
            pairs = [word for pair in counted.items() for word in pair]
            await self._connections.command("HSET", sessions, *pairs)
        total = sum(counted.values())
        await self._connections.command("HSET", own, "bytes", total, f"spend:{month()}", spent)
        return TenantUse(tenant, quota, len(counted), total, spent)

    async def change_quota(self, tenant: str, limits: Mapping[str, int | None]) -> TenantUse:
        """`set_quota` with `limits` put over what is in force; None lifts a limit."""
        return await self.set_quota(tenant, replace(await self.quota(tenant), **limits))

    async def quota(self, tenant: str) -> Quota:
        """What a tenant may have, read now. Raises `InvalidEntry` for a name that is none."""
        (value,) = await self._connections.command("HMGET", TENANTS, check_tenant(tenant))
        return decode_quota(value)

    async def list_tenants(self) -> list[TenantUse]:
        """Every tenant with a quota, and what it has, by name."""
        names = sorted(await self._connections.command("HKEYS", TENANTS))
        if not names:
            return []
        quotas = await self._connections.command("HMGET", TENANTS, *names)
        rows = []
        for name, value in zip(names, quotas, strict=True):
            tenant = name.decode()
            own, sessions = use_keys(tenant)
            count = await self._connections.command("HLEN", sessions)
            size, spend = await self._connections.command("HMGET", own, "bytes", f"spend:{month()}")
            rows.append(
                TenantUse(tenant, decode_quota(value), count, int(size or 0), int(spend or 0))
            )
        return rows

    async def _sessions_of(self, tenant: str) -> list[str]:
        names: list[str] = []
        for bucket in self._keys.buckets:
            start = 0
            while page := await self._connections.command(
                "ZRANGE", bucket.sessions, start, start + _PAGE - 1
            ):
                names += [str(name, "utf-8") for name in page]
                start += _PAGE
        return [name for name in names if tenant_of(name) == tenant]

    async def _count(self, session: str) -> tuple[int, int]:
        """The bytes of a session's entries, and the micros that it settled; damaged, none."""
        size = micros = last = 0
        try:
            while rows := await self._connections.command(
                "XRANGE", self._keys.of(session).log, last + 1, "+", "COUNT", _PAGE
            ):
                for place, fields in rows:
                    last = int(place.partition(b"-")[0])
                    body = fields[fields.index(b"entry") + 1]
                    size += len(body)
                    micros += _settled(body)
        except (BusError, ValueError):
            return size, micros
        return size, micros


def _settled(body: bytes) -> int:
    if _SETTLED not in body:
        return 0
    entry: Any = orjson.loads(body)
    return int(entry.get("micros", 0)) if entry.get("kind") == "spend.settled" else 0
