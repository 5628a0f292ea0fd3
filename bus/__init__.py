"""The bus: the wire contract, the log on Redis, and the work that falls due.

The only package that speaks Redis. `entries` and `wire` are pure; `memory` uses
`entries` alone, so the names below are imported at their first use: reading an
entry loads no client of Redis.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parley.bus.client import Bus
    from parley.bus.connection.server_info import ServerInfo
    from parley.bus.contract.cursor import Cursor
    from parley.bus.contract.drafts import Draft, Receipt
    from parley.bus.contract.session_info import SessionInfo
    from parley.bus.log.replies import FactRecord, LogStretch
    from parley.bus.log.subscription import Subscription
    from parley.bus.scripts.lua import Scripts
    from parley.bus.work.lanes import Claim, Commit, TakenWork
    from parley.bus.work.snapshots import Snapshot
    from parley.bus.work.workforce import WorkerInfo

__all__ = [
    "Bus",
    "Claim",
    "Commit",
    "Cursor",
    "Draft",
    "FactRecord",
    "LogStretch",
    "Receipt",
    "Scripts",
    "ServerInfo",
    "SessionInfo",
    "Snapshot",
    "Subscription",
    "TakenWork",
    "WorkerInfo",
]

_HOMES = {
    "Bus": "parley.bus.client",
    "Cursor": "parley.bus.contract.cursor",
    "Draft": "parley.bus.contract.drafts",
    "Receipt": "parley.bus.contract.drafts",
    "Claim": "parley.bus.work.lanes",
    "Commit": "parley.bus.work.lanes",
    "TakenWork": "parley.bus.work.lanes",
    "FactRecord": "parley.bus.log.replies",
    "LogStretch": "parley.bus.log.replies",
    "Scripts": "parley.bus.scripts.lua",
    "ServerInfo": "parley.bus.connection.server_info",
    "SessionInfo": "parley.bus.contract.session_info",
    "Snapshot": "parley.bus.work.snapshots",
    "Subscription": "parley.bus.log.subscription",
    "WorkerInfo": "parley.bus.work.workforce",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'parley.bus' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
