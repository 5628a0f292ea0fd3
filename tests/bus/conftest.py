"""A bus on an empty server, and a raw client that looks behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import redis

from parley.bus import Bus
from tests.support.servers.servers import RedisServer


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    # no outbox: what a test takes from the log stays gone
    async with await Bus.connect(redis_url, outbox_seconds=0) as connected:
        yield connected


@pytest.fixture
def raw(any_server: RedisServer) -> Iterator[redis.Redis]:
    """A plain client: what an operator, or a stranger, sees."""
    with any_server.client() as client:
        yield client
