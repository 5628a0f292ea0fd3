"""What tenants have of what they may have: for a terminal or as JSON."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from parley.bus.contract.quotas import TenantUse
from parley.server.basics.byte_sizes import size_text
from parley.server.basics.output import print_json, print_line, print_table

_HEADS = ("tenant", "sessions", "bytes", "entries/s", "micros this month")


def show_tenant(use: TenantUse, json: bool) -> None:
    """One tenant with its quota."""
    if json:
        print_json(msgspec.to_builtins(use))
    else:
        print_table(_HEADS, [_row(use)])


def show_tenants(uses: Sequence[TenantUse], json: bool) -> None:
    """Each tenant that has a quota."""
    if json:
        for use in uses:
            print_json(msgspec.to_builtins(use))
    elif uses:
        print_table(_HEADS, [_row(use) for use in uses])
    else:
        print_line("no tenant has a quota; 'parley quota set' gives one")


def _row(use: TenantUse) -> list[str]:
    quota = use.quota
    return [
        use.tenant,
        _of(f"{use.sessions:,}", None if quota.sessions is None else f"{quota.sessions:,}"),
        _of(size_text(use.bytes), None if quota.bytes is None else size_text(quota.bytes)),
        "-" if quota.rate is None else f"at most {quota.rate:,}",
        _of(f"{use.spend:,}", None if quota.spend is None else f"{quota.spend:,}"),
    ]


def _of(used: str, limit: str | None) -> str:
    return used if limit is None else f"{used} of {limit}"
