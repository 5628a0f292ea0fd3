"""What one call of the command line came to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson


@dataclass(frozen=True)
class Ran:
    """Exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    def rows(self) -> list[dict[str, Any]]:
        """The JSON objects of stdout, one a line."""
        return [orjson.loads(line) for line in self.out.splitlines()]


Parley = Callable[..., Ran]
