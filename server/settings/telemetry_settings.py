"""The settings of traces and metrics: where they go, and how much of it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError


class TelemetrySettings(BaseModel):
    """What a collector is sent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = Field(
        "", description="OTLP/HTTP endpoint for traces and metrics; empty: none are made"
    )
    ratio: float = Field(0.01, ge=0, le=1, description="share of the messages that are traced")
    seconds: float = Field(15, gt=0, le=3600, description="time between two exports of metrics")

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        scheme, _, rest = url.partition("://")
        if url and (scheme not in ("http", "https") or not rest.strip("/") or " " in url):
            raise PydanticCustomError(
                "address", "Input should be an address such as http://127.0.0.1:4318"
            )
        return url

    @property
    def base(self) -> str:
        """The address that the paths of OTLP stand below."""
        return self.url.rstrip("/")
