"""The settings of `parley serve`: where it listens, what it is called, what it bears."""

from __future__ import annotations

import ipaddress
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, SecretStr

DAY: Final = 86_400  # seconds; the system counts a connection's in milliseconds, up to 24 days
_YEAR_MINUTES: Final = 525_600


class ServeSettings(BaseModel):
    """The doors of one process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field("127.0.0.1", min_length=1, description="address that the server listens on")
    port: int = Field(8700, ge=0, le=65_535, description="its port; 0: any that is free")
    secret: SecretStr = Field(
        SecretStr(""),
        description="secrets between commas, 32 bytes or more each; the first signs, all verify",
    )
    public: tuple[str, ...] = Field((), description="addresses (URLs) under which it is reached")
    origins: tuple[str, ...] = Field((), description="other pages' origins that may call it")
    proxies: tuple[str, ...] = Field((), description="addresses whose X-Forwarded headers count")
    rate: int = Field(50, ge=1, le=100_000, description="entries a second that a token publishes")
    reads: int = Field(100, ge=1, le=100_000, description="other requests a second of a token")
    body_bytes: int = Field(
        2 << 20,
        ge=1 << 12,
        le=1 << 30,
        description="longest request and WebSocket frame, and bytes a second of a token",
    )
    import_bytes: int = Field(
        256 << 20, ge=1 << 12, le=1 << 34, description="longest session file that is imported"
    )
    body_seconds: float = Field(30, gt=0, le=DAY, description="grace of a body that does not come")
    streams: int = Field(20_000, ge=1, le=10_000_000, description="live streams open at once")
    strangers: int = Field(
        1_024, ge=1, le=1_000_000, description="connections open at once without a good token"
    )
    strangers_each: int = Field(
        256, ge=1, le=1_000_000, description="of those from one address, or one network of IPv6"
    )
    slow_seconds: float = Field(5, gt=0, le=DAY, description="grace of a client that does not read")
    seat_minutes: float = Field(
        30, gt=0, le=_YEAR_MINUTES, description="idle time after which a seat is given up"
    )
    checkpoint_bytes: int = Field(
        64 << 20, ge=1 << 20, le=1 << 40, description="memory for checkpoints of the past"
    )
    runs: int = Field(2, ge=0, le=1_000, description="scenarios run at once for callers; 0: none")

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secrets that were set, the one that signs first."""
        secrets = self.secret.get_secret_value().split(",")
        return tuple(secret for part in secrets if (secret := part.strip()))

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"
