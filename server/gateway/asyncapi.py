"""AsyncAPI of the live streams, made from entries, facts and frames."""

from __future__ import annotations

from typing import Any


def document() -> dict[str, Any]:
    raise NotImplementedError
