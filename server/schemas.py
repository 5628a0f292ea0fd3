"""`parley schema`: what the doors take and give, as documents."""

from __future__ import annotations

from typing import Literal


def schema(which: Literal["openapi", "asyncapi"]) -> None:
    """Print the document as JSON."""
    raise NotImplementedError
