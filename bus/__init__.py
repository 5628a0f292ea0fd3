"""The bus: the wire contract, the log on Redis, and the work that falls due.

The only package that speaks Redis. `entries` and `wire` are pure; `memory` uses
`entries` alone, so the names below are imported at their first use: reading an
entry loads no client of Redis.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bus.client import Bus
    from bus.cursor import Cursor
    from bus.drafts import Draft, Receipt
    from bus.info import SessionInfo
    from bus.lanes import Claim, Commit, Taken
    from bus.replies import FactRecord, Stretch
    from bus.scripts.lua import Scripts
    from bus.server_info import ServerInfo
    from bus.snapshots import Snapshot
    from bus.subscription import Subscription
    from bus.workforce import WorkerInfo

__all__ = [
    "Bus",
    "Claim",
    "Commit",
    "Cursor",
    "Draft",
    "FactRecord",
    "Receipt",
    "Scripts",
    "ServerInfo",
    "SessionInfo",
    "Snapshot",
    "Stretch",
    "Subscription",
    "Taken",
    "WorkerInfo",
]

_HOMES = {
    "Bus": "bus.client",
    "Cursor": "bus.cursor",
    "Draft": "bus.drafts",
    "Receipt": "bus.drafts",
    "Claim": "bus.lanes",
    "Commit": "bus.lanes",
    "Taken": "bus.lanes",
    "FactRecord": "bus.replies",
    "Stretch": "bus.replies",
    "Scripts": "bus.scripts.lua",
    "ServerInfo": "bus.server_info",
    "SessionInfo": "bus.info",
    "Snapshot": "bus.snapshots",
    "Subscription": "bus.subscription",
    "WorkerInfo": "bus.workforce",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bus' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
