"""What the sessions of a tenant may come to, and what they have come to. Pure.

The tenant of a session is what stands before the first dot of its id: `acme.plan` is one of acme's.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec
from msgspec import Struct

from parley.bus.contract.errors import InvalidEntry

TENANTS: Final = "parley:tenants"
TENANT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}\Z")


class Quota(Struct, frozen=True, omit_defaults=True):
    """The most of each that a tenant may have; None: as much as there is."""

    sessions: int | None = None
    bytes: int | None = None  # of entries as they are stored
    rate: int | None = None  # entries a second, with four seconds at once
    spend: int | None = None  # micros a calendar month, in UTC

    @property
    def limits_nothing(self) -> bool:
        return self == Quota()


class TenantUse(Struct, frozen=True):
    """A tenant, what it may have, and what it has. `spend` is that of this month."""

    tenant: str
    quota: Quota
    sessions: int
    bytes: int
    spend: int


def tenant_of(session: str) -> str:
    """The tenant of a session; '' for one whose id has no dot."""
    tenant, dot, _ = session.partition(".")
    return tenant if dot and TENANT.match(tenant) else ""


def check_tenant(tenant: str) -> str:
    """`tenant`, where it may be one. Raises `InvalidEntry`."""
    if not TENANT.match(tenant):
        raise InvalidEntry(
            f"{tenant!r} is no tenant; use letters, digits, hyphens or underscores, beginning with "
            "a letter or a digit: its sessions are called TENANT.NAME"
        )
    return tenant


def use_keys(tenant: str) -> tuple[str, str]:
    """What it has in all, and bytes by session; they share a slot."""
    return f"parley:use:{{{tenant}}}", f"parley:use:{{{tenant}}}:sessions"


def encode_quota(quota: Quota) -> bytes:
    return msgspec.json.encode(quota)


def decode_quota(value: bytes | None) -> Quota:
    """The quota that a field of `parley:tenants` holds; without one there is no limit."""
    return Quota() if value is None else msgspec.json.decode(value, type=Quota)
