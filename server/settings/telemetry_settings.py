"""The settings of traces and metrics: where they go, and how much of it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class TelemetrySettings(BaseModel):
    """What a collector is sent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = Field(
        "", description="OTLP/HTTP endpoint for traces and metrics; empty: none are made"
    )
    ratio: float = Field(0.01, ge=0, le=1, description="share of the messages that are traced")
    seconds: float = Field(15, gt=0, le=3600, description="time between two exports of metrics")

    @property
    def base(self) -> str:
        """The address that the paths of OTLP stand below."""
        return self.url.rstrip("/")
