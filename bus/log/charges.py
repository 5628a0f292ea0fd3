"""Quotas: what is published in sessions of a tenant that has one is counted, and refused beyond it.

A session whose id has no dot, or whose tenant has no quota, costs nothing. Counted is what
publishers bring; what workers write of it is not.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal

import anyio
from msgspec import Struct

from parley.bus.connection.connections import Connections
from parley.bus.contract import wire
from parley.bus.contract.drafts import OPENING, Draft, Receipt
from parley.bus.contract.errors import Busy, QuotaExceeded, Unavailable
from parley.bus.contract.quotas import TENANTS, Quota, decode_quota, tenant_of, use_keys
from parley.bus.entries import PRIMARY

KEPT_SECONDS: Final = 5.0  # so long a quota is believed to be as it was read
_GRACE_SECONDS: Final = 5.0  # to give back what was not taken, where Redis is slow
_JOINING: Final = "participant.joined"

Step = Literal["open", "publish", "note", "replace", "drop"]


class Charge(Struct, frozen=True):
    """What was counted for drafts that are about to be published: bytes by id."""

    session: str
    sizes: Mapping[str, int]


class Quotas:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._known: dict[str, tuple[float, Quota]] = {}  # by tenant, and when it was read

    async def quota_of(self, session: str) -> Quota:
        """What the tenant of `session` may have, as it was within the last seconds."""
        tenant = tenant_of(session)
        if not tenant:
            return _NONE
        read, quota = self._known.get(tenant, (float("-inf"), _NONE))
        if time.monotonic() - read > KEPT_SECONDS:
            (value,) = await self._connections.command("HMGET", TENANTS, tenant)
            quota = decode_quota(value)
            self._known[tenant] = (time.monotonic(), quota)
        return quota

    async def charge(self, session: str, drafts: Sequence[Draft]) -> Charge | None:
        """Counts `drafts`; None where nobody counts.

        What ends something is taken whatever it comes to. Raises `QuotaExceeded`, and `Busy`
        where entries come too fast.
        """
        quota = await self.quota_of(session)
        if quota.limits_nothing:
            return None
        kinds = {draft.entry.kind for draft in drafts}
        step: Step = "publish" if kinds & PRIMARY or _JOINING in kinds else "note"
        if any(draft.id == OPENING for draft in drafts):
            step = "open"
        asks = "spend.reserved" in kinds
        sizes = {draft.id: len(wire.encode(draft.entry)) for draft in drafts}
        spent = sum(
            getattr(draft.entry, "micros", 0)
            for draft in drafts
            if draft.entry.kind == "spend.settled"
        )
        await self._count(
            quota, session, "publish" if asks and step == "note" else step,
            len(drafts), sum(sizes.values()), spent, asks=asks,
        )  # fmt: skip
        return Charge(session, sizes)

    async def give_back(self, charge: Charge, landed: Sequence[tuple[Draft, Receipt]]) -> None:
        """Takes off what was not written: it stood already, or was refused."""
        kept = sum(charge.sizes[draft.id] for draft, receipt in landed if not receipt.duplicate)
        if rest := sum(charge.sizes.values()) - kept:
            with (
                anyio.move_on_after(_GRACE_SECONDS, shield=True),
                suppress(Unavailable),  # `parley quota set` counts anew
            ):
                await self._count(_NONE, charge.session, "note", 0, -rest, 0)

    async def replace(self, session: str, bytes: int) -> int | None:
        """Counts what is put in the place of `session`; the bytes counted before.

        None where nobody counts, -1 where it was not counted. Raises `QuotaExceeded`.
        """
        quota = await self.quota_of(session)
        if quota.limits_nothing:
            return None
        return await self._count(quota, session, "replace", 0, bytes, 0)

    async def uncount(self, session: str, bytes: int) -> None:
        """Has `session` count again as `replace` said that it had."""
        with suppress(Unavailable):
            await self._count(_NONE, session, "drop" if bytes < 0 else "replace", 0, bytes, 0)

    async def drop(self, session: str) -> None:
        """Counts `session` no longer: it was removed."""
        if not (await self.quota_of(session)).limits_nothing:
            await self._count(_NONE, session, "drop", 0, 0, 0)

    async def _count(
        self, quota: Quota, session: str, step: Step, entries: int, bytes: int, spent: int, *,
        asks: bool = False,
    ) -> int:  # fmt: skip
        tenant = tenant_of(session)
        limits = ["" if each is None else each for each in _limits(quota)]
        reply = await self._connections.run(
            "charge", use_keys(tenant),
            [session, step, entries, bytes, spent, "1" if asks else "", month(), *limits],
        )  # fmt: skip
        if reply[0] == b"over":
            raise _refusal(session, tenant, reply)
        return int(reply[1])


_NONE: Final = Quota()


def month() -> str:
    """The calendar month that it is, in UTC: 2026-11."""
    return time.strftime("%Y-%m", time.gmtime())


def _limits(quota: Quota) -> tuple[int | None, ...]:
    return quota.sessions, quota.bytes, quota.rate, quota.spend


def _refusal(session: str, tenant: str, reply: Sequence[Any]) -> QuotaExceeded | Busy:
    what, limit = reply[1].decode(), int(reply[2])
    if what == "rate":
        return Busy(
            session, int(reply[3]) / 1000,
            f"its tenant publishes more than the {limit:,} entries a second of its quota",
        )  # fmt: skip
    return QuotaExceeded(session, tenant, what, limit)
