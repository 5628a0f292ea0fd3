"""What requests carry."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """Nothing is converted, and nothing is taken that is not asked for."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
