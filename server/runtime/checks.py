"""What the doctor looked at, a row each."""

from __future__ import annotations

from typing import Any

Check = dict[str, Any]  # `what`, `state` (ok, warn, fail), `finding`; and the figures behind it


def build_check(what: str, state: str, finding: str) -> Check:
    return {"what": what, "state": state, "finding": finding}
